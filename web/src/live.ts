// A page that `plimsoll report serve` shows follows its inputs: told of newer data, it fetches them and keeps what is looked at.

import { useEffect, useState } from 'preact/hooks';
import { readReport, type Report } from './data';

export interface Live {
    report: Report;
    /** Absent where the page is a file. Behind: connected, but what is newer could not be fetched yet. */
    state?: 'following' | 'fetching' | 'behind' | 'lost';
    /** When data came that are newer than the page. */
    since?: Date;
    /** Why newer data could not be read. */
    trouble?: string;
}

const again = 3000; // ms from a fetch that failed to the next

/** Versions count up; not a number where a page has none. */
function versionOf(page: Document): number {
    return Number(page.querySelector<HTMLMetaElement>('meta[name="plimsoll-version"]')?.content ?? NaN);
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
        if (isNaN(version) || !location.protocol.startsWith('http')) return; // a page that was saved is a file
        let isFetching = false;
        let isConnected = false;
        let wanted = version;
        let timer: ReturnType<typeof setTimeout> | undefined;
        const set = (changes: Partial<Live>) => setLive((now) => ({ ...now, ...changes }));
        const follow = async () => {
            if (isFetching) return;
            clearTimeout(timer);
            isFetching = true;
            try {
                // What is wanted may grow while a page is on its way.
                while (version < wanted) {
                    set({ state: 'fetching' });
                    const page = await fetchPage();
                    const fetched = versionOf(page);
                    if (!(fetched > version)) throw new Error(`the server has version ${fetched} still`);
                    set({ report: readReport(page), since: new Date() });
                    version = fetched;
                }
                set({ state: isConnected ? 'following' : 'lost' });
            } catch {
                set({ state: isConnected ? 'behind' : 'lost' });
                timer = setTimeout(() => void follow(), again);
            }
            isFetching = false;
        };
        const events = new EventSource('events');
        // The server tells of a page first and of trouble after it.
        events.addEventListener('page', (event) => {
            isConnected = true;
            wanted = Number((event as MessageEvent<string>).data);
            set({ trouble: undefined });
            void follow();
        });
        events.addEventListener('trouble', (event) => set({ trouble: JSON.parse((event as MessageEvent<string>).data) as string }));
        events.onerror = () => {
            isConnected = false;
            set({ state: 'lost' });
        };
        return () => {
            clearTimeout(timer);
            events.close();
        };
    }, []);
    return live;
}
