// Values over two parameters at once: as a heat map, with lines of equal value, or as a surface.

import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Details } from '../data';
import { exact, withUnit } from '../format';
import { Choice } from '../pages/parts';
import { pointOf, type View } from '../view';
import { contour } from './contours';
import { FigureFrame, useWidth } from './frame';
import { makeScale, ticks } from './scale';
import { Surface } from './surface';

// From dark blue to yellow by even steps of lightness, so that it reads in grey and to all eyes.
const ramp = [[13, 34, 77], [52, 70, 108], [96, 105, 118], [139, 140, 122], [190, 179, 103], [245, 226, 92]];

export function color(share: number): string {
    const place = Math.min(1, Math.max(0, share)) * (ramp.length - 1);
    const i = Math.min(ramp.length - 2, Math.floor(place));
    const mix = ramp[i].map((c, k) => Math.round(c + (place - i) * (ramp[i + 1][k] - c)));
    return `rgb(${mix.join(',')})`;
}

/** Values of a region over two parameters, and how they are drawn. */
export interface Grid {
    across: { name: string; stops: number[] };
    up: { name: string; stops: number[] };
    values: number[][]; // [up][across]
    low: number;
    high: number;
    log: boolean;
    unit: string;
    /** From 0 at the smallest value to 1 at the largest. */
    share: (value: number) => number;
    /** Measured points, and where the sliders stand: stops across and up. */
    known: { i: number; j: number; value: number }[];
    here: [number, number];
    /** Colours by what is there, in place of the value. */
    fill?: (i: number, j: number) => string;
    /** What is told of a place: the value, if nothing else. */
    tell?: (i: number, j: number) => string;
}

/** Two of the parameters that vary: the first two, or those that the address names. */
export function sidesOf(view: View): { across: number; up: number; varied: number[] } {
    const { parameters, axes } = view.experiment.header;
    const varied = parameters.map((_, k) => k).filter((k) => axes[k].length > 1);
    const across = varied[Math.max(0, varied.indexOf(parameters.indexOf(view.state.hx ?? '')))];
    const up = varied.find((k) => k !== across && parameters[k] === view.state.hy) ?? varied.find((k) => k !== across)!;
    return { across, up, varied };
}

/** A grid of values over two parameters, at the sliders' place of all others. */
export function gridOf(view: View, values: number[][], unit: string, known: Grid['known']): Grid {
    const { parameters, axes } = view.experiment.header;
    const { across, up } = sidesOf(view);
    const flat = values.flat().filter((v) => isFinite(v));
    const low = flat.length > 0 ? Math.min(...flat) : 0;
    const high = flat.length > 0 ? Math.max(...flat) : 1;
    const log = low > 0 && high / low > 10;
    return {
        across: { name: parameters[across], stops: axes[across] }, up: { name: parameters[up], stops: axes[up] }, values, low, high, log, unit, known,
        here: [view.place[across], view.place[up]],
        share: (v) => (high === low ? 0.5 : log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low)),
    };
}

/** Places of all pairs of stops, rows upwards, with the sliders' place of the other parameters. */
export function placesOf(view: View): number[][][] {
    const { axes } = view.experiment.header;
    const { across, up } = sidesOf(view);
    return axes[up].map((_, j) => axes[across].map((__, i) => view.place.map((p, k) => (k === across ? i : k === up ? j : p))));
}

function levelsOf(grid: Grid): number[] {
    return ticks(makeScale(grid.low, grid.high, grid.log), 8).filter((level) => level > grid.low && level < grid.high);
}

function HeatMap({ grid, width, withLines, read, look }: { grid: Grid; width: number; withLines: boolean; read: [number, number] | null; look: (at: [number, number] | null) => void }): JSX.Element {
    const { across, up, values, share } = grid;
    const margin = { left: 62, right: 10, top: 26, bottom: 44 };
    const height = 320;
    const cell = { width: (width - margin.left - margin.right) / across.stops.length, height: (height - margin.top - margin.bottom) / up.stops.length };
    const x = (i: number) => margin.left + i * cell.width;
    const y = (j: number) => height - margin.bottom - (j + 1) * cell.height;
    const lines = useMemo(() => (withLines ? levelsOf(grid).map((level) => contour(values, level, grid.log)) : []), [grid, withLines]);
    const everyX = Math.max(1, Math.ceil(48 / cell.width));
    const everyY = Math.max(1, Math.ceil(18 / cell.height));
    // Lines go through the middles of cells, where values are known.
    const middle = (i: number, j: number): [number, number] => [x(i + 0.5), y(j) + cell.height / 2];
    const label = `${withLines ? 'Contours' : 'Heat map'} over ${across.name} and ${up.name}`;
    return (
        <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label} onPointerLeave={() => look(null)}>
            {values.map((row, j) => row.map((v, i) => (
                <rect x={x(i)} y={y(j)} width={cell.width + 0.5} height={cell.height + 0.5} shape-rendering="crispEdges" style={{ fill: !isFinite(v) ? 'none' : grid.fill ? grid.fill(i, j) : color(share(v)) }} onPointerEnter={() => look([i, j])} />
            )))}
            {lines.map(({ level, pieces }) => {
                const text = pieces[Math.floor(pieces.length / 2)];
                const d = pieces.map(([x0, y0, x1, y1]) => `M${middle(x0, y0).map((v) => v.toFixed(1)).join(' ')}L${middle(x1, y1).map((v) => v.toFixed(1)).join(' ')}`).join('');
                return (
                    <g class="contour">
                        <path d={d} class="halo" /><path d={d} class={grid.fill || share(level) > 0.55 ? 'on-light' : 'on-dark'} />
                        {text && <text x={middle(text[0], text[1])[0]} y={middle(text[0], text[1])[1]} class="contour-label">{withUnit(level, grid.unit, 2)}</text>}
                    </g>
                );
            })}
            {grid.known.map(({ i, j }) => <circle cx={middle(i, j)[0]} cy={middle(i, j)[1]} r={2.5} class="measured" />)}
            <rect x={x(grid.here[0])} y={y(grid.here[1])} width={cell.width} height={cell.height} class="here" />
            {read && <rect x={x(read[0])} y={y(read[1])} width={cell.width} height={cell.height} class="read" />}
            {across.stops.map((v, i) => i % everyX === 0 && <text x={x(i + 0.5)} y={height - margin.bottom + 18} class="x-label">{exact(v)}</text>)}
            {up.stops.map((v, j) => j % everyY === 0 && <text x={margin.left - 8} y={y(j) + cell.height / 2} class="y-label">{exact(v)}</text>)}
            <text x={width - margin.right} y={height - 6} class="axis-name end">{across.name}</text>
            <text x={0} y={12} class="axis-name italic">{up.name}</text>
        </svg>
    );
}

const kinds: [string, string][] = [['heat', 'heat map'], ['contours', 'contours'], ['surface', 'surface']];

/** A grid as a figure: heat map, contours or surface, turned and laid out as one chooses. */
export function GridFigure({ view, grid, title, notes, children }: { view: View; grid: Grid; title: string; notes: { flat: string; surface: string }; children?: ComponentChildren }): JSX.Element {
    const { experiment, state, change } = view;
    const { parameters } = experiment.header;
    const { across, up, varied } = sidesOf(view);
    const [element, width] = useWidth();
    const [at, setAt] = useState<[number, number] | null>(null);
    const kind = kinds.find(([name]) => name === state.field)?.[0] ?? 'heat';
    const turn = isFinite(Number(state.turn)) && state.turn ? Number(state.turn) : 35;
    const { values, unit } = grid;
    const tell = grid.tell ?? ((i: number, j: number) => withUnit(values[j][i], unit, 4));
    const ends = [grid.across.stops.length - 1, grid.up.stops.length - 1];
    const inside = (place: number[]) => place.map((v, k) => Math.min(ends[k], Math.max(0, v))) as [number, number];
    const read = at && inside(at); // the grid may have become smaller
    const step = (event: KeyboardEvent) => {
        if (event.key === 'Escape') setAt(null);
        const turn = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
        if (!turn) return;
        event.preventDefault();
        // Begins where the sliders stand.
        setAt(read ? inside([read[0] + turn[0], read[1] + turn[1]]) : inside(grid.here));
    };
    const text = ([i, j]: [number, number]) => `${grid.across.name} = ${exact(grid.across.stops[i])}, ${grid.up.name} = ${exact(grid.up.stops[j])}: ${tell(i, j)}`;
    const options = (other: number, own: number): [string, string][] => varied.filter((v) => v !== other || v === own).map((v) => [parameters[v], parameters[v]]);
    return (
        <FigureFrame title={title} note={kind === 'surface' ? notes.surface : notes.flat}
            controls={
                <>
                    <Choice label="as" value={kind} options={kinds} choose={(value) => change({ field: value === 'heat' ? '' : value })} />
                    {varied.length > 2 && <><Choice label="across" value={parameters[across]} options={options(up, across)} choose={(value) => change({ hx: value })} /><Choice label="upwards" value={parameters[up]} options={options(across, up)} choose={(value) => change({ hy: value })} /></>}
                    {kind === 'surface' && <label class="toggle">turned by <input type="range" min={0} max={355} step={5} value={turn} aria-label="turned by" aria-valuetext={`${turn}°`} style={{ '--measured': '0%' }} onInput={(event) => change({ turn: (event.target as HTMLInputElement).value })} /></label>}
                </>
            }
            table={() => ({
                head: [grid.across.name, grid.up.name, unit ? `value [${unit}]` : 'value', ...(grid.tell ? ['what'] : [])],
                rows: values.flatMap((row, j) => row.map((v, i) => [grid.across.stops[i], grid.up.stops[j], v, ...(grid.tell ? [tell(i, j)] : [])])),
            })}>
            <div ref={element} class="plot" role="group" tabIndex={0} aria-label={`${title}; arrow keys read values`} onKeyDown={step}>
                {kind === 'surface' ? <Surface grid={grid} width={width} turn={turn} read={read} look={setAt} /> : <HeatMap grid={grid} width={width} withLines={kind === 'contours'} read={read} look={setAt} />}
                {!grid.fill && <div class="ramp" aria-hidden="true"><span>{withUnit(grid.low, unit)}</span><span class="ramp-bar" /><span>{withUnit(grid.high, unit)}</span></div>}
                <output class="readout" aria-live="polite">{read ? text(read) : '\u00a0'}</output>
            </div>
            {children}
        </FigureFrame>
    );
}

/** One region over two parameters. */
export function Field({ view, model, details }: { view: View; model: number; details: Details }): JSX.Element {
    const { experiment, place } = view;
    const { parameters, measured } = experiment.header;
    const { across, up } = sidesOf(view);
    const grid = useMemo(() => {
        const values = placesOf(view).map((row) => row.map((where) => experiment.at(model, where).value));
        const point = pointOf(view);
        const known = (details.measurements ?? []).filter((m) => measured[m.point].every((v, k) => k === across || k === up || v === point[k]))
            .map((m) => ({ i: experiment.stop(across, measured[m.point][across]), j: experiment.stop(up, measured[m.point][up]), value: m.value }));
        return gridOf(view, values, experiment.unit(model), known);
    }, [experiment, model, across, up, place.join()]);
    return (
        <GridFigure view={view} grid={grid} title={`Over ${parameters[across]} and ${parameters[up]}`}
            notes={{ flat: 'Light is large. Dots are where it was measured, the frame is where the sliders stand.', surface: 'Light and high is large. Dots are what was measured, the ring is where the sliders stand.' }} />
    );
}
