// Axes: where a value lies, and which values are worth a mark.

export interface Scale {
    log: boolean;
    low: number;
    high: number;
    /** 0 at the low end, 1 at the high one. */
    place(value: number): number;
    value(place: number): number;
}

export function makeScale(low: number, high: number, log: boolean): Scale {
    if (log) {
        const a = Math.log(low);
        const b = Math.log(high);
        return {
            log, low, high,
            place: (value) => (b === a ? 0.5 : (Math.log(value) - a) / (b - a)),
            value: (place) => Math.exp(a + place * (b - a)),
        };
    }
    return {
        log, low, high,
        place: (value) => (high === low ? 0.5 : (value - low) / (high - low)),
        value: (place) => low + place * (high - low),
    };
}

/** A scale that holds all of some values, with a little room. */
export function scaleFor(values: number[], log: boolean, fromZero: boolean): Scale {
    const finite = values.filter((v) => isFinite(v) && (!log || v > 0));
    let low = Math.min(...finite);
    let high = Math.max(...finite);
    if (finite.length === 0) [low, high] = [1, 10];
    if (log) {
        if (low === high) [low, high] = [low / 2, high * 2];
        const room = Math.pow(high / low, 0.04);
        return makeScale(low / room, high * room, true);
    }
    if (fromZero && low > 0) low = 0;
    if (low === high) high = low + (Math.abs(low) || 1);
    const room = 0.05 * (high - low);
    return makeScale(low === 0 ? 0 : low - room, high + room, false);
}

/** At most about so many round values within a scale. */
export function ticks(scale: Scale, most: number): number[] {
    const found: number[] = [];
    if (scale.log) {
        const decades = Math.log10(scale.high / scale.low);
        const steps = decades * 3 <= most ? [1, 2, 5] : decades * 2 <= most ? [1, 3] : [1];
        const every = Math.max(1, Math.ceil(decades / most));
        const first = Math.floor(Math.log10(scale.low));
        for (let d = first; d <= Math.log10(scale.high); ++d) {
            if (steps.length === 1 && (d - first) % every !== 0) continue;
            for (const step of steps) {
                const value = step * 10 ** d;
                if (value >= scale.low * 0.9999 && value <= scale.high * 1.0001) found.push(value);
            }
        }
        if (found.length >= 3) return found;
        found.length = 0; // less than a decade: as on a linear axis
    }
    const rough = (scale.high - scale.low) / Math.max(1, most);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * ([1, 2, 5, 10].find((s) => s * power >= rough * 0.999) ?? 10);
    for (let i = Math.ceil(scale.low / step - 1e-9); i * step <= scale.high * (1 + 1e-12); ++i) found.push(Number((i * step).toPrecision(12)));
    return found;
}

/** Marks at powers of two where values are such, as numbers of processes mostly are. */
export function ticksOfTwo(scale: Scale, most: number): number[] {
    const found: number[] = [];
    const first = Math.ceil(Math.log2(scale.low) - 1e-9);
    const last = Math.floor(Math.log2(scale.high) + 1e-9);
    const every = Math.max(1, Math.ceil((last - first + 1) / most));
    for (let i = first; i <= last; i += every) found.push(2 ** i);
    return found;
}

export function arePowersOfTwo(values: number[]): boolean {
    return values.length > 2 && values.every((v) => v > 0 && Number.isInteger(Math.log2(v)));
}
