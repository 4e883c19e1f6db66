// One region over two parameters at once: a field for each pair of stops, dark where it is cheap.

import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Details } from '../data';
import { exact, withUnit } from '../format';
import { pointOf, type View } from '../view';
import { FigureFrame, useWidth } from './frame';

// From dark blue to yellow by even steps of lightness, so that it reads in grey and to all eyes.
const ramp = [[13, 34, 77], [52, 70, 108], [96, 105, 118], [139, 140, 122], [190, 179, 103], [245, 226, 92]];

function color(share: number): string {
    const place = Math.min(1, Math.max(0, share)) * (ramp.length - 1);
    const i = Math.min(ramp.length - 2, Math.floor(place));
    const mix = ramp[i].map((c, k) => Math.round(c + (place - i) * (ramp[i + 1][k] - c)));
    return `rgb(${mix.join(',')})`;
}

export function HeatMap({ view, model, details }: { view: View; model: number; details: Details }): JSX.Element {
    const { experiment, place, state, change } = view;
    const { parameters, axes, measured } = experiment.header;
    const varied = parameters.map((_, k) => k).filter((k) => axes[k].length > 1);
    const a = Math.max(0, varied.indexOf(parameters.indexOf(state.hx ?? '')));
    const across = varied[a];
    const up = varied.find((k) => k !== across && parameters[k] === state.hy) ?? varied.find((k) => k !== across)!;
    const [element, width] = useWidth();
    const [at, setAt] = useState<[number, number] | null>(null);
    const unit = experiment.unit(model);
    const values = useMemo(
        () => axes[up].map((_, j) => axes[across].map((__, i) => experiment.at(model, place.map((p, k) => (k === across ? i : k === up ? j : p))).value)),
        [model, across, up, place.join()],
    );
    const flat = values.flat().filter((v) => isFinite(v));
    const low = Math.min(...flat);
    const high = Math.max(...flat);
    const log = low > 0 && high / low > 10;
    const share = (v: number) => (high === low ? 0.5 : log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low));
    const margin = { left: 62, right: 10, top: 26, bottom: 44 };
    const height = 320;
    const cell = { width: (width - margin.left - margin.right) / axes[across].length, height: (height - margin.top - margin.bottom) / axes[up].length };
    const x = (i: number) => margin.left + i * cell.width;
    const y = (j: number) => height - margin.bottom - (j + 1) * cell.height;
    const point = pointOf(view);
    const known = new Set((details.measurements ?? []).map((m) => measured[m.point]).filter((p) => p.every((v, k) => k === across || k === up || v === point[k])).map((p) => `${experiment.stop(across, p[across])},${experiment.stop(up, p[up])}`));
    const everyX = Math.max(1, Math.ceil(48 / cell.width));
    const everyY = Math.max(1, Math.ceil(18 / cell.height));
    const text = ([i, j]: [number, number]) => `${parameters[across]} = ${exact(axes[across][i])}, ${parameters[up]} = ${exact(axes[up][j])}: ${withUnit(values[j][i], unit, 4)}`;
    const choose = (name: 'hx' | 'hy', k: number, other: number) => (
        <select value={parameters[k]} aria-label={name === 'hx' ? 'across' : 'upwards'} onChange={(event) => change({ [name]: (event.target as HTMLSelectElement).value })}>
            {varied.filter((v) => v !== other || v === k).map((v) => <option>{parameters[v]}</option>)}
        </select>
    );
    return (
        <FigureFrame title={`Over ${parameters[across]} and ${parameters[up]}`} note="Light is large. Dots are where it was measured, the frame is where the sliders stand."
            controls={varied.length > 2 ? <>across {choose('hx', across, up)} upwards {choose('hy', up, across)}</> : undefined}
            table={() => ({ head: [parameters[across], parameters[up], unit ? `value [${unit}]` : 'value'], rows: values.flatMap((row, j) => row.map((v, i) => [axes[across][i], axes[up][j], v])) })}>
            <div ref={element} class="plot">
                <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={`Heat map over ${parameters[across]} and ${parameters[up]}`} onPointerLeave={() => setAt(null)}>
                    {values.map((row, j) => row.map((v, i) => (
                        <rect x={x(i)} y={y(j)} width={cell.width + 0.5} height={cell.height + 0.5} shape-rendering="crispEdges" fill={isFinite(v) ? color(share(v)) : 'none'} onPointerEnter={() => setAt([i, j])} />
                    )))}
                    {[...known].map((key) => { const [i, j] = key.split(',').map(Number); return <circle cx={x(i + 0.5)} cy={y(j) + cell.height / 2} r={2.5} class="measured" />; })}
                    <rect x={x(place[across])} y={y(place[up])} width={cell.width} height={cell.height} class="here" />
                    {axes[across].map((v, i) => i % everyX === 0 && <text x={x(i + 0.5)} y={height - margin.bottom + 18} class="x-label">{exact(v)}</text>)}
                    {axes[up].map((v, j) => j % everyY === 0 && <text x={margin.left - 8} y={y(j) + cell.height / 2} class="y-label">{exact(v)}</text>)}
                    <text x={width - margin.right} y={height - 6} class="axis-name end">{parameters[across]}</text>
                    <text x={0} y={12} class="axis-name italic">{parameters[up]}</text>
                </svg>
                <div class="ramp" aria-hidden="true"><span>{withUnit(low, unit)}</span><span class="ramp-bar" /><span>{withUnit(high, unit)}</span></div>
                <output class="readout" aria-live="polite">{at ? text(at) : '\u00a0'}</output>
            </div>
        </FigureFrame>
    );
}
