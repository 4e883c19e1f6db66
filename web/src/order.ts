// Orders of many numbers, in time that grows as their number does.

/** Bits of single precision so turned that whole numbers without sign are in the same order; what is no number is least. */
function sortable(values: ArrayLike<number>): Uint32Array {
    const bits = new Uint32Array(Float32Array.from(values, (v) => (isNaN(v) ? -Infinity : v)).buffer);
    for (let i = 0; i < bits.length; ++i) bits[i] = bits[i] & 0x80000000 ? ~bits[i] : bits[i] | 0x80000000;
    return bits;
}

/** The ids by their values, equal ones in the order in which they came. Values are of single precision, by id. */
export function ordered(ids: ArrayLike<number>, values: ArrayLike<number>, way: 'up' | 'down'): Int32Array {
    const keys = sortable(values);
    if (way === 'down') for (let i = 0; i < keys.length; ++i) keys[i] = ~keys[i];
    let from = Int32Array.from(ids);
    let to = new Int32Array(from.length);
    for (let shift = 0; shift < 32; shift += 8) { // by the least digit first, so that each pass keeps the one before
        const starts = new Int32Array(257);
        for (const id of from) ++starts[((keys[id] >>> shift) & 255) + 1];
        for (let d = 0; d < 256; ++d) starts[d + 1] += starts[d];
        for (const id of from) to[starts[(keys[id] >>> shift) & 255]++] = id;
        [from, to] = [to, from];
    }
    return from;
}

/** The few ids with the largest values, the largest first; those without a value are left out. */
export function largest(ids: ArrayLike<number>, values: ArrayLike<number>, most: number): number[] {
    const found: number[] = [];
    for (let i = 0; i < ids.length; ++i) {
        const id = ids[i];
        if (isNaN(values[id]) || (found.length === most && !(values[id] > values[found[most - 1]]))) continue;
        let place = Math.min(found.length, most - 1);
        while (place > 0 && values[found[place - 1]] < values[id]) {
            found[place] = found[place - 1];
            --place;
        }
        found[place] = id;
    }
    return found;
}

/** How many values are above that of an id, plus one. */
export function rank(id: number, ids: ArrayLike<number>, values: ArrayLike<number>): number {
    let above = 1;
    for (let i = 0; i < ids.length; ++i) if (values[ids[i]] > values[id] || (values[ids[i]] === values[id] && ids[i] < id)) ++above;
    return above;
}
