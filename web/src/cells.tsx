// Cells that several tables have.

import { percent, quantity, range } from './format';

/** A name of any length and content, as text; the whole of it where the pointer rests. */
export function Name({ text, short }: { text: string; short?: string }) {
    return <bdi class="name" title={text.length > 600 ? `${text.slice(0, 600)}…` : text}>{short ?? text}</bdi>;
}

export function Value({ value, unit }: { value: number; unit: string }) {
    const q = quantity(value, unit);
    return <span class="value">{q.number}<span class="unit">{isFinite(value) ? q.unit : ''}</span></span>;
}

export function Between({ low, high, unit }: { low: number; high: number; unit: string }) {
    return <span class="between">{range(low, high, unit)}</span>;
}

/** A share as a bar and a number; `own` is the part of it that is drawn full. */
export function Share({ share, own }: { share: number; own?: number }) {
    const width = (part: number) => ({ width: `${Math.min(100, Math.max(0, isFinite(part) ? 100 * part : 0)).toFixed(2)}%` });
    return (
        <span class="share">
            <span class="track" aria-hidden="true">
                {own !== undefined && <span class="bar pale" style={width(share)} />}
                <span class="bar" style={width(own ?? share)} />
            </span>
            <span class="share-number">{percent(share)}</span>
        </span>
    );
}

/** How far the model misses points that were left out of its fit, as a word and a number. */
export function Quality({ smape }: { smape: number | null }) {
    if (smape === null) return <span class="dim">–</span>;
    const word = smape < 5 ? 'good' : smape < 15 ? 'fair' : 'poor';
    return <span class={`quality ${word}`}>{smape.toFixed(smape < 10 ? 1 : 0)} %<span class="unit">{word}</span></span>;
}

/** The ring with a line through it, beside an answer. */
export function Mark() {
    return (
        <svg class="emblem" viewBox="-20 -20 40 40" width="56" height="56" aria-hidden="true">
            <circle r="11" fill="none" stroke-width="3.2" />
            <line x1="-19" x2="19" y1="0" y2="0" stroke-width="4" />
        </svg>
    );
}
