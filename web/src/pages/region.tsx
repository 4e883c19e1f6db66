// Can this model be believed, and what does it say of larger runs?

import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Between, Name, Quality, Share, Value } from '../cells';
import type { Details, Measurement } from '../data';
import { evaluate } from '../evaluate';
import { assignments, exact, level, percent, plain, withUnit } from '../format';
import { Formula, Growth } from '../formula';
import { Field } from '../plot/field';
import { FigureFrame } from '../plot/frame';
import { Plot, type Layer } from '../plot/plot';
import { link } from '../state';
import { palette, pointOf, type View } from '../view';
import { scaleParameter } from './overview';

function Path({ view, model }: { view: View; model: number }): JSX.Element {
    const pieces = view.experiment.ancestors(model);
    const { state, experiment, metric } = view;
    return (
        <nav class="path" aria-label="Call path">
            {pieces.map((piece) => {
                const hasPage = piece.region >= 0 && experiment.find(experiment.header.regions[piece.region], metric) >= 0;
                return <>{hasPage ? <a href={link(state, { region: experiment.header.regions[piece.region] })}><bdi>{piece.name}</bdi></a> : <bdi>{piece.name}</bdi>}<span class="dim"> → </span></>;
            })}
        </nav>
    );
}

/** Measurements whose other parameters are those of a point. */
function along(view: View, details: Details, k: number, point: number[]): Measurement[] {
    const { measured } = view.experiment.header;
    return (details.measurements ?? []).filter((m) => measured[m.point].every((v, j) => j === k || v === point[j]));
}

/** A place where a choice of a figure is kept in the address. */
function Toggle({ view, name, label, standard }: { view: View; name: string; label: string; standard: boolean }) {
    const isOn = view.state[name] === undefined ? standard : view.state[name] === 'log';
    return (
        <label class="toggle">
            <input type="checkbox" checked={isOn} onChange={() => view.change({ [name]: isOn ? 'linear' : 'log' })} />
            {label}
        </label>
    );
}

interface Axis {
    k: number;
    log: boolean;
    yLog: boolean;
}

function axisOf(view: View): Axis {
    const { parameters, axes } = view.experiment.header;
    const wanted = parameters.indexOf(view.state.x ?? '');
    const k = wanted >= 0 ? wanted : scaleParameter(view);
    const canLog = axes[k][0] > 0;
    return { k, log: canLog && (view.state.xscale ?? 'log') === 'log', yLog: view.state.yscale === 'log' };
}

function ModelFigure({ view, model, details }: { view: View; model: number; details: Details }): JSX.Element {
    const { experiment, place } = view;
    const { parameters, axes, measured, largest, has_intervals, coverage, metrics, smallest } = experiment.header;
    const unit = experiment.unit(model);
    const { k, log, yLog } = axisOf(view);
    const [others, setOthers] = useState(false);
    const furthest = Math.max(axes[k][place[k]], largest[k]);
    const sight = view.state.sight === 'all' ? axes[k][axes[k].length - 1] : furthest;
    const stops = axes[k].filter((v) => v <= sight);
    const at = (v: number) => experiment.at(model, place.map((i, j) => (j === k ? axes[k].indexOf(v) : i)));
    const point = pointOf(view);
    const values = stops.map(at);
    const layers: Layer[] = [];
    const second = parameters.findIndex((_, j) => j !== k && axes[j].length > 1);
    const family: { value: number; color: string }[] = [];
    if (second >= 0) {
        const known = [...new Set(measured.map((p) => p[second]))].sort((a, b) => a - b);
        const list = known.length > 0 ? known : [smallest[second], largest[second]];
        const step = Math.max(1, Math.ceil(list.length / 5));
        list.filter((v, i) => i % step === 0 && v !== point[second]).slice(0, 5).forEach((value, i) => family.push({ value, color: palette[(i + 1) % palette.length] }));
    }
    const lineOf = (value: number) => stops.map((v) => experiment.at(model, place.map((i, j) => (j === k ? axes[k].indexOf(v) : j === second ? experiment.stop(second, value) : i))).value);
    if (has_intervals) layers.push({ kind: 'band', color: 'var(--c1)', x: stops, low: values.map((v) => v.low), high: values.map((v) => v.high) });
    for (const f of family) layers.push({ kind: 'line', thin: true, color: f.color, x: stops, y: lineOf(f.value) });
    if (others && details.alternatives) {
        details.alternatives.forEach((form, i) => layers.push({
            kind: 'line', thin: true, dashed: true, color: palette[(i + 1) % palette.length], x: stops,
            y: stops.map((v) => evaluate(form.function, Object.fromEntries(parameters.map((name, j) => [name, j === k ? v : point[j]])))),
        }));
    }
    layers.push({ kind: 'line', color: 'var(--c1)', x: stops, y: values.map((v) => v.value) });
    const points = (list: Measurement[], color: string) => {
        const shown = list.filter((m) => measured[m.point][k] <= sight);
        for (const m of shown) {
            const x = measured[m.point][k];
            if (m.repetitions && m.repetitions.length > 1) layers.push({ kind: 'points', small: true, color, x: m.repetitions.map(() => x), y: m.repetitions });
        }
        const ends = shown.map((m) => m.range ?? (m.repetitions && m.repetitions.length > 1 ? [Math.min(...m.repetitions), Math.max(...m.repetitions)] : [m.value, m.value]));
        layers.push({ kind: 'points', color, x: shown.map((m) => measured[m.point][k]), y: shown.map((m) => m.value), low: ends.map((e) => e[0]!), high: ends.map((e) => e[1]!) });
    };
    for (const f of family) points(along(view, details, k, point.map((v, j) => (j === second ? f.value : v))), f.color);
    points(along(view, details, k, point), 'var(--ink)');
    const before = experiment.comparison?.by === 'measurements'
        ? experiment.comparison.changes.find((c) => c.region === view.state.region && c.metric === metrics[view.metric].name) : undefined;
    const old = (before?.points ?? []).filter((p) => p.at[parameters[k]] <= sight && parameters.every((n, j) => j === k || p.at[n] === point[j]));
    if (old.length > 0) layers.push({ kind: 'points', color: 'var(--load)', x: old.map((p) => p.at[parameters[k]]), y: old.map((p) => p.before) });
    if (furthest > largest[k]) layers.push({ kind: 'mark', color: 'var(--ink-soft)', x: largest[k], label: 'largest measured' });
    const name = metrics[experiment.header.models.metric[model]].name || 'value';
    const rows = () => stops.map((v, i) => {
        const found = along(view, details, k, point).find((m) => measured[m.point][k] === v);
        return [v, values[i].value, values[i].low, values[i].high, found ? found.value : null, ...(found?.repetitions ?? [])] as (number | null)[];
    });
    const repetitions = Math.max(0, ...(details.measurements ?? []).map((m) => m.repetitions?.length ?? 0));
    const u = unit ? ` [${unit}]` : '';
    const fixed = parameters.filter((_, j) => j !== k && axes[j].length > 1);
    return (
        <FigureFrame title={`${name} against ${parameters[k]}`}
            note={fixed.length > 0 ? <>The strong line is at {assignments(fixed, fixed.map((n) => point[parameters.indexOf(n)]))}; the sliders move it.</> : `Large dots are what was modelled (${experiment.header.options.statistic ?? 'mean'}), small ones single runs; bars reach from the smallest to the largest.`}
            controls={
                <>
                    {parameters.filter((_, j) => axes[j].length > 1).length > 1 && (
                        <label class="toggle">along <select value={parameters[k]} onChange={(event) => view.change({ x: (event.target as HTMLSelectElement).value })}>{parameters.filter((_, j) => axes[j].length > 1).map((n) => <option>{n}</option>)}</select></label>
                    )}
                    {axes[k][0] > 0 && <Toggle view={view} name="xscale" label={`log ${parameters[k]}`} standard={true} />}
                    <Toggle view={view} name="yscale" label={`log ${name}`} standard={false} />
                    {details.alternatives && details.alternatives.length > 1 && <label class="toggle"><input type="checkbox" checked={others} onChange={() => setOthers(!others)} />other forms</label>}
                    <label class="toggle"><input type="checkbox" checked={view.state.sight === 'all'} onChange={() => view.change({ sight: view.state.sight === 'all' ? '' : 'all' })} />as far as the report looks</label>
                </>
            }
            table={() => ({ head: [parameters[k], `model${u}`, `low${u}`, `high${u}`, `measured${u}`, ...Array.from({ length: repetitions }, (_, i) => `run ${i + 1}${u}`)], rows: rows() })}>
            <Plot label={`${name} against ${parameters[k]}`} height={360} x={{ name: parameters[k], log, ticksAt: measured.map((p) => p[k]) }} y={{ name, unit, log: yLog }} layers={layers} stops={stops}
                readout={(v) => { const e = at(v); return `${parameters[k]} = ${exact(v)}: ${withUnit(e.value, unit, 4)}${has_intervals ? `, ${level(coverage)} within ${withUnit(e.low, unit)} – ${withUnit(e.high, unit)}` : ''}`; }} />
            {old.length > 0 && (
                <ul class="legend">
                    <li><span class="swatch" style={{ background: 'var(--ink)' }} />measured</li>
                    <li><span class="swatch" style={{ background: 'var(--load)' }} />before: <bdi class="name">{experiment.comparison!.before}</bdi></li>
                </ul>
            )}
            {family.length > 0 && (
                <ul class="legend">
                    <li><span class="swatch" style={{ background: 'var(--c1)' }} /><i>{parameters[second]}</i> = {exact(point[second])}</li>
                    {family.map((f) => <li><span class="swatch" style={{ background: f.color }} /><i>{parameters[second]}</i> = {exact(f.value)}</li>)}
                </ul>
            )}
        </FigureFrame>
    );
}

function ResidualFigure({ view, details }: { view: View; details: Details }): JSX.Element | null {
    const { parameters, measured } = view.experiment.header;
    const { k, log } = axisOf(view);
    const list = (details.measurements ?? []).filter((m) => m.modelled);
    if (list.length === 0) return null;
    const off = (m: Measurement, value: number) => (value - m.modelled!) / Math.abs(m.modelled!);
    const x = list.map((m) => measured[m.point][k]);
    const y = list.map((m) => off(m, m.value));
    const layers: Layer[] = [];
    list.forEach((m, i) => {
        if (m.repetitions && m.repetitions.length > 1) layers.push({ kind: 'points', small: true, color: 'var(--ink)', x: m.repetitions.map(() => x[i]), y: m.repetitions.map((v) => off(m, v)) });
    });
    layers.push({ kind: 'points', color: 'var(--ink)', x, y });
    const reach = 1.25 * Math.max(0.002, ...y.map(Math.abs), ...list.flatMap((m) => (m.repetitions ?? []).map((v) => Math.abs(off(m, v)))));
    return (
        <FigureFrame title="Measured less modelled" note="In per cent of the model. A bend that all points follow is a form that does not fit; a wide scatter is noise."
            table={() => ({ head: [...parameters, 'measured', 'modelled', 'difference [%]'], rows: list.map((m, i) => [...measured[m.point], m.value, m.modelled!, Number((100 * y[i]).toPrecision(4))]) })}>
            <Plot label="Measured less modelled" height={220} x={{ name: parameters[k], log, ticksAt: x }} y={{ name: 'difference', unit: '', log: false, percent: true, low: -reach, high: reach }} layers={layers}
                stops={[...new Set(x)].sort((a, b) => a - b)} readout={(v) => `${parameters[k]} = ${exact(v)}: ${list.filter((_, i) => x[i] === v).map((m) => `${plain(100 * off(m, m.value))} %`).slice(0, 6).join(', ')}`} />
        </FigureFrame>
    );
}

function Facts({ view, model, details }: { view: View; model: number; details: Details }): JSX.Element {
    const { experiment, place } = view;
    const { parameters, has_intervals, coverage, models } = experiment.header;
    const here = experiment.at(model, place);
    const unit = experiment.unit(model);
    return (
        <dl class="facts">
            <div><dt>At {assignments(parameters, pointOf(view))}</dt><dd class="large" data-testid="here"><Value value={here.value} unit={unit} /></dd></div>
            {has_intervals && <div><dt>{level(coverage)} interval</dt><dd data-testid="interval"><Between low={here.low} high={here.high} unit={unit} /></dd></div>}
            <div><dt>Share of all regions</dt><dd><Share share={experiment.share(model, place)} /></dd></div>
            <div><dt>Grows as</dt><dd><Growth growth={experiment.growth(model)} parameters={parameters} /></dd></div>
            <div><dt>Misses left-out points by</dt><dd><Quality smape={models.smape[model]} /></dd></div>
            <div><dt>Measured</dt><dd>{models.points[model]} points{models.repetitions[model] > 1 ? ` × ${models.repetitions[model]} runs` : ''}</dd></div>
            {details.run_deviation !== undefined && <div><dt>Noise of one run</dt><dd>{percent(details.run_deviation)}</dd></div>}
        </dl>
    );
}

function Forms({ view, details }: { view: View; details: Details }): JSX.Element | null {
    const { parameters, } = view.experiment.header;
    const list = details.alternatives ?? [];
    const quality = details.quality;
    return (
        <section class="forms">
            {list.length > 0 && (
                <>
                    <h2>Forms that explain the measurements</h2>
                    <table class="plain">
                        <thead><tr><th scope="col" class="number">Probability</th><th scope="col">Form</th></tr></thead>
                        <tbody>{list.map((form) => <tr><td class="number">{percent(form.probability)}</td><td><Formula f={form.function} parameters={parameters} />{form.from !== undefined && <span class="dim"> from {form.from === null ? 'the start' : exact(form.from)}</span>}</td></tr>)}</tbody>
                    </table>
                </>
            )}
            {quality && (
                <>
                    <h2>Quality</h2>
                    <table class="plain">
                        <thead><tr><th scope="col"></th><th scope="col" class="number">SMAPE</th><th scope="col" class="number wide">RSS</th><th scope="col" class="number">R<sup>2</sup></th><th scope="col" class="number">adjusted R<sup>2</sup></th></tr></thead>
                        <tbody>
                            {([['on the points', quality.in_sample], ['on points left out', quality.leave_one_out]] as const).map(([name, f]) => (
                                <tr><th scope="row">{name}</th><td class="number">{plain(f.smape ?? NaN)} %</td><td class="number wide">{plain(f.rss ?? NaN)}</td><td class="number">{plain(f.r2 ?? NaN, 4)}</td><td class="number">{plain(f.adjusted_r2 ?? NaN, 4)}</td></tr>
                            ))}
                        </tbody>
                    </table>
                </>
            )}
        </section>
    );
}

export function Region({ view }: { view: View }): JSX.Element {
    const { experiment, metric, state } = view;
    const { parameters, metrics, axes } = experiment.header;
    const name = state.region ?? '';
    const model = useMemo(() => experiment.find(name, metric), [experiment, name, metric]);
    if (model < 0) {
        return <section class="empty"><h2>No such region</h2><p>There is no region <bdi class="name">{name.slice(0, 200)}</bdi> with the metric {metrics[metric].name || 'value'}. <a href={link(state, { page: 'regions', region: '' })}>All regions</a></p></section>;
    }
    const details = experiment.details(model);
    const varied = parameters.filter((_, k) => axes[k].length > 1);
    return (
        <article>
            <Path view={view} model={model} />
            <h1 class="region-title"><Name text={name} short={experiment.lastPiece(model)} /></h1>
            {details.function
                ? <p class="model-line"><span class="dim">{metrics[metric].name || 'value'}{metrics[metric].unit ? `, ${metrics[metric].unit}` : ''} = </span><Formula f={details.function} parameters={parameters} /></p>
                : <p class="warning">No model: {details.reason}</p>}
            {(details.warnings ?? []).map((warning) => <p class="warning">{warning}</p>)}
            {details.function && <Facts view={view} model={model} details={details} />}
            {details.measurements === undefined && <p class="note">Measurements are not in a file of models. Name them as well, and they are drawn: <code>plimsoll report build models.json runs.jsonl -o report.html</code></p>}
            <ModelFigure view={view} model={model} details={details} />
            <div class="two">
                <ResidualFigure view={view} details={details} />
                {varied.length > 1 && details.function && <Field view={view} model={model} details={details} />}
                <Forms view={view} details={details} />
            </div>
        </article>
    );
}
