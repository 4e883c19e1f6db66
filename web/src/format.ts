// Numbers as people read them. A unit stands apart from its number, so that columns align.

export interface Quantity {
    number: string;
    unit: string;
}

const thin = '\u202f';

function grouped(digits: string): string {
    const [whole, rest] = digits.split('.');
    const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, whole.replace('-', '').length > 4 ? thin : '');
    return rest === undefined ? spaced : `${spaced}.${rest}`;
}

const raised: Record<string, string> = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

/** So many significant digits; powers of ten where there would be a row of zeros. */
export function plain(value: number, digits = 3): string {
    if (!isFinite(value)) return isNaN(value) ? '–' : value > 0 ? '∞' : '−∞';
    if (value === 0) return '0';
    const size = Math.abs(value);
    const exponent = Math.floor(Math.log10(Number(size.toPrecision(digits))));
    let text: string;
    if (exponent >= 6 || exponent < -3) {
        const mantissa = (value / 10 ** exponent).toFixed(digits - 1);
        text = `${mantissa}·10${String(exponent).replace(/./g, (c) => raised[c])}`;
    } else {
        text = grouped(Number(value.toPrecision(digits)).toFixed(Math.max(0, digits - 1 - exponent)));
    }
    return text.replace('-', '−');
}

/** A value of a parameter, with all of its digits. */
export function exact(value: number): string {
    return isFinite(value) && Math.abs(value) < 1e15 ? grouped(String(value)).replace('-', '−') : String(value);
}

const times: [number, string][] = [[1e-9, 'ns'], [1e-6, 'µs'], [1e-3, 'ms'], [1, 's']];
/** What people count waiting in; the unit is called 'duration'. */
const durations: [number, string][] = [...times, [60, 'min'], [3600, 'h'], [86400, 'd']];
const bytes: [number, string][] = [[1, 'B'], [1e3, 'kB'], [1e6, 'MB'], [1e9, 'GB'], [1e12, 'TB'], [1e15, 'PB']];

/** The largest step that a value reaches, and its name. */
export function scaleOf(value: number, unit: string): [number, string] {
    const steps = unit === 's' ? times : unit === 'duration' ? durations : unit === 'B' ? bytes : undefined;
    if (!steps || !isFinite(value) || value === 0) return [1, unit === 'duration' ? 's' : unit];
    const size = Math.abs(value) * 1.0005; // what is rounded up to the next step belongs there
    const enough = (step: [number, string]) => (step[1] === 'd' ? 3 : 1) * step[0]; // people say 36 hours
    for (let i = steps.length - 1; i >= 0; --i) if (size >= enough(steps[i])) return steps[i];
    return steps[0];
}

export function quantity(value: number, unit: string, digits = 3): Quantity {
    const [scale, name] = scaleOf(value, unit);
    const whole = Math.round(value);
    if (unit === '' && Math.abs(value) < 1e6 && Math.abs(value - whole) <= 1e-6 * Math.abs(whole)) return { number: exact(whole), unit }; // a count
    return { number: plain(value / scale, digits), unit: name };
}

export function withUnit(value: number, unit: string, digits = 3): string {
    const q = quantity(value, unit, digits);
    return q.unit && isFinite(value) ? `${q.number} ${q.unit}` : q.number;
}

/** "2.1 – 2.9 s": both ends in the unit of the larger one. */
export function range(low: number, high: number, unit: string): string {
    if (!isFinite(low) || !isFinite(high)) return '–';
    const [scale, name] = scaleOf(Math.max(Math.abs(low), Math.abs(high)), unit);
    return `${plain(low / scale)} – ${plain(high / scale)}${name ? ` ${name}` : ''}`;
}

/** A share that was measured or computed; "100 %" is all of it, as far as single precision tells. */
export function percent(share: number, digits = 1): string {
    if (!isFinite(share)) return '–';
    const value = 100 * share;
    if (value > 0 && value < 0.05) return '< 0.1 %';
    const text = value.toFixed(value >= 99.95 ? 0 : digits);
    if (value < 100 * (1 - 1e-6) && Number(text) >= 100) return `> ${(100 - 10 ** -digits).toFixed(digits)} %`;
    return `${text.replace('-', '−')} %`;
}

/** A probability, or a level that somebody chose: with four digits, so that 99.95 % stays what it is. */
export function level(share: number): string {
    if (!isFinite(share)) return '–';
    if (share > 0 && share < 1e-4) return '< 0.01 %';
    if (share > 0.9999 && share < 1) return '> 99.99 %';
    return `${Number((100 * share).toPrecision(4))} %`;
}

export function assignments(names: string[], values: number[]): string {
    return names.map((name, k) => `${name} = ${exact(values[k])}`).join(', ');
}

/** A field of a table of comma-separated values. */
export function csvField(value: string | number | null): string {
    if (value === null || (typeof value === 'number' && !isFinite(value))) return '';
    const text = String(value);
    // A spreadsheet would take such a text for a formula.
    const guarded = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(guarded) ? `"${guarded.replace(/"/g, '""')}"` : guarded;
}

export function csv(head: string[], rows: (string | number | null)[][]): string {
    return [head, ...rows].map((row) => row.map(csvField).join(',')).join('\r\n') + '\r\n';
}
