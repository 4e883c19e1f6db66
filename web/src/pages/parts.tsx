// Pieces that pages of documents share.

import type { JSX } from 'preact';
import type { At, Named } from '../documents';
import { assignments } from '../format';
import type { Change } from '../state';

export function pointText(at: At, names: string[]): string {
    return assignments(names, names.map((name) => at[name]));
}

export function Choice({ label, value, options, choose }: { label: string; value: string; options: [value: string, text: string][]; choose: (value: string) => void }): JSX.Element {
    return (
        <label class="toggle">{label} <select value={value} onChange={(event) => choose((event.target as HTMLSelectElement).value)}>
            {options.map(([own, text]) => <option value={own}>{text}</option>)}
        </select></label>
    );
}

/** Which of several documents of a kind is shown; nothing where there is one. */
export function DocumentChoice({ list, chosen, label, change }: { list: Named<unknown>[]; chosen: Named<unknown>; label: string; change: Change }): JSX.Element | null {
    if (list.length < 2) return null;
    return (
        <div class="controls"><Choice label={label} value={String(list.indexOf(chosen))} options={list.map(({ name }, i) => [String(i), name])}
            choose={(value) => change({ [label]: value })} /></div>
    );
}

export function Notes({ notes }: { notes: string[] }): JSX.Element | null {
    return notes.length === 0 ? null : <><h3 class="list-title">Notes</h3><ul class="notes">{notes.map((note) => <li>{note}</li>)}</ul></>;
}
