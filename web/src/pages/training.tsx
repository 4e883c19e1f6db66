// How long does a training take on more processes, and where does its efficiency go?

import type { ComponentChildren, JSX } from 'preact';
import { Mark } from '../cells';
import { type Named, type Training, type TrainingPoint, varied } from '../documents';
import { assignments, exact, level, percent, plain, range, withUnit } from '../format';
import { saveCsv } from '../plot/download';
import type { Change, State } from '../state';
import { Choice, DocumentChoice, Notes, pointText } from './parts';
import { extraDeep, FactorFigure, isExtraDeep, knownOf, lastEfficient, least, type Line, type PageProps, StepFigure, TimeFigure } from './training_figures';

function linesOf(training: Training): Line[] {
    const { points } = training;
    const names = varied(points.map((p) => p.at));
    const all = Object.keys(points[0].at);
    const counts = all.filter((name) => points.every((p) => p.at[name] === p.processes));
    const parameter = counts.find((name) => names.includes(name)) ?? counts[0] ?? 'processes';
    const others = names.filter((name) => name !== parameter);
    const lines = new Map<string, Line>();
    for (const point of points) {
        const label = assignments(others, others.map((name) => point.at[name]));
        if (!lines.has(label)) lines.set(label, { label, parameter, points: [] });
        lines.get(label)!.points.push(point);
    }
    for (const line of lines.values()) line.points.sort((a, b) => a.processes - b.processes);
    return [...lines.values()];
}

/** The factor that falls most between the ends of a line; none where efficiency hardly falls. */
function cause({ points }: Line): string | null {
    const [first, last] = [points[0], points[points.length - 1]];
    if (!first.factors || !last.factors || !first.efficiency || !last.efficiency || last.efficiency >= 0.9 * first.efficiency) return null;
    const all: [string, number, number][] = [
        ['load balance', first.factors.load_balance ?? 1, last.factors.load_balance ?? 1],
        ['communication efficiency', first.factors.communication_efficiency, last.factors.communication_efficiency],
        ['computation scalability', first.factors.computation_scalability ?? 1, last.factors.computation_scalability ?? 1],
    ];
    const [name, before, behind] = all.reduce((worst, next) => (next[2] / next[1] < worst[2] / worst[1] ? next : worst));
    return `From ${exact(first.processes)} to ${exact(last.processes)} processes efficiency falls from ${percent(first.efficiency, 0)} to ${percent(last.efficiency, 0)}, most by ${name}: from ${percent(before, 0)} to ${percent(behind, 0)}.`;
}

function Answer({ training, line }: { training: Training; line: Line }): JSX.Element {
    const last = line.points[line.points.length - 1];
    const known = knownOf(line);
    const lastKnown = known[known.length - 1];
    const end = lastEfficient(line);
    const isUsual = !isExtraDeep(training);
    const why = isUsual ? cause(line) : extraDeep;
    const interval = (time: { low: number; high: number }) => (time.low < time.high ? ` (${level(training.coverage)}: ${range(time.low, time.high, 'duration')})` : '');
    let headline: ComponentChildren = 'How efficient the training is, is not known';
    if (lastKnown && !isUsual) headline = <>Efficiency by Extra-Deep is <strong>{percent(lastKnown.efficiency!)}</strong> on {exact(lastKnown.processes)} processes</>;
    else if (lastKnown && !end) headline = <>Below {percent(least, 0)} efficiency from {exact(known[0].processes)} processes on</>;
    else if (lastKnown && end === last) headline = <>At least {percent(least, 0)} efficient up to <strong>{exact(last.processes)}</strong> processes, and nothing tells of more</>;
    else if (lastKnown && end === lastKnown) headline = <>At least {percent(least, 0)} efficient up to <strong>{exact(end.processes)}</strong> processes; how efficient more of them are is not known</>;
    else if (lastKnown) headline = <>At least {percent(least, 0)} efficient up to <strong>{exact(end!.processes)}</strong> processes</>;
    return (
        <section class="answer" aria-label="Answer">
            <Mark />
            <div>
                <p class="headline">{headline}</p>
                <p class="dim">{why ?? 'Efficiency is what each process gets done, relative to the fewest processes that were measured.'}</p>
                <p data-testid="training-answer">
                    On {exact(last.processes)} processes{line.label && `, ${line.label},`} {last.step_s && <>a step takes <strong>{withUnit(last.step_s.value, 'duration')}</strong></>}
                    {last.epoch_s && <>{last.step_s && ', '}an epoch <strong>{withUnit(last.epoch_s.value, 'duration')}</strong>{interval(last.epoch_s)}</>}
                    {last.training_s && <> and the whole training <strong>{withUnit(last.training_s.value, 'duration')}</strong></>}.
                </p>
            </div>
        </section>
    );
}

/** How many steps an epoch has; an en dash where that is not known. */
const stepsText = (p: TrainingPoint) => (p.training_steps === null || p.validation_steps === null ? '–' : exact(p.training_steps + p.validation_steps));

function AllPoints({ training }: { training: Training }): JSX.Element {
    const { points } = training;
    const names = varied(points.map((p) => p.at));
    const hasEpoch = points.some((p) => p.epoch_s);
    const hasWhole = points.some((p) => p.training_s);
    const time = (t: { value: number } | null, isWide = false) => <td class={`number ${isWide ? 'wide' : ''}`}>{t ? withUnit(t.value, 'duration') : '–'}</td>;
    const save = () => saveCsv('training', [...names, 'step [s]', 'step low [s]', 'step high [s]', points[0].throughput_unit, 'efficiency', 'steps of training', 'steps of validation', 'epoch [s]', 'training [s]', 'training low [s]', 'training high [s]', 'process hours', 'samples'],
        points.map((p) => [...names.map((n) => p.at[n]), p.step_s?.value ?? null, p.step_s?.low ?? null, p.step_s?.high ?? null, p.throughput_per_s, p.efficiency, p.training_steps, p.validation_steps, p.epoch_s?.value ?? null, p.training_s?.value ?? null, p.training_s?.low ?? null, p.training_s?.high ?? null, p.process_hours, p.samples?.value ?? null]));
    return (
        <section>
            <h2>All points</h2>
            <div class="tools"><output class="count">{exact(points.length)} {points.length === 1 ? 'point' : 'points'}</output><button onClick={save}>CSV</button></div>
            <div class="scroll" tabIndex={0} role="region" aria-label="All points">
                <table class="rows">
                    <thead><tr><th scope="col">At</th><th scope="col" class="number">Step</th><th scope="col" class="number wide">{points[0].throughput_unit}</th><th scope="col" class="number">Efficiency</th>{hasEpoch && <><th scope="col" class="number wide">Steps</th><th scope="col" class={`number ${hasWhole ? 'wide' : ''}`}>Epoch</th></>}{hasWhole && <><th scope="col" class="number">Training</th><th scope="col" class="number wide">Interval</th><th scope="col" class="number wide">Process hours</th></>}</tr></thead>
                    <tbody>
                        {points.map((p) => (
                            <tr>
                                <td>{pointText(p.at, names)}</td>{time(p.step_s)}<td class="number wide">{plain(p.throughput_per_s)}</td>
                                <td class="number">{p.efficiency === null ? '–' : percent(p.efficiency)}</td>
                                {hasEpoch && <><td class="number wide">{stepsText(p)}</td>{time(p.epoch_s, hasWhole)}</>}
                                {hasWhole && <>{time(p.training_s)}<td class="number wide between">{p.training_s && p.training_s.low < p.training_s.high ? range(p.training_s.low, p.training_s.high, 'duration') : '–'}</td><td class="number wide">{p.process_hours === null ? '–' : plain(p.process_hours)}</td></>}
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </section>
    );
}

/** Collectives of a step at one point, and how many steps are worth profiling. */
function Details({ line, training, state, change }: PageProps): JSX.Element | null {
    const withSome = line.points.filter((p) => p.collectives.length > 0);
    const chosen = withSome.find((p) => String(p.processes) === state.collectives) ?? withSome[withSome.length - 1];
    const wanted = training.profiled.filter((p) => p.needed_steps > 0);
    const names = varied(training.profiled.map((p) => p.at));
    if (!chosen && wanted.length === 0) return null;
    return (
        <div class="beside">
            {chosen && (
                <section class="forms">
                    <h2>Collectives of a step</h2>
                    <Choice label={line.parameter} value={String(chosen.processes)} options={withSome.map((p) => [String(p.processes), exact(p.processes)])} choose={(value) => change({ collectives: value })} />
                    <table class="plain">
                        <thead><tr><th scope="col">Collective</th><th scope="col" class="number">calls</th><th scope="col" class="number">time</th><th scope="col" class="number">bytes</th><th scope="col" class="number">bus bandwidth</th></tr></thead>
                        <tbody>{chosen.collectives.map((c) => <tr><td><bdi class="name">{c.name}</bdi></td><td class="number">{withUnit(c.calls, '')}</td><td class="number">{withUnit(c.time_s, 's')}</td><td class="number">{c.bytes > 0 ? withUnit(c.bytes, 'B') : '–'}</td><td class="number">{c.bus_bandwidth_bytes_per_s > 0 ? `${withUnit(c.bus_bandwidth_bytes_per_s, 'B')}/s` : '–'}</td></tr>)}</tbody>
                    </table>
                </section>
            )}
            {wanted.length > 0 && (
                <section class="forms">
                    <h2>How well profiled steps tell their time</h2>
                    <p class="note">How many would tell it within {percent(training.precision)}.</p>
                    <div class="scroll low" tabIndex={0} role="region" aria-label="How well profiled steps tell their time"><table class="plain">
                        <thead><tr><th scope="col">At</th><th scope="col" class="number">profiled</th><th scope="col" class="number">known within</th><th scope="col" class="number">wanted</th></tr></thead>
                        <tbody>{wanted.map((p) => <tr><td class="at">{pointText(p.at, names)}</td><td class="number">{exact(p.steps)}</td><td class="number">{percent(p.half_width)}</td><td class="number">{exact(p.needed_steps)}</td></tr>)}</tbody>
                    </table></div>
                </section>
            )}
        </div>
    );
}

export function TrainingPage({ list, state, change }: { list: Named<Training>[]; state: State; change: Change }): JSX.Element {
    const chosen = list[Number(state.training ?? 0)] ?? list[0];
    const training = chosen.content;
    const lines = linesOf(training);
    const line = lines.find((one) => one.label === state.others) ?? lines[lines.length - 1];
    const props = { line, training, state, change };
    const { schedule } = training;
    return (
        <>
            <DocumentChoice list={list} chosen={chosen} label="training" change={change} />
            {lines.length > 1 && <div class="controls"><Choice label="at" value={line.label} options={lines.map((one) => [one.label, one.label])} choose={(value) => change({ others: value })} /></div>}
            <Answer training={training} line={line} />
            <div class="two">
                <StepFigure {...props} />
                <FactorFigure {...props} />
                <TimeFigure {...props} />
                <Details {...props} />
            </div>
            <AllPoints training={training} />
            <p class="note foot">
                {schedule.dataset_size > 0 ? `${exact(schedule.dataset_size)} samples, ${exact(schedule.epochs)} ${schedule.epochs === 1 ? 'epoch' : 'epochs'}. ` : 'The size of the data set was not told. '}
                {training.critical_batch !== null && `Beyond a global batch of ${plain(training.critical_batch)} samples, more than twice as many of them are needed. `}
                Of <bdi class="name">{chosen.name}</bdi>.
            </p>
            <Notes notes={training.notes} />
        </>
    );
}
