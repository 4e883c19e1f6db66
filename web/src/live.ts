// A page that `plimsoll report serve` shows follows its inputs: told of newer data, it fetches them and keeps what is looked at.

import { useEffect, useState } from 'preact/hooks';
import { readReport, type Report } from './data';

export interface Live {
    report: Report;
    /** Absent where the page is a file. */
    state?: 'following' | 'fetching' | 'lost';
    /** When data came that are newer than the page. */
    since?: Date;
    /** Why newer data could not be read. */
    trouble?: string;
}

function versionOf(page: Document): string | undefined {
    return page.querySelector<HTMLMetaElement>('meta[name="plimsoll-version"]')?.content;
}

async function fetchPage(): Promise<Document> {
    const reply = await fetch(location.pathname, { cache: 'no-store' });
    if (!reply.ok) throw new Error(`the server answers ${reply.status}`);
    return new DOMParser().parseFromString(await reply.text(), 'text/html');
}

export function useReport(first: Report): Live {
    const [live, setLive] = useState<Live>({ report: first });
    useEffect(() => {
        let version = versionOf(document);
        if (version === undefined) return;
        let isFetching = false;
        let wanted = version;
        const set = (changes: Partial<Live>) => setLive((now) => ({ ...now, ...changes }));
        const follow = async () => {
            if (isFetching) return;
            isFetching = true;
            try {
                while (version !== wanted) {
                    set({ state: 'fetching' });
                    const page = await fetchPage();
                    version = versionOf(page) ?? wanted;
                    wanted = version;
                    set({ report: readReport(page), state: 'following', since: new Date(), trouble: undefined });
                }
            } catch {
                set({ state: 'lost' });
            }
            isFetching = false;
        };
        const events = new EventSource('events');
        events.addEventListener('page', (event) => {
            wanted = (event as MessageEvent<string>).data;
            if (wanted === version) set({ state: 'following', trouble: undefined });
            else void follow();
        });
        events.addEventListener('trouble', (event) => set({ trouble: JSON.parse((event as MessageEvent<string>).data) as string }));
        events.onerror = () => set({ state: 'lost' });
        return () => events.close();
    }, []);
    return live;
}
