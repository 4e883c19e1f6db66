// How far does the program scale, and what will stop it?

import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { Between, Mark, Name, Quality, Share, Value } from '../cells';
import type { Place } from '../data';
import { Growth } from '../formula';
import { assignments, exact, level, percent, withUnit } from '../format';
import { FigureFrame } from '../plot/frame';
import { Plot, type Layer } from '../plot/plot';
import { link } from '../state';
import { largest as largestOf, rank } from '../order';
import { palette, pointOf, rest, type View } from '../view';
import { Dominating } from './dominating';

/** A place with another stop of one parameter. */
function moved(place: Place, parameter: number, stop: number): Place {
    return place.map((i, k) => (k === parameter ? stop : i));
}

/** The parameter that scale is drawn along. */
export function scaleParameter(view: View): number {
    const { scale, axes } = view.experiment.header;
    return scale ? scale.parameter : Math.max(0, axes.findIndex((axis) => axis.length > 1));
}

/** "1 core", "4 cores". */
function counted(count: number, plural: string): string {
    return `${exact(count)} ${count === 1 ? plural.replace(/(?<=ss)es$|s$/, '') : plural}`;
}

function sentence(text: string): string {
    return text.charAt(0).toUpperCase() + text.slice(1);
}

function Answer({ view }: { view: View }): JSX.Element {
    const { experiment, place } = view;
    const { scale, parameters, no_scale } = experiment.header;
    if (!scale) {
        return (
            <section class="answer" aria-label="Answer">
                <Mark />
                <div><p class="headline">How far the program scales is left open</p><p class="dim">{sentence(no_scale ?? '')}</p></div>
            </section>
        );
    }
    const end = scale.ends[experiment.row(place, scale.parameter)];
    const others = parameters.filter((_, k) => k !== scale.parameter && experiment.header.axes[k].length > 1);
    const point = pointOf(view);
    const where = others.length > 0 ? ` at ${assignments(others, others.map((name) => point[parameters.indexOf(name)]))}` : '';
    const efficiency = scale.efficiency[experiment.index(place)] ?? NaN;
    const time = scale.time[experiment.index(place)] ?? NaN;
    return (
        <section class="answer" aria-label="Answer">
            <Mark />
            <div>
                <p class="headline">
                    {!end ? <>Below {level(scale.least)} efficiency everywhere{where}</>
                        : end.is_end ? <>Scales beyond <strong>{exact(end.processes)}</strong> {scale.counted}{where}</>
                            : <>Scales to <strong>{exact(end.processes)}</strong> {scale.counted}{where}</>}
                </p>
                <p class="dim">
                    {end && !end.is_end ? `Beyond, efficiency relative to ${counted(scale.fewest, scale.counted)} is below ${level(scale.least)}. `
                        : `Efficiency is relative to ${counted(scale.fewest, scale.counted)}. `}
                    {scale.work === 'in-all' ? 'All processes share the same work (strong scaling).' : 'Each process has as much work (weak scaling).'}
                    {scale.notes.map((note) => ` ${sentence(note)}.`)}
                </p>
                <p>
                    At {assignments(parameters, point)}, {scale.time_of} takes <strong>{withUnit(time, 's')}</strong> with
                    an efficiency of <strong>{percent(efficiency, 0)}</strong>.
                </p>
            </div>
        </section>
    );
}

function EfficiencyFigure({ view }: { view: View }): JSX.Element | null {
    const { experiment, place } = view;
    const { scale, parameters, axes, largest, measured } = experiment.header;
    if (!scale) return null;
    const k = scale.parameter;
    const x = axes[k];
    const y = x.map((_, i) => scale.efficiency[experiment.index(moved(place, k, i))] ?? NaN);
    const time = x.map((_, i) => scale.time[experiment.index(moved(place, k, i))] ?? NaN);
    const end = scale.ends[experiment.row(place, k)];
    const inside = (v: number) => v <= largest[k];
    const layers: Layer[] = [
        { kind: 'line', color: 'var(--c1)', x: x.filter(inside), y: y.filter((_, i) => inside(x[i])) },
        { kind: 'line', color: 'var(--c1)', x: x.filter((v) => v >= largest[k]), y: y.filter((_, i) => x[i] >= largest[k]), dashed: true },
        { kind: 'mark', color: 'var(--load)', y: scale.least, label: 'least efficiency' },
    ];
    if (end && !end.is_end) layers.push({ kind: 'mark', color: 'var(--load)', x: end.processes, label: counted(end.processes, scale.counted), strong: true });
    return (
        <FigureFrame title="Efficiency against scale" note="Red: where the program stops scaling. Dashed: beyond what was measured."
            table={() => ({ head: [parameters[k], 'efficiency', 'time [s]'], rows: x.map((v, i) => [v, y[i], time[i]]) })}>
            <Plot label="Efficiency against scale" x={{ name: parameters[k], log: x[0] > 0, ticksAt: measured.map((p) => p[k]) }}
                y={{ name: 'efficiency', unit: '', log: false, low: 0, high: 1.06 * Math.max(1.02, ...y.filter(isFinite)), percent: true }} layers={layers} stops={x}
                readout={(v) => { const i = x.indexOf(v); return `${parameters[k]} = ${exact(v)}: efficiency ${percent(y[i])}, time ${withUnit(time[i], 's')}`; }} />
        </FigureFrame>
    );
}

const most = 6;

/** The regions whose shares are drawn, in the order of their colours: the largest at the sliders' place. */
export function shownParts({ experiment, metric, place }: View): number[] {
    return largestOf(experiment.modelsOf(metric), experiment.column('value', place), most);
}

function PartsFigure({ view }: { view: View }): JSX.Element {
    const { experiment, metric, place } = view;
    const { parameters, axes, measured, largest, metrics } = experiment.header;
    const k = scaleParameter(view);
    const x = axes[k];
    const all = experiment.modelsOf(metric);
    const shown = useMemo(() => shownParts(view), [experiment, metric, place.join()]);
    const shares = shown.map((model) => x.map((_, i) => experiment.share(model, moved(place, k, i))));
    const layers: Layer[] = [];
    let low = x.map(() => 0);
    shares.forEach((share, s) => {
        const high = low.map((v, i) => v + (isFinite(share[i]) ? share[i] : 0));
        layers.push({ kind: 'band', color: palette[s], x, low, high, strong: true });
        low = high;
    });
    const hasRest = all.length > most && !experiment.header.inclusive;
    if (hasRest) layers.push({ kind: 'band', color: rest, x, low, high: x.map(() => 1), strong: true });
    layers.push({ kind: 'mark', color: 'var(--ink-soft)', x: largest[k], label: 'largest measured' });
    const name = metrics[metric].name || 'value';
    return (
        <FigureFrame title={`Shares of ${name} against scale`} note={`The largest regions at ${assignments(parameters, pointOf(view))}.`}
            table={() => ({ head: [parameters[k], ...shown.map((model) => experiment.name(model))], rows: x.map((v, i) => [v, ...shares.map((s) => s[i])]) })}>
            <Plot label={`Shares of ${name} against scale`} x={{ name: parameters[k], log: x[0] > 0, ticksAt: measured.map((p) => p[k]), low: x[0], high: x[x.length - 1] }}
                y={{ name: 'share', unit: '', log: false, low: 0, high: experiment.header.inclusive ? undefined : 1, percent: true }} layers={layers} stops={x}
                readout={(v) => { const i = x.indexOf(v); return `${parameters[k]} = ${exact(v)}: ${shown.slice(0, 3).map((model, s) => `${short(experiment.name(model))} ${percent(shares[s][i], 0)}`).join(', ')}`; }} />
            <ul class="legend">
                {shown.map((model, s) => <li><span class="swatch" style={{ background: palette[s] }} /><Name text={experiment.name(model)} short={short(experiment.name(model))} /></li>)}
                {hasRest && <li><span class="swatch" style={{ background: rest }} />{exact(all.length - most)} others</li>}
            </ul>
        </FigureFrame>
    );
}

/** "p = 64" where there is one parameter alone, else words. */
export function heading(view: View, place: Place, words: string): string {
    const { parameters, axes } = view.experiment.header;
    const point = view.experiment.point(place);
    return axes.length === 1 ? `${parameters[0]} = ${exact(point[0])}` : words;
}

/** The last piece of a path. */
export function short(path: string): string {
    const cut = path.lastIndexOf('->');
    const piece = cut > 0 && cut + 2 < path.length ? path.slice(cut + 2) : path;
    return piece.length > 60 ? `${piece.slice(0, 59)}…` : piece;
}

function Largest({ view }: { view: View }): JSX.Element {
    const { experiment, metric, place, now, state } = view;
    const { parameters, metrics, has_intervals, coverage } = experiment.header;
    const all = experiment.modelsOf(metric);
    const order = useMemo(() => largestOf(all, experiment.column('value', place), 10), [experiment, metric, place.join()]);
    const before = useMemo(() => new Map(order.map((k) => [k, rank(k, all, experiment.column('value', now))])), [order]);
    return (
        <section>
            <h2>Largest regions</h2>
            <p class="note">By {metrics[metric].name || 'value'} at {assignments(parameters, pointOf(view))}; arrows compare with the ranks at {assignments(parameters, experiment.point(now))}.</p>
            <div class="scroll" tabIndex={0} role="region" aria-label="Largest regions">
                <table class="rows">
                    <thead>
                        <tr>
                            <th scope="col" class="rank">Rank</th><th scope="col">Region</th><th scope="col" class="wide">Growth</th>
                            <th scope="col" class="number wide">{heading(view, now, 'Largest measured')}</th><th scope="col" class="wide">Share</th>
                            <th scope="col" class="number">{heading(view, place, 'Here')}</th>{has_intervals && <th scope="col" class="number wide">{level(coverage)} interval</th>}
                            <th scope="col">Share</th><th scope="col" class="number wide">Error</th>
                        </tr>
                    </thead>
                    <tbody>
                        {order.map((model, i) => {
                            const unit = experiment.unit(model);
                            const here = experiment.at(model, place);
                            const change = (before.get(model) ?? i + 1) - (i + 1);
                            return (
                                <tr>
                                    <td class="rank">{i + 1}<span class={change > 0 ? 'up' : change < 0 ? 'down' : 'even'}>{change > 0 ? `▲${change}` : change < 0 ? `▼${-change}` : ''}</span></td>
                                    <td class="region"><a href={link(state, { page: 'region', region: experiment.name(model) })}><Name text={experiment.name(model)} /></a></td>
                                    <td class="wide"><Growth growth={experiment.growth(model)} parameters={parameters} /></td>
                                    <td class="number wide"><Value value={experiment.at(model, now).value} unit={unit} /></td>
                                    <td class="wide"><Share share={experiment.share(model, now)} /></td>
                                    <td class="number"><Value value={here.value} unit={unit} /></td>
                                    {has_intervals && <td class="number wide"><Between low={here.low} high={here.high} unit={unit} /></td>}
                                    <td><Share share={experiment.share(model, place)} /></td>
                                    <td class="number wide"><Quality smape={experiment.header.models.smape[model]} /></td>
                                </tr>
                            );
                        })}
                    </tbody>
                </table>
            </div>
            {all.length > 10 && <p class="more"><a href={link(state, { page: 'regions' })}>All {exact(all.length)} regions</a></p>}
        </section>
    );
}

export function Overview({ view }: { view: View }): JSX.Element {
    return (
        <>
            <Answer view={view} />
            <div class="two">
                <EfficiencyFigure view={view} />
                <PartsFigure view={view} />
                <Dominating view={view} />
            </div>
            <Largest view={view} />
        </>
    );
}
