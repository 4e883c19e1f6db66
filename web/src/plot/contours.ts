// Lines of equal value over a grid of numbers.

export interface Contour {
    level: number;
    /** Pieces of the line, each from a place to a place; in steps of the grid. */
    pieces: [number, number, number, number][];
}

/** Where between two neighbours a level lies, from 0 to 1; by logarithms where `log` says so. */
function between(a: number, b: number, level: number, log: boolean): number {
    return log ? Math.log(level / a) / Math.log(b / a) : (level - a) / (b - a);
}

/** The line of a level by marching squares; values are [row][column], and cells with a corner that is no number have none. */
export function contour(values: number[][], level: number, log: boolean): Contour {
    const pieces: Contour['pieces'] = [];
    for (let j = 0; j + 1 < values.length; ++j) {
        for (let i = 0; i + 1 < values[j].length; ++i) {
            const [a, b, c, d] = [values[j][i], values[j][i + 1], values[j + 1][i + 1], values[j + 1][i]];
            if (![a, b, c, d].every((v) => isFinite(v) && (!log || v > 0))) continue;
            const crossings: [number, number][] = [];
            const cross = (from: number, to: number, x: number, y: number, dx: number, dy: number) => {
                if ((from < level) === (to < level)) return;
                const t = between(from, to, level, log);
                crossings.push([x + t * dx, y + t * dy]);
            };
            cross(a, b, i, j, 1, 0);
            cross(b, c, i + 1, j, 0, 1);
            cross(c, d, i + 1, j + 1, -1, 0);
            cross(d, a, i, j + 1, 0, -1);
            // A saddle has four crossings: neighbours go together where the middle is on the side of the first corner.
            if (crossings.length === 4 && (a < level) === ((a + b + c + d) / 4 < level)) crossings.push(crossings.shift()!);
            for (let k = 0; k + 1 < crossings.length; k += 2) pieces.push([...crossings[k], ...crossings[k + 1]]);
        }
    }
    return { level, pieces };
}
