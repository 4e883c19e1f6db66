// A figure: title, drawing, downloads, and the table of what it shows.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { saveCsv, savePng, saveSvg } from './download';

export interface FigureTable {
    head: string[];
    rows: (string | number | null)[][];
}

/** Width of an element, as it changes. */
export function useWidth(): [preact.RefObject<HTMLDivElement>, number] {
    const element = useRef<HTMLDivElement>(null);
    const [width, setWidth] = useState(640);
    useEffect(() => {
        if (!element.current) return;
        const watch = new ResizeObserver(([entry]) => setWidth(Math.max(240, Math.round(entry.contentRect.width))));
        watch.observe(element.current);
        return () => watch.disconnect();
    }, []);
    return [element, width];
}

export function FigureFrame({ title, note, controls, table, children }: {
    title: string;
    note?: ComponentChildren;
    controls?: ComponentChildren;
    table: () => FigureTable;
    children: ComponentChildren;
}) {
    const body = useRef<HTMLDivElement>(null);
    const [isOpen, setOpen] = useState(false);
    const svg = () => body.current!.querySelector('svg')!;
    const data = isOpen ? table() : undefined;
    return (
        <figure class="figure">
            <figcaption>
                <h3>{title}</h3>
                {note && <p class="note">{note}</p>}
            </figcaption>
            {controls && <div class="controls">{controls}</div>}
            <div ref={body}>{children}</div>
            <div class="figure-foot">
                <details onToggle={(event) => setOpen((event.target as HTMLDetailsElement).open)}>
                    <summary>Table</summary>
                    {data && (
                        <div class="scroll" tabIndex={0} role="region" aria-label={`Table: ${title}`}>
                            <table class="plain">
                                <thead><tr>{data.head.map((name) => <th scope="col">{name}</th>)}</tr></thead>
                                <tbody>
                                    {data.rows.map((row) => (
                                        <tr>{row.map((cell) => <td class={typeof cell === 'number' ? 'number' : ''}>{cell === null || (typeof cell === 'number' && !isFinite(cell)) ? '–' : String(cell)}</td>)}</tr>
                                    ))}
                                </tbody>
                            </table>
                        </div>
                    )}
                </details>
                <div class="saves" role="group" aria-label={`Save: ${title}`}>
                    <button onClick={() => saveSvg(title, svg())}>SVG</button>
                    <button onClick={() => savePng(title, svg())}>PNG</button>
                    <button onClick={() => { const t = table(); saveCsv(title, t.head, t.rows); }}>CSV</button>
                </div>
            </div>
        </figure>
    );
}
