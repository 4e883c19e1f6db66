// A table of which only the rows in sight are in the page, so that a hundred thousand of them cost no more than fifty.

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

export const rowHeight = 34;
const few = 80; // rows that all stand in the page, and print

export function VirtualTable({ label, count, head, row, klass, follow, onKeyDown }: {
    label: string;
    count: number;
    head: JSX.Element;
    row: (i: number) => JSX.Element;
    klass?: string;
    /** A row to bring into sight. */
    follow?: number;
    onKeyDown?: (event: KeyboardEvent) => void;
}): JSX.Element {
    const box = useRef<HTMLDivElement>(null);
    const [top, setTop] = useState(0);
    const [height, setHeight] = useState(640);
    const isLong = count > few;
    useEffect(() => {
        if (!box.current) return;
        const watch = new ResizeObserver(([entry]) => setHeight(entry.contentRect.height));
        watch.observe(box.current);
        return () => watch.disconnect();
    }, []);
    useEffect(() => {
        if (box.current && box.current.scrollTop > count * rowHeight) box.current.scrollTop = 0;
    }, [count]);
    useEffect(() => {
        if (follow === undefined || !box.current || !isLong) return;
        const place = follow * rowHeight;
        const seen = box.current.clientHeight - 2 * rowHeight;
        if (place < box.current.scrollTop) box.current.scrollTop = place;
        else if (place > box.current.scrollTop + seen) box.current.scrollTop = place - seen;
    }, [follow]);
    const margin = 6;
    const first = isLong ? Math.max(0, Math.floor(top / rowHeight) - margin) : 0;
    const last = isLong ? Math.min(count, Math.ceil((top + height) / rowHeight) + margin) : count;
    const rows: ComponentChildren[] = [];
    for (let i = first; i < last; ++i) rows.push(row(i));
    return (
        <div class={isLong ? 'scroll long' : 'scroll'} ref={box} tabIndex={0} role="region" aria-label={label}
            onScroll={(event) => setTop((event.currentTarget as HTMLDivElement).scrollTop)} onKeyDown={onKeyDown}>
            <table class={`rows ${klass ?? ''}`} aria-rowcount={count + 1}>
                <thead>{head}</thead>
                <tbody>
                    {first > 0 && <tr class="gap" aria-hidden="true" style={{ height: `${first * rowHeight}px` }}><td /></tr>}
                    {rows}
                    {last < count && <tr class="gap" aria-hidden="true" style={{ height: `${(count - last) * rowHeight}px` }}><td /></tr>}
                </tbody>
            </table>
        </div>
    );
}
