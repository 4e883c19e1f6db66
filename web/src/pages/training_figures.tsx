// How a training scales, drawn: the parts of a step, efficiency with its factors, and times.

import type { JSX } from 'preact';
import type { Training, TrainingPoint } from '../documents';
import { exact, level, percent, range, withUnit } from '../format';
import { FigureFrame } from '../plot/frame';
import { Plot, type Layer } from '../plot/plot';
import type { Change, State } from '../state';
import { palette, rest } from '../view';
import { Choice } from './parts';

export const least = 0.8; // the efficiency that `plimsoll training` draws the line at

/** Points that differ in their number of processes alone, by rising number. */
export interface Line {
    label: string;
    parameter: string;
    points: TrainingPoint[];
}

type Factor = [name: string, of: (point: TrainingPoint) => number | null | undefined];

const factors: Factor[] = [
    ['efficiency', (p) => p.efficiency],
    ['parallel efficiency', (p) => p.factors?.parallel_efficiency],
    ['load balance', (p) => p.factors?.load_balance],
    // Without other processes of the same run it is the parallel efficiency over again.
    ['communication efficiency', (p) => (p.factors?.load_balance == null ? null : p.factors.communication_efficiency)],
    ['computation scalability', (p) => p.factors?.computation_scalability],
];

/** Points of known efficiency. */
export const knownOf = ({ points }: Line): TrainingPoint[] => points.filter((p) => p.efficiency !== null);

/** The last point before efficiency falls below the line, among those of known efficiency. */
export function lastEfficient(line: Line): TrainingPoint | undefined {
    const known = knownOf(line);
    const fall = known.findIndex((p) => p.efficiency! < least);
    return known[(fall < 0 ? known.length : fall) - 1];
}

/** What efficiency is where it is not the usual one, whose values no line of 80 % belongs to. */
export const extraDeep = 'By Extra-Deep, efficiency is the share by which the time falls, by the share by which the processes grow: perfect scaling from 1 to 4 processes has 25 %.';
export const isExtraDeep = (training: Training) => training.efficiency_definition === 'extra-deep';

/** What a step spends its time with; none where no device was traced. */
function partsOf(line: Line): { name: string; color: string; of: (p: TrainingPoint) => number }[] {
    const hasIdle = line.points.some((p) => p.parts_s && p.parts_s.idle !== null);
    const tail = hasIdle
        ? [
            { name: 'moving memory', color: palette[2], of: (p: TrainingPoint) => p.parts_s!.rest - (p.parts_s!.idle ?? 0) },
            { name: 'idle: waits for input, host or others', color: rest, of: (p: TrainingPoint) => p.parts_s!.idle ?? 0 },
        ]
        : [{ name: 'rest: moving memory, waiting for input, host or others', color: rest, of: (p: TrainingPoint) => p.parts_s!.rest }];
    return [
        { name: 'computing', color: palette[0], of: (p) => p.parts_s!.computation },
        { name: 'communication alone', color: palette[1], of: (p) => p.parts_s!.exposed_communication },
        ...tail,
    ];
}

export interface PageProps {
    line: Line;
    training: Training;
    state: State;
    change: Change;
}

const isLog = (x: number[]) => x[0] > 0 && x.length > 1;

export function StepFigure({ line, training, state, change }: PageProps): JSX.Element | null {
    const shown = line.points.filter((p) => p.parts_s && p.step_s);
    if (shown.length === 0) return null;
    const isShare = state.stack === 'share';
    const x = shown.map((p) => p.processes);
    const parts = partsOf({ ...line, points: shown });
    const scale = (p: TrainingPoint) => (isShare ? 1 / p.step_s!.value : 1);
    // A single configuration is drawn as wide as a bar.
    const edges = x.length > 1 ? x : [x[0] * 0.9, x[0] * 1.1];
    const at = (i: number) => shown[x.length > 1 ? i : 0];
    let low = edges.map(() => 0);
    const layers: Layer[] = parts.map(({ color, of }) => {
        const high = low.map((v, i) => v + Math.max(0, of(at(i))) * scale(at(i)));
        const layer: Layer = { kind: 'band', color, x: edges, low, high, strong: true };
        low = high;
        return layer;
    });
    if (!isShare) layers.push({ kind: 'points', color: 'var(--ink)', x, y: shown.map((p) => p.step_s!.value), low: shown.map((p) => p.step_s!.low), high: shown.map((p) => p.step_s!.high) });
    const title = 'What a step spends its time with';
    return (
        <FigureFrame title={title} note={isShare ? 'Shares of the step.' : `Stacked; dots are the step's own model, with its ${level(training.coverage)} interval.`}
            controls={<label class="toggle"><input type="checkbox" checked={isShare} onChange={() => change({ stack: isShare ? '' : 'share' })} />shares</label>}
            table={() => ({
                head: [line.parameter, ...parts.map((part) => `${part.name} [s]`), 'step [s]', 'low [s]', 'high [s]'],
                rows: shown.map((p) => [p.processes, ...parts.map((part) => part.of(p)), p.step_s!.value, p.step_s!.low, p.step_s!.high]),
            })}>
            <Plot label={title} x={{ name: line.parameter, log: isLog(x), ticksAt: x, low: edges[0], high: edges[edges.length - 1] }}
                y={{ name: isShare ? 'share of the step' : 'time of a step', unit: 's', log: false, low: 0, high: isShare ? 1 : undefined, percent: isShare }} layers={layers} stops={x}
                readout={(v) => {
                    const p = shown[x.indexOf(v)];
                    return `${line.parameter} = ${exact(v)}: ${parts.map(({ name, of }) => `${name.split(':')[0]} ${isShare ? percent(of(p) / p.step_s!.value) : withUnit(of(p), 's')}`).join(', ')}`;
                }} />
            <Legend items={parts.map(({ name, color }) => [name, color])} />
        </FigureFrame>
    );
}

function Legend({ items }: { items: [string, string][] }): JSX.Element {
    return <ul class="legend">{items.map(([name, color]) => <li><span class="swatch" style={{ background: color }} />{name}</li>)}</ul>;
}

export function FactorFigure({ line, training }: PageProps): JSX.Element | null {
    const { points } = line;
    const shown = factors.filter(([, of]) => points.some((p) => of(p) != null));
    if (shown.length === 0) return null;
    const x = points.map((p) => p.processes);
    const values = shown.map(([, of]) => points.map((p) => of(p) ?? NaN));
    const colors = ['var(--ink)', ...palette];
    const colorOf = (name: string) => colors[factors.findIndex(([own]) => own === name)];
    const layers: Layer[] = shown.map(([name], i) => ({ kind: 'line', color: colorOf(name), x, y: values[i], thin: name !== 'efficiency' }));
    shown.forEach(([name], i) => layers.push({ kind: 'points', color: colorOf(name), x, y: values[i] }));
    const end = lastEfficient(line);
    const known = knownOf(line);
    if (known.length > 0 && !isExtraDeep(training)) {
        layers.push({ kind: 'mark', color: 'var(--load)', y: least, label: `${percent(least, 0)} efficiency`, atEnd: true });
        if (end && end !== known[known.length - 1]) layers.push({ kind: 'mark', color: 'var(--load)', x: end.processes, label: `${exact(end.processes)} processes`, strong: true });
    }
    const finite = values.flat().filter((v) => isFinite(v));
    const highest = Math.max(1, ...finite);
    return (
        <FigureFrame title="Efficiency and its factors" note={`${isExtraDeep(training) ? `${extraDeep} ` : ''}Parallel efficiency is load balance times communication efficiency, by POP's methodology.`}
            table={() => ({ head: [line.parameter, ...shown.map(([name]) => name)], rows: points.map((p, i) => [p.processes, ...values.map((v) => v[i])]) })}>
            <Plot label="Efficiency and its factors" x={{ name: line.parameter, log: isLog(x), ticksAt: x }} y={{ name: 'efficiency', unit: '', log: false, low: Math.min(0, ...finite), high: 1.06 * highest, percent: true }} layers={layers} stops={x}
                readout={(v) => { const i = x.indexOf(v); return `${line.parameter} = ${exact(v)}: ${shown.map(([name], k) => `${name} ${percent(values[k][i])}`).join(', ')}`; }} />
            <Legend items={shown.map(([name]) => [name, colorOf(name)])} />
        </FigureFrame>
    );
}

const spans = { epoch_s: 'an epoch', training_s: 'the whole training', step_s: 'a step' } as const;
type Span = keyof typeof spans;

export function TimeFigure({ line, training, state, change }: PageProps): JSX.Element | null {
    const known = (Object.keys(spans) as Span[]).filter((span) => line.points.some((p) => p[span]));
    if (known.length === 0) return null;
    const span = known.find((name) => name === state.span) ?? known[0];
    const shown = line.points.filter((p) => p[span]);
    const x = shown.map((p) => p.processes);
    const times = shown.map((p) => p[span]!);
    const isLogY = state.yscale === 'log';
    const title = `Time of ${spans[span]}`;
    return (
        <FigureFrame title={title} note={`The band is the ${level(training.coverage)} interval.`}
            controls={
                <>
                    <Choice label="of" value={span} options={known.map((name) => [name, spans[name]])} choose={(value) => change({ span: value })} />
                    <label class="toggle"><input type="checkbox" checked={isLogY} onChange={() => change({ yscale: isLogY ? 'linear' : 'log' })} />log time</label>
                </>
            }
            table={() => ({ head: [line.parameter, 'time [s]', 'low [s]', 'high [s]', 'process hours'], rows: shown.map((p, i) => [p.processes, times[i].value, times[i].low, times[i].high, p.process_hours]) })}>
            <Plot label={title} x={{ name: line.parameter, log: isLog(x), ticksAt: x }} y={{ name: 'time', unit: 'duration', log: isLogY }} stops={x}
                layers={[
                    { kind: 'band', color: 'var(--c1)', x, low: times.map((t) => t.low), high: times.map((t) => t.high) },
                    { kind: 'line', color: 'var(--c1)', x, y: times.map((t) => t.value) },
                    { kind: 'points', color: 'var(--c1)', x, y: times.map((t) => t.value), low: times.map((t) => t.low), high: times.map((t) => t.high) },
                ]}
                readout={(v) => { const t = times[x.indexOf(v)]; return `${line.parameter} = ${exact(v)}: ${withUnit(t.value, 'duration', 4)}, ${level(training.coverage)} within ${range(t.low, t.high, 'duration')}`; }} />
        </FigureFrame>
    );
}
