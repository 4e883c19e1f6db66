// Which regions are there, and how do they compare? A table of everything.

import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { Between, Name, Quality, Share, Value } from '../cells';
import { evaluate } from '../evaluate';
import { assignments, exact, level, plain } from '../format';
import { Growth } from '../formula';
import { ordered } from '../order';
import { saveCsv } from '../plot/download';
import { link } from '../state';
import { pointOf, type View } from '../view';
import { VirtualTable } from '../virtual';
import { heading } from './overview';

type Key = 'region' | 'growth' | 'now' | 'here' | 'change' | 'error' | 'points';

/** What a growth is ordered by: its value far out. */
function far(view: View): number[] {
    const { growths, parameters } = view.experiment.header;
    const at = Object.fromEntries(parameters.map((name) => [name, 2 ** 40]));
    return growths.map((growth) => (growth.function ? evaluate(growth.function, at) : -1));
}

function fits(small: string, words: string[]): boolean {
    return words.every((word) => small.includes(word));
}

function Head({ view, name, label, number, wide }: { view: View; name: Key; label: string; number?: boolean; wide?: boolean }) {
    const [by, way] = (view.state.sort ?? 'here.down').split('.');
    const isBy = by === name;
    const next = isBy && way === 'down' ? 'up' : isBy ? 'down' : name === 'region' ? 'up' : 'down';
    return (
        <th scope="col" class={`${number ? 'number' : ''} ${wide ? 'wide' : ''}`} aria-sort={isBy ? (way === 'down' ? 'descending' : 'ascending') : 'none'}>
            <button class="sort" onClick={() => view.change({ sort: `${name}.${next}` })}>{label}<span aria-hidden="true">{isBy ? (way === 'down' ? ' ▾' : ' ▴') : ''}</span></button>
        </th>
    );
}

export function Regions({ view }: { view: View }): JSX.Element {
    const { experiment, metric, place, now, state, change } = view;
    const { parameters, models, has_intervals, coverage, metrics, growths } = experiment.header;
    const words = (state.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const all = useMemo(() => experiment.modelsOf(metric), [experiment, metric]);
    const found = useMemo(
        () => all.filter((k) => (words.length === 0 || fits(experiment.smallNames[models.region[k]], words)) && (!state.growth || growths[models.growth[k]].text === state.growth)),
        [all, state.q, state.growth],
    );
    const [by, way] = (state.sort ?? 'here.down').split('.');
    const order = useMemo(() => {
        const here = experiment.column('value', place);
        const before = experiment.column('value', now);
        const growth = by === 'growth' ? far(view) : [];
        const keys: Record<string, (k: number) => number> = {
            growth: (k) => growth[models.growth[k]], now: (k) => before[k], here: (k) => here[k], change: (k) => here[k] / before[k],
            error: (k) => models.smape[k] ?? NaN, points: (k) => models.points[k], region: (k) => experiment.nameRanks[models.region[k]],
        };
        const key = keys[by] ?? keys.here;
        const values = new Float32Array(experiment.count);
        for (const k of found) values[k] = key(k);
        return ordered(found, values, way === 'up' ? 'up' : 'down');
    }, [found, by, way, place.join(), now.join()]);
    const usedGrowths = useMemo(() => [...new Set(all.map((k) => models.growth[k]))].map((g) => growths[g].text).filter((text) => text !== '').sort(), [all]);
    const save = () => saveCsv('regions', ['region', 'metric', 'unit', 'growth', ...parameters.map((p) => `${p} (measured)`), 'value', ...parameters, 'value here', 'low', 'high', 'share', 'smape_percent', 'points'],
        Array.from(order, (k) => {
            const e = experiment.at(k, place);
            return [experiment.name(k), metrics[metric].name, experiment.unit(k), experiment.growth(k).text, ...experiment.point(now), experiment.at(k, now).value, ...pointOf(view), e.value, e.low, e.high, experiment.share(k, place), models.smape[k], models.points[k]];
        }));
    return (
        <section>
            <h2>Regions</h2>
            <div class="tools">
                <label class="search"><span class="hidden">Find a region</span><input type="search" placeholder="Find a region" value={state.q ?? ''} onInput={(event) => change({ q: (event.target as HTMLInputElement).value })} /></label>
                <label class="toggle">grows as <select value={state.growth ?? ''} onChange={(event) => change({ growth: (event.target as HTMLSelectElement).value })}><option value="">anything</option>{usedGrowths.slice(0, 200).map((text) => <option value={text}>{text === '1' ? 'bounded' : text}</option>)}</select></label>
                <output class="count">{exact(order.length)} of {exact(all.length)}</output>
                <button onClick={save}>CSV</button>
            </div>
            <p class="note">Values here are at {assignments(parameters, pointOf(view))}.</p>
            <VirtualTable label="Regions" count={order.length} klass="everything"
                head={
                    <tr>
                        <Head view={view} name="region" label="Region" /><Head view={view} name="growth" label="Growth" wide /><Head view={view} name="now" label={heading(view, now, 'Largest measured')} number wide />
                        <Head view={view} name="here" label={heading(view, place, 'Here')} number />{has_intervals && <th scope="col" class="number wide">{level(coverage)} interval</th>}
                        <th scope="col">Share</th><Head view={view} name="change" label="Times" number wide /><Head view={view} name="error" label="Error" number wide /><Head view={view} name="points" label="Points" number wide />
                    </tr>
                }
                row={(i) => {
                    const k = order[i];
                    const unit = experiment.unit(k);
                    const here = experiment.at(k, place);
                    const before = experiment.at(k, now).value;
                    return (
                        <tr aria-rowindex={i + 2}>
                            <td class="region"><a href={link(state, { page: 'region', region: experiment.name(k) })}><Name text={experiment.name(k)} short={experiment.name(k).slice(0, 300)} /></a></td>
                            <td class="wide"><Growth growth={experiment.growth(k)} parameters={parameters} /></td>
                            <td class="number wide"><Value value={before} unit={unit} /></td>
                            <td class="number"><Value value={here.value} unit={unit} /></td>
                            {has_intervals && <td class="number wide"><Between low={here.low} high={here.high} unit={unit} /></td>}
                            <td><Share share={experiment.share(k, place)} /></td>
                            <td class="number wide">{plain(here.value / before)}</td>
                            <td class="number wide"><Quality smape={models.smape[k]} /></td>
                            <td class="number wide">{models.points[k]}</td>
                        </tr>
                    );
                }} />
            {order.length === 0 && <p class="empty">No region has all of these words in its path.</p>}
        </section>
    );
}
