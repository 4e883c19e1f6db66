// Where to run, on how many processes, at what cost?

import type { JSX } from 'preact';
import { Mark } from '../cells';
import { type At, type Config, type LimitCheck, type Named, type Plan, type Stay, varied } from '../documents';
import { exact, level, percent, plain, range, withUnit } from '../format';
import { saveCsv } from '../plot/download';
import { FigureFrame } from '../plot/frame';
import { Plot, type Layer } from '../plot/plot';
import type { Change, State } from '../state';
import { palette } from '../view';
import { VirtualTable } from '../virtual';
import { Choice, DocumentChoice, Notes, pointText } from './parts';

interface PageProps {
    plan: Plan;
    /** Parameters in which configurations differ. */
    names: string[];
    state: State;
    change: Change;
}

function everyConfig(plan: Plan): Config[] {
    return [...plan.answers, ...plan.front, ...(plan.nearest_miss ? [plan.nearest_miss] : []), ...plan.reliefs.map((relief) => relief.configuration)];
}

const named = (answer: string) => answer.replace('-', ' ');
/** With four digits, but no zeros behind them: a deadline is 4 h. */
const time = (value: number | null | undefined) => (value == null ? '–' : withUnit(value, 'duration', 4).replace(/(\.\d*?)0+ /, '$1 ').replace('. ', ' '));
const share = (value: number | null | undefined, digits = 1) => (value == null ? '–' : percent(value, digits));
const chance = (value: number | null | undefined) => (value == null ? '–' : level(value));

/** A cost with two digits where it is money, as bills have it. */
function cost(value: number | null | undefined, unit: string): string {
    if (value == null) return '–';
    return `${value >= 1e6 || unit.length !== 3 || value < 0.01 ? plain(value, 4) : value.toFixed(2).replace(/\B(?=(\d{3})+(?!\d))/g, value >= 1e4 ? '\u202f' : '')} ${unit}`;
}

function place(plan: Plan, names: string[], of: { machine: string; at: At }): string {
    return `${pointText(of.at, names)}${plan.machines.length > 1 ? ` on ${of.machine}` : ''}`;
}

function limits(plan: Plan): string {
    const pieces = [];
    if (plan.limits.deadline_s !== null) pieces.push(`within ${time(plan.limits.deadline_s)}`);
    for (const budget of plan.limits.budgets) pieces.push(`for at most ${cost(budget.value, budget.unit)}`);
    if (pieces.length > 0) pieces.push(`with ${level(plan.confidence)} probability`);
    if (plan.limits.efficiency > 0) pieces.push(`at least ${level(plan.limits.efficiency)} efficient`);
    return pieces.join(', ');
}

type End = 'needed' | 'allowed' | 'from' | 'to';

/** One side of a limit, in the unit that it counts; null is no bound. */
function sideOf(limit: LimitCheck | Stay, end: End): string {
    const values = limit as unknown as Record<string, number | null | undefined>;
    if (values[`${end}_s`] !== undefined) return values[`${end}_s`] === null ? 'any' : time(values[`${end}_s`]);
    if (values[`${end}_bytes`] !== undefined) return values[`${end}_bytes`] === null ? 'any' : `${withUnit(values[`${end}_bytes`]!, 'B')} a process`;
    const value = values[end];
    if (value == null) return 'any';
    if (limit.limit === 'budget') return cost(value, limit.unit ?? '');
    return limit.limit === 'efficiency' ? percent(value) : exact(value);
}

function Answer({ plan, names }: PageProps): JSX.Element {
    const wanted = limits(plan);
    const cheapest = plan.answers[0];
    const miss = plan.nearest_miss;
    return (
        <section class="answer" aria-label="Answer">
            <Mark />
            <div>
                <p class="headline">
                    {cheapest && <>{named(cheapest.answer).replace(/^./, (c) => c.toUpperCase())}: <strong>{place(plan, names, cheapest)}</strong>, {cost(cheapest.cost, plan.cost_unit)} in {time(cheapest.time_s.value)}</>}
                    {!cheapest && <>None of {exact(plan.configurations)} configurations can be taken</>}
                </p>
                <p class="dim">{exact(plan.feasible)} of {exact(plan.configurations)} configurations keep all limits{wanted && `: ${wanted}`}. The time is that of {plan.time_of}.</p>
                {miss && (
                    <p>Nearest comes <strong>{place(plan, names, miss)}</strong>, with {cost(miss.cost, plan.cost_unit)} in {time(miss.time_s.value)}.
                        {miss.limits.filter((limit) => !limit.kept).map((limit) => ` It misses the ${limit.limit.replace('-', ' ')}: ${limit.limit === 'efficiency' ? `${sideOf(limit, 'needed')} asked for, ${sideOf(limit, 'allowed')} reached` : `${sideOf(limit, 'needed')} needed, ${sideOf(limit, 'allowed')} allowed`}.`)}
                    </p>
                )}
                {plan.reliefs.map((relief) => (
                    <p>With the other limits as they are, {relief.limit === 'efficiency' ? 'an' : 'a'} {relief.limit} of <strong>{relief.needed_s !== undefined ? time(relief.needed_s) : relief.limit === 'efficiency' ? share(relief.needed) : cost(relief.needed, relief.unit ?? plan.cost_unit)}</strong> would do: {place(plan, names, relief.configuration)}.</p>
                ))}
            </div>
        </section>
    );
}

/** Whether a configuration is on the machine that was chosen, if one was. */
function isOf(plan: Plan, state: State, config: Config): boolean {
    return !plan.machines.includes(state.machine) || config.machine === state.machine;
}

/** Those on the front that the filters leave. */
function shownOf({ plan, state, names }: PageProps): Config[] {
    const words = (state.planq ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const most = Number(state.probability ?? 0);
    return plan.front.filter((c) => isOf(plan, state, c) && (c.probability ?? 0) >= most
        && words.every((word) => `${c.machine} ${pointText(c.at, names)} ${names.map((n) => `${n}=${c.at[n]}`).join(' ')}`.toLowerCase().includes(word)));
}

const colors: Record<string, string> = { cheapest: palette[2], fastest: palette[1], 'most-efficient': palette[3], knee: palette[0] };

/** Cost against time: the front, the answers on it, the limits. */
function CostFigure(props: PageProps & { shown: Config[] }): JSX.Element {
    const { plan, names, state, change, shown } = props;
    const known = (list: Config[]) => list.filter((c) => c.time_s.value !== null && c.cost !== null);
    const front = known(shown);
    const answers = plan.answers.filter((answer) => isOf(plan, state, answer) && known([answer]).length > 0);
    const others = known([...(plan.nearest_miss ? [plan.nearest_miss] : []), ...plan.reliefs.map((relief) => relief.configuration)]);
    const all = [...front, ...answers, ...others];
    const isLog = state.costscale !== 'linear' && all.every((c) => c.cost! > 0 && c.time_s.value! > 0);
    const points = (list: Config[], color: string): Layer => ({
        kind: 'points', color, large: true, x: list.map((c) => c.time_s.value!), y: list.map((c) => c.cost!),
        before: list.map((c) => c.time_s.low ?? c.time_s.value!), behind: list.map((c) => c.time_s.high ?? c.time_s.value!),
    });
    const layers: Layer[] = [];
    if (front.length > 1) layers.push({ kind: 'line', color: 'var(--ink-soft)', thin: true, dashed: true, x: front.map((c) => c.time_s.value!), y: front.map((c) => c.cost!) });
    layers.push({ kind: 'points', color: 'var(--ink)', x: front.map((c) => c.time_s.value!), y: front.map((c) => c.cost!), before: front.map((c) => c.time_s.low ?? c.time_s.value!), behind: front.map((c) => c.time_s.high ?? c.time_s.value!) });
    // Answers that are the same configuration carry their names together.
    const places = new Map<string, typeof answers>();
    for (const answer of answers) {
        const key = `${answer.machine} ${pointText(answer.at, Object.keys(answer.at))}`;
        places.set(key, [...(places.get(key) ?? []), answer]);
    }
    for (const group of places.values()) layers.push({ ...points([group[0]], colors[group[0].answer] ?? palette[4]), labels: [group.map((a) => named(a.answer)).join(', ')] } as Layer);
    if (plan.nearest_miss && known([plan.nearest_miss]).length > 0) layers.push({ ...points([plan.nearest_miss], 'var(--load)'), labels: ['nearest miss'] } as Layer);
    const reliefs = known(plan.reliefs.map((relief) => relief.configuration)).filter((c) => !plan.nearest_miss || place(plan, names, c) !== place(plan, names, plan.nearest_miss));
    if (reliefs.length > 0) layers.push({ ...points(reliefs, palette[4]), labels: reliefs.map(() => 'would do') } as Layer);
    // The label of one limit stands where the line of the other does not.
    const isLate = plan.limits.deadline_s !== null && 2 * all.filter((c) => c.time_s.value! > plan.limits.deadline_s!).length > all.length;
    const budget = plan.limits.budgets.find((b) => b.unit === plan.cost_unit);
    if (plan.limits.deadline_s !== null) layers.push({ kind: 'mark', color: 'var(--load)', x: plan.limits.deadline_s, label: 'deadline' });
    if (budget) layers.push({ kind: 'mark', color: 'var(--load)', y: budget.value, label: 'budget', atEnd: isLate });
    const title = 'Cost against time';
    const interval = level(2 * plan.confidence - 1);
    const stops = [...new Set(all.map((c) => c.time_s.value!))].sort((a, b) => a - b);
    return (
        <FigureFrame title={title} note={plan.front.length > 0 ? `Each dot is better in time or in cost than all others; bars are ${interval} intervals of the time. Red: the limits.` : `Nothing keeps the limits (red); bars are ${interval} intervals of the time.`}
            controls={<label class="toggle"><input type="checkbox" checked={isLog} onChange={() => change({ costscale: isLog ? 'linear' : '' })} />log axes</label>}
            table={() => ({
                head: ['configuration', 'machine', 'time [s]', 'low [s]', 'high [s]', `cost [${plan.cost_unit}]`, 'probability'],
                rows: all.filter((c, i) => all.findIndex((o) => place(plan, names, o) === place(plan, names, c)) === i).map((c) => [pointText(c.at, names), c.machine, c.time_s.value, c.time_s.low, c.time_s.high, c.cost, c.probability]),
            })}>
            <Plot label={title} height={380} x={{ name: 'time', unit: 'duration', log: isLog }} y={{ name: 'cost', unit: plan.cost_unit, log: isLog }} layers={layers} stops={stops}
                readout={(v) => all.filter((c, i) => c.time_s.value === v && all.findIndex((o) => place(plan, names, o) === place(plan, names, c)) === i)
                    .map((c) => `${place(plan, names, c)}: ${cost(c.cost, plan.cost_unit)} in ${time(c.time_s.value)} (${range(c.time_s.low ?? NaN, c.time_s.high ?? NaN, 'duration')}), efficiency ${share(c.efficiency)}, keeps limits ${chance(c.probability)}`).join('; ')} />
            <ul class="legend">
                {[...places.values()].map((group) => <li><span class="swatch" style={{ background: colors[group[0].answer] ?? palette[4] }} />{group.map((a) => named(a.answer)).join(', ')}: {place(plan, names, group[0])}</li>)}
                {others.length > 0 && plan.nearest_miss && <li><span class="swatch" style={{ background: 'var(--load)' }} />nearest miss: {place(plan, names, plan.nearest_miss)}</li>}
                {front.length > 0 && <li><span class="swatch" style={{ background: 'var(--ink)' }} />the front: {exact(front.length)} of {exact(plan.front_size)}</li>}
            </ul>
        </FigureFrame>
    );
}

function Row({ plan, names, config, first }: { plan: Plan; names: string[]; config: Config; first?: string }): JSX.Element {
    return (
        <>
            {first !== undefined && <td class="wrap">{first}</td>}
            <td class="region wrap">{pointText(config.at, names)}{plan.machines.length > 1 && <span class="narrow"> on <bdi class="name">{config.machine}</bdi></span>}</td>{plan.machines.length > 1 && <td class="wide"><bdi class="name">{config.machine}</bdi></td>}
            <td class="number wide">{exact(config.nodes)}</td><td class="number">{time(config.time_s.value)}</td><td class="number wide between">{range(config.time_s.low ?? NaN, config.time_s.high ?? NaN, 'duration')}</td>
            <td class="number">{cost(config.cost, plan.cost_unit)}</td><td class="number wide">{share(config.efficiency)}</td><td class="number wide">{chance(config.probability)}</td>
            {plan.limits.efficiency > 0 && <td class="number wide">{chance(config.efficiency_probability)}</td>}
        </>
    );
}

type Key = 'nodes' | 'time' | 'cost' | 'efficiency' | 'probability';
const keys: Record<Key, (c: Config) => number> = { nodes: (c) => c.nodes, time: (c) => c.time_s.value ?? NaN, cost: (c) => c.cost ?? NaN, efficiency: (c) => c.efficiency ?? NaN, probability: (c) => c.probability ?? NaN };

function Heads({ plan, first, sort, by }: { plan: Plan; first?: string; sort?: (key: Key) => void; by?: string }): JSX.Element {
    const head = (key: Key, label: string, wide: boolean) => (
        <th scope="col" class={`number ${wide ? 'wide' : ''}`} aria-sort={!sort ? undefined : by?.startsWith(key) ? (by.endsWith('down') ? 'descending' : 'ascending') : 'none'}>
            {sort ? <button class="sort" onClick={() => sort(key)}>{label}<span aria-hidden="true">{by?.startsWith(`${key}.`) ? (by.endsWith('down') ? ' ▾' : ' ▴') : ''}</span></button> : label}
        </th>
    );
    return (
        <tr>
            {first !== undefined && <th scope="col">{first}</th>}<th scope="col">At</th>{plan.machines.length > 1 && <th scope="col" class="wide">Machine</th>}
            {head('nodes', 'Nodes', true)}{head('time', 'Time', false)}<th scope="col" class="number wide">{level(2 * plan.confidence - 1)} interval</th>
            {head('cost', 'Cost', false)}{head('efficiency', 'Efficiency', true)}{head('probability', 'Keeps limits', true)}
            {plan.limits.efficiency > 0 && <th scope="col" class="number wide">Is efficient</th>}
        </tr>
    );
}

function Answers({ plan, names }: PageProps): JSX.Element | null {
    const told = plan.answers.filter((answer) => answer.stays);
    if (plan.answers.length === 0) return null;
    return (
        <>
            <h2>Answers</h2>
            <div class="scroll" tabIndex={0} role="region" aria-label="Answers">
                <table class="rows"><thead><Heads plan={plan} first="Answer" /></thead><tbody>{plan.answers.map((answer) => <tr><Row plan={plan} names={names} config={answer} first={named(answer.answer)} /></tr>)}</tbody></table>
            </div>
            {told.length > 0 && (
                <>
                    <h2>What would change them</h2>
                    <p class="note">Each answer stays while a limit is in its range, all else alike.</p>
                    <div class="scroll" tabIndex={0} role="region" aria-label="What would change the answers">
                        <table class="rows">
                            <thead><tr><th scope="col">Answer</th><th scope="col">Limit</th><th scope="col" class="number">from</th><th scope="col" class="wide">below it</th><th scope="col" class="number">to</th><th scope="col" class="wide">above it</th></tr></thead>
                            <tbody>
                                {told.flatMap((answer) => [
                                    ...answer.stays!.map((stay) => <tr><td class="wrap">{named(answer.answer)}</td><td>{stay.limit.replace('-', ' ')}</td><td class="number">{sideOf(stay, 'from')}</td><td class="wide">{stay.below ? place(plan, names, stay.below) : '–'}</td><td class="number">{sideOf(stay, 'to')}</td><td class="wide">{stay.above ? place(plan, names, stay.above) : '–'}</td></tr>),
                                    answer.time_factor != null && <tr><td class="wrap">{named(answer.answer)}</td><td class="wrap">runs longer than predicted</td><td class="number">any</td><td class="wide">–</td><td class="number">{plain(answer.time_factor)} ×</td><td class="wide">a limit is missed</td></tr>,
                                    answer.price_factor != null && <tr><td class="wrap">{named(answer.answer)}</td><td class="wrap">price of {answer.machine}</td><td class="number">any</td><td class="wide">–</td><td class="number">{plain(answer.price_factor)} ×</td><td class="wide">{answer.at_another_price ? place(plan, names, answer.at_another_price) : 'a limit is missed'}</td></tr>,
                                ])}
                            </tbody>
                        </table>
                    </div>
                </>
            )}
        </>
    );
}

function Filters({ plan, state, change, shown }: PageProps & { shown: Config[] }): JSX.Element {
    // All on the front keep the limits with the probability that was asked for; stricter ones are for who wants more.
    const steps = [0, ...[0.9, 0.95, 0.99, 0.999, 0.9999].filter((step) => step > plan.confidence)];
    return (
        <div class="tools">
            <label class="search"><span class="hidden">Find a configuration</span><input type="search" placeholder="Find a configuration" value={state.planq ?? ''} onInput={(event) => change({ planq: (event.target as HTMLInputElement).value })} /></label>
            {plan.machines.length > 1 && <Choice label="machine" value={state.machine ?? ''} options={[['', 'any'], ...plan.machines.map((name): [string, string] => [name, name])]} choose={(value) => change({ machine: value })} />}
            <Choice label="keeps limits" value={state.probability ?? '0'} options={steps.map((step) => [String(step), step === 0 ? 'any' : `at least ${Number((100 * step).toPrecision(6))} %`])} choose={(value) => change({ probability: value === '0' ? '' : value })} />
            <output class="count">{exact(shown.length)} of {exact(plan.front.length)}</output>
        </div>
    );
}

function Front(props: PageProps & { shown: Config[] }): JSX.Element | null {
    const { plan, names, state, change, shown } = props;
    if (plan.front.length === 0) return null;
    const by = state.plansort ?? 'time.up';
    const [key, way] = by.split('.') as [Key, string];
    const sign = way === 'down' ? -1 : 1;
    const order = [...shown].sort((a, b) => sign * ((keys[key] ?? keys.time)(a) - (keys[key] ?? keys.time)(b)));
    const save = () => saveCsv('plan', [...names, 'machine', 'nodes', 'time [s]', 'low [s]', 'high [s]', `cost [${plan.cost_unit}]`, 'cost at confidence', 'efficiency', 'probability'],
        order.map((c) => [...names.map((n) => c.at[n]), c.machine, c.nodes, c.time_s.value, c.time_s.low, c.time_s.high, c.cost, c.cost_at_confidence, c.efficiency, c.probability]));
    return (
        <section>
            <h2>Less time for more cost</h2>
            <p class="note">No other configuration is better in both.{plan.front_size > plan.front.length && ` ${exact(plan.front.length)} of ${exact(plan.front_size)} are listed.`}</p>
            <div class="tools"><button onClick={save}>CSV</button></div>
            <VirtualTable label="The front" count={order.length} head={<Heads plan={plan} by={by} sort={(next) => change({ plansort: `${next}.${key === next && way === 'up' ? 'down' : 'up'}` })} />}
                row={(i) => <tr aria-rowindex={i + 2}><Row plan={plan} names={names} config={order[i]} /></tr>} />
        </section>
    );
}

/** How far an efficiency lasts, and with which sizes further. */
function Scaling({ plan }: PageProps): JSX.Element | null {
    const { scaling } = plan;
    if (!scaling) return null;
    const most = scaling.largest_processes;
    const wanted = level(plan.limits.efficiency);
    const sizes = scaling.sizes.filter((s) => s.size !== null);
    const x = sizes.map((s) => s.processes);
    const title = `Size that keeps ${wanted} efficiency`;
    return (
        <section>
            <h2>How far an efficiency of {wanted} lasts</h2>
            <p>{!most ? 'No number of processes reaches it.' : most.is_end ? <>Up to <strong>{exact(most.processes)}</strong> processes and beyond: no more were looked at.</> : <>Up to <strong>{exact(most.processes)}</strong> processes.</>}</p>
            {sizes.length > 1 && (
                <FigureFrame title={title} note="The isoefficiency function: how large the problem has to be on each number of processes."
                    table={() => ({ head: ['processes', scaling.size_parameter], rows: scaling.sizes.map((s) => [s.processes, s.size]) })}>
                    <Plot label={title} x={{ name: 'processes', log: true, ticksAt: x }} y={{ name: scaling.size_parameter, unit: '', log: sizes.every((s) => s.size! > 0) }} stops={x}
                        layers={[{ kind: 'line', color: 'var(--c1)', x, y: sizes.map((s) => s.size!) }, { kind: 'points', color: 'var(--c1)', x, y: sizes.map((s) => s.size!) }]}
                        readout={(v) => `${exact(v)} processes: ${scaling.size_parameter} = ${plain(sizes[x.indexOf(v)].size!, 4)}`} />
                </FigureFrame>
            )}
        </section>
    );
}

export function PlanningPage({ list, state, change }: { list: Named<Plan>[]; state: State; change: Change }): JSX.Element {
    const chosen = list[Number(state.plan ?? 0)] ?? list[0];
    const plan = chosen.content;
    const props = { plan, names: varied(everyConfig(plan).map((c) => c.at)), state, change };
    const shown = shownOf(props);
    return (
        <>
            <DocumentChoice list={list} chosen={chosen} label="plan" change={change} />
            <Answer {...props} />
            {plan.front.length > 0 && <Filters {...props} shown={shown} />}
            {everyConfig(plan).length > 0 && <CostFigure {...props} shown={shown} />}
            <Answers {...props} />
            <Front {...props} shown={shown} />
            <Scaling {...props} />
            <p class="note foot">Efficiency is relative to the fewest processes that were measured, {plan.work === 'in-all' ? 'of the same work on all of them (strong scaling)' : 'with as much work for each (weak scaling)'}. Of <bdi class="name">{chosen.name}</bdi>.</p>
            <Notes notes={plan.notes} />
        </>
    );
}
