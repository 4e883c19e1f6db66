// Values over two parameters as a surface, seen from a side that one chooses.

import type { JSX } from 'preact';
import { exact, withUnit } from '../format';
import { color, type Grid } from './field';
import { makeScale, ticks } from './scale';

const rise = (28 * Math.PI) / 180; // how far from above one looks

/** From a cube of size 1 to the screen, and how far away it is there. */
type Look = (x: number, y: number, z: number) => { x: number; y: number; away: number };

function lookFrom(turn: number, width: number, height: number): Look {
    const [sin, cos] = [Math.sin((turn * Math.PI) / 180), Math.cos((turn * Math.PI) / 180)];
    const size = Math.min((width - 90) / 1.5, (height - 40) / 1.25);
    return (x, y, z) => {
        const [u, v] = [x - 0.5, y - 0.5];
        const right = u * cos - v * sin;
        const away = u * sin + v * cos;
        return { x: width / 2 + size * right, y: height * 0.54 - size * (away * Math.sin(rise) + (0.62 * z - 0.31) * Math.cos(rise)), away };
    };
}

export function Surface({ grid, width, turn, read, look }: { grid: Grid; width: number; turn: number; read: [number, number] | null; look: (at: [number, number] | null) => void }): JSX.Element {
    const height = Math.round(Math.min(360, Math.max(240, 0.82 * width)));
    const { across, up, values, share } = grid;
    const see = lookFrom(turn, width, height);
    const [columns, rows] = [across.stops.length, up.stops.length];
    const at = (i: number, j: number, z: number) => see(columns > 1 ? i / (columns - 1) : 0.5, rows > 1 ? j / (rows - 1) : 0.5, z);
    const text = ({ x, y }: { x: number; y: number }) => `${x.toFixed(1)} ${y.toFixed(1)}`;
    const faces: { d: string; fill: string; away: number; i: number; j: number }[] = [];
    for (let j = 0; j + 1 < rows; ++j) {
        for (let i = 0; i + 1 < columns; ++i) {
            const corners = ([[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]] as const).map(([a, b]) => ({ a, b, share: share(values[b][a]) }));
            if (!corners.every((corner) => isFinite(corner.share))) continue;
            const seen = corners.map((corner) => at(corner.a, corner.b, corner.share));
            const mean = corners.reduce((sum, corner) => sum + corner.share, 0) / 4;
            faces.push({ d: `M${seen.map(text).join('L')}Z`, fill: grid.fill ? grid.fill(i, j) : color(mean), away: seen.reduce((sum, s) => sum + s.away, 0), i, j });
        }
    }
    faces.sort((a, b) => b.away - a.away); // what is near is drawn over what is far
    const floor = [see(0, 0, 0), see(1, 0, 0), see(1, 1, 0), see(0, 1, 0)];
    // The upright axis stands at the corner that is leftmost on the screen, names along the two edges in front.
    const corners: [number, number][] = [[0, 0], [1, 0], [1, 1], [0, 1]];
    const left = corners.reduce((best, corner) => (see(...corner, 0).x < see(...best, 0).x ? corner : best));
    const nearY = see(0.5, 0, 0).away < see(0.5, 1, 0).away ? 0 : 1;
    const nearX = see(0, 0.5, 0).away < see(1, 0.5, 0).away ? 0 : 1;
    const heights = ticks(makeScale(grid.low, grid.high, grid.log), 5).filter((v) => v >= grid.low && v <= grid.high);
    const edge = (name: string, stops: number[], place: (t: number) => { x: number; y: number }) => {
        const [a, b] = [place(0), place(1)];
        const isLeft = a.x + b.x < width;
        const style = { textAnchor: isLeft ? 'end' as const : 'start' as const };
        const label = (t: number, words: string, klass: string, more: number) => <text x={place(t).x + (isLeft ? -6 - more : 6 + more)} y={place(t).y + 13 + more / 2} class={klass} style={style}>{words}</text>;
        return <>{label(0.04, exact(stops[0]), 'edge-label', 0)}{label(0.96, exact(stops[stops.length - 1]), 'edge-label', 0)}{label(0.5, name, 'edge-label italic', 6)}</>;
    };
    const [hi, hj] = grid.here;
    const hereShare = share(values[hj]?.[hi]);
    const readShare = read ? share(values[read[1]][read[0]]) : NaN;
    return (
        <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={`Surface over ${across.name} and ${up.name}`} onPointerLeave={() => look(null)}>
            <path d={`M${floor.map(text).join('L')}Z`} class="floor" />
            {faces.map(({ d, fill, i, j }) => <path d={d} style={{ fill, stroke: grid.fill ? 'var(--paper)' : fill }} class="face" onPointerEnter={() => look([i, j])} />)}
            {grid.known.filter(({ value }) => isFinite(share(value))).map(({ i, j, value }) => { const s = at(i, j, share(value)); return <circle cx={s.x} cy={s.y} r={2.5} class="measured" />; })}
            {isFinite(hereShare) && <circle cx={at(hi, hj, hereShare).x} cy={at(hi, hj, hereShare).y} r={6} class="here" />}
            {read && isFinite(readShare) && <circle cx={at(...read, readShare).x} cy={at(...read, readShare).y} r={4} class="read" />}
            <path d={`M${text(see(...left, 0))}L${text(see(...left, 1))}`} class="axis" />
            {heights.map((v) => { const s = see(...left, share(v)); return <g class="tick"><line x1={s.x - 4} x2={s.x} y1={s.y} y2={s.y} class="axis" /><text x={s.x - 8} y={s.y} class="y-label">{withUnit(v, grid.unit, 2)}</text></g>; })}
            {edge(across.name, across.stops, (t) => see(t, nearY, 0))}
            {edge(up.name, up.stops, (t) => see(nearX, t, 0))}
        </svg>
    );
}
