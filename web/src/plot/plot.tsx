// Lines, bands, areas and measured points on one pair of axes, drawn as SVG: it prints and saves as it stands.

import { useState } from 'preact/hooks';
import { exact, plain, scaleOf } from '../format';
import { useWidth } from './frame';
import { arePowersOfTwo, makeScale, scaleFor, ticks, ticksOfTwo, type Scale } from './scale';

export interface Line {
    kind: 'line';
    color: string;
    x: number[];
    y: number[];
    dashed?: boolean;
    thin?: boolean;
    label?: string;
}
export interface Band {
    kind: 'band';
    color: string;
    x: number[];
    low: number[];
    high: number[];
    strong?: boolean;
}
export interface Points {
    kind: 'points';
    color: string;
    x: number[];
    y: number[];
    low?: number[];
    high?: number[];
    /** Ends along the x axis. */
    before?: number[];
    behind?: number[];
    small?: boolean;
    large?: boolean;
    /** Written beside each point. */
    labels?: string[];
}
export interface Mark {
    kind: 'mark';
    color: string;
    x?: number;
    y?: number;
    label: string;
    strong?: boolean;
    /** Of a level: its label stands at the right end. */
    atEnd?: boolean;
}
export type Layer = Line | Band | Points | Mark;

export interface PlotProps {
    label: string;
    x: { name: string; log: boolean; unit?: string; ticksAt?: number[]; low?: number; high?: number };
    y: { name: string; unit: string; log: boolean; low?: number; high?: number; percent?: boolean; fromZero?: boolean };
    layers: Layer[];
    height?: number;
    /** What a place on the x axis shows, as text; stops are what the arrow keys go along. */
    stops?: number[];
    readout?: (x: number) => string;
    /** Right of the drawing, in pixels, for labels of lines. */
    room?: number;
}

function path(points: [number, number][]): string {
    let text = '';
    let isDown = false;
    for (const [x, y] of points) {
        if (!isFinite(x) || !isFinite(y)) {
            isDown = false;
            continue;
        }
        text += `${isDown ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
        isDown = true;
    }
    return text;
}

/** Ticks that are round in the unit that they are written in: a day has 24 hours, and not 100 000 s. */
function ticksIn(scale: Scale, unit: string | undefined, most: number): number[] {
    if (unit !== 'duration') return ticks(scale, most);
    const [size] = scaleOf(scale.high, unit);
    return ticks(makeScale(scale.low / size, scale.high / size, scale.log), most).map((value) => value * size);
}

function hasOneDigit(value: number): boolean {
    return Math.abs(Number(value.toPrecision(1)) - value) <= 1e-9 * Math.abs(value);
}

function xText(value: number): string {
    return value >= 1e6 || (value < 1e-3 && value > 0) ? plain(value, 2) : exact(Number(value.toPrecision(12)));
}

/** The ring with a line through it that ships carry. */
export function LoadMark({ x, y, size }: { x: number; y: number; size: number }) {
    return (
        <g class="load-mark" transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}>
            <circle r={size * 0.6} fill="none" stroke-width={size * 0.16} />
            <line x1={-size} x2={size} y1={0} y2={0} stroke-width={size * 0.2} />
        </g>
    );
}

function valuesOf(layers: Layer[], axis: 'x' | 'y'): number[] {
    return layers.flatMap((layer) => {
        if (layer.kind === 'mark') return layer[axis] === undefined ? [] : [layer[axis]!];
        if (axis === 'x') return layer.kind === 'points' ? [...layer.x, ...(layer.before ?? []), ...(layer.behind ?? [])] : layer.x;
        if (layer.kind === 'band') return [...layer.low, ...layer.high];
        return layer.kind === 'points' ? [...layer.y, ...(layer.low ?? []), ...(layer.high ?? [])] : layer.y;
    });
}

export function Plot({ label, x, y, layers, height = 320, stops, readout, room = 18 }: PlotProps) {
    const [element, width] = useWidth();
    const [at, setAt] = useState<number | null>(null);
    const margin = { left: 62, right: room, top: 30, bottom: 44 };
    const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };

    let sx = scaleFor(valuesOf(layers, 'x'), x.log, false);
    sx = makeScale(x.low ?? sx.low, x.high ?? sx.high, x.log);
    let sy = scaleFor(valuesOf(layers, 'y'), y.log, y.fromZero ?? true);
    sy = makeScale(y.low ?? sy.low, y.high ?? sy.high, y.log);
    const px = (value: number) => margin.left + inner.width * sx.place(value);
    const py = (value: number) => margin.top + inner.height * (1 - Math.min(2, Math.max(-1, sy.place(value))));
    const fewer = Math.max(3, Math.floor(inner.width / 72));
    const xTicks = x.log && x.ticksAt && arePowersOfTwo(x.ticksAt) ? ticksOfTwo(sx, fewer) : ticksIn(sx, x.unit, fewer);
    const yTicks = ticksIn(sy, y.unit, Math.max(4, Math.floor(inner.height / 42)));
    const [xScale, xUnit] = scaleOf(Math.max(...xTicks.map(Math.abs)), x.unit ?? '');
    const [yScale, yUnit] = y.percent ? [0.01, '%'] : scaleOf(Math.max(...yTicks.map(Math.abs)), y.unit);
    const yText = (value: number) => (y.percent ? `${Number((100 * value).toPrecision(3))} %`.replace('-', '−') : plain(value / yScale, hasOneDigit(value / yScale) ? 1 : 4).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''));
    const clip = `clip-${label.replace(/\W+/g, '').slice(0, 24)}-${Math.round(inner.width)}-${Math.round(inner.height)}`;

    const nearest = (value: number, list: number[]) =>
        list.reduce((best, stop) => (Math.abs(sx.place(stop) - sx.place(value)) < Math.abs(sx.place(best) - sx.place(value)) ? stop : best), list[0]);
    const inView = (stops ?? []).filter((stop) => stop >= sx.low && stop <= sx.high);
    const look = (event: PointerEvent) => {
        if (inView.length === 0) return;
        const box = (event.currentTarget as SVGSVGElement).getBoundingClientRect();
        const place = ((event.clientX - box.left) * (width / box.width) - margin.left) / inner.width;
        setAt(nearest(sx.value(Math.min(1, Math.max(0, place))), inView));
    };
    const step = (event: KeyboardEvent) => {
        // What is read stays when the focus goes: if lines below moved then, a click on them would miss.
        if (event.key === 'Escape') setAt(null);
        const turn = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!turn || inView.length === 0) return;
        event.preventDefault();
        const place = at === null ? (turn > 0 ? -1 : inView.length) : inView.indexOf(at);
        setAt(inView[Math.min(inView.length - 1, Math.max(0, place + turn))]);
    };
    const zero = sy.log ? sy.low : Math.max(sy.low, Math.min(sy.high, 0));

    const draw = (layer: Layer, i: number) => {
        switch (layer.kind) {
            case 'band': {
                const up = layer.x.map((v, k): [number, number] => [px(v), py(layer.high[k])]);
                const down = layer.x.map((v, k): [number, number] => [px(v), py(Math.max(layer.low[k], sy.log ? sy.low / 10 : -Infinity))]).reverse();
                const all = [...up, ...down].filter(([a, b]) => isFinite(a) && isFinite(b));
                if (all.length === 0) return null;
                return <path key={i} d={`${path(all)}Z`} style={{ fill: layer.color }} class={layer.strong ? 'area' : 'band'} />;
            }
            case 'line':
                return <path key={i} d={path(layer.x.map((v, k) => [px(v), py(layer.y[k])]))} style={{ stroke: layer.color }}
                    class={`line${layer.dashed ? ' dashed' : ''}${layer.thin ? ' thin' : ''}`} />;
            case 'points':
                return (
                    <g key={i} style={{ stroke: layer.color, fill: layer.color }}>
                        {layer.x.map((v, k) => {
                            const cx = px(v);
                            const cy = py(layer.y[k]);
                            if (!isFinite(cx) || !isFinite(cy)) return null;
                            if (layer.small) return <circle cx={cx} cy={cy} r={1.6} class="run" />;
                            const top = layer.high ? py(layer.high[k]) : cy;
                            const bottom = layer.low ? py(layer.low[k]) : cy;
                            const left = layer.before ? px(layer.before[k]) : cx;
                            const right = layer.behind ? px(layer.behind[k]) : cx;
                            const isFar = cx > margin.left + 0.66 * inner.width;
                            return (
                                <g>
                                    {right > left && <path class="error" d={`M${left} ${cy}H${right}M${left} ${cy - 3.5}v7M${right} ${cy - 3.5}v7`} />}
                                    {layer.labels && <text x={isFar ? cx - 9 : cx + 9} y={cy - 8} class="point-label" style={{ textAnchor: isFar ? 'end' : 'start' }}>{layer.labels[k]}</text>}
                                    {layer.high && <path class="error" d={`M${cx} ${bottom}V${top}M${cx - 3.5} ${top}h7M${cx - 3.5} ${bottom}h7`} />}
                                    <circle cx={cx} cy={cy} r={layer.large ? 5.6 : 3.4} class="point" />
                                </g>
                            );
                        })}
                    </g>
                );
            case 'mark': {
                if (layer.x !== undefined) {
                    const place = px(layer.x);
                    const right = place < margin.left + 0.7 * inner.width;
                    return (
                        <g key={i} class={layer.strong ? 'mark strong' : 'mark'} style={{ stroke: layer.color }}>
                            <line x1={place} x2={place} y1={margin.top} y2={margin.top + inner.height} />
                            <text x={right ? Math.max(place, margin.left + 76) : place} y={margin.top - 9} style={{ fill: layer.color, textAnchor: right ? 'start' : 'end' }}>{layer.label}</text>
                        </g>
                    );
                }
                const place = py(layer.y!);
                return (
                    <g key={i} class="mark" style={{ stroke: layer.color }}>
                        <line x1={margin.left} x2={margin.left + inner.width} y1={place} y2={place} />
                        <text x={layer.atEnd ? margin.left + inner.width : margin.left + 6} y={place - 6} style={{ fill: layer.color, textAnchor: layer.atEnd ? 'end' : 'start' }}>{layer.label}</text>
                    </g>
                );
            }
        }
    };
    const strong = layers.find((layer): layer is Mark => layer.kind === 'mark' && !!layer.strong && layer.x !== undefined);
    const level = layers.find((layer): layer is Mark => layer.kind === 'mark' && layer.y !== undefined);

    return (
        <div class="plot" ref={element} role="group" aria-label={`${label}${inView.length > 0 ? '; arrow keys read values' : ''}`} tabIndex={inView.length > 0 ? 0 : undefined}
            onKeyDown={step}>
            <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label} onPointerMove={look} onPointerLeave={() => setAt(null)}>
                <clipPath id={clip}><rect x={margin.left - 6} y={margin.top - 6} width={inner.width + 12} height={inner.height + 6} /></clipPath>
                {yTicks.map((value) => (
                    <g class="tick">
                        <line x1={margin.left} x2={margin.left + inner.width} y1={py(value)} y2={py(value)} class="grid" />
                        <text x={margin.left - 8} y={py(value)} class="y-label">{yText(value)}</text>
                    </g>
                ))}
                {xTicks.map((value) => (
                    <g class="tick">
                        <line x1={px(value)} x2={px(value)} y1={margin.top + inner.height} y2={margin.top + inner.height + 4} class="axis" />
                        <text x={px(value)} y={margin.top + inner.height + 18} class="x-label">{xText(value / xScale)}</text>
                    </g>
                ))}
                <line x1={margin.left} x2={margin.left + inner.width} y1={py(zero)} y2={py(zero)} class="axis" />
                <text x={margin.left + inner.width} y={height - 6} class="axis-name end">{x.name}{xUnit ? `, ${xUnit}` : ''}</text>
                <text x={0} y={margin.top - 14} class="axis-name">{y.name}{yUnit && !y.percent ? `, ${yUnit}` : ''}</text>
                <g clip-path={`url(#${clip})`}>{layers.filter((layer) => layer.kind !== 'mark').map(draw)}</g>
                {layers.filter((layer) => layer.kind === 'mark').map(draw)}
                {strong && level && <LoadMark x={px(strong.x!)} y={py(level.y!)} size={14} />}
                {at !== null && <line data-screen class="cursor" x1={px(at)} x2={px(at)} y1={margin.top} y2={margin.top + inner.height} />}
            </svg>
            <output class="readout" aria-live="polite">{at !== null && readout ? readout(at) : '\u00a0'}</output>
        </div>
    );
}

export type { Scale };
