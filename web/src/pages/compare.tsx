// What changed from one version of the program to the next? Verdicts are those of `plimsoll compare`.

import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { Name } from '../cells';
import type { Change, Comparison } from '../data';
import { exact, level } from '../format';
import { GrowthText } from '../formula';
import { saveCsv } from '../plot/download';
import { FigureFrame, useWidth } from '../plot/frame';
import { makeScale, ticks } from '../plot/scale';
import { link } from '../state';
import type { View } from '../view';
import { VirtualTable } from '../virtual';
import { short } from './overview';

const verdicts = ['slower', 'faster', 'unclear', 'alike'] as const;
const signs = { slower: '▲', faster: '▼', unclear: '?', alike: '=' };
const colors = { slower: 'var(--load)', faster: 'var(--c1)', unclear: 'var(--ink-soft)', alike: 'var(--ink-soft)' };

/** "+10.2 %" of a ratio. */
export function changeText(ratio: number | null): string {
    if (ratio === null || !isFinite(ratio)) return '–';
    const value = 100 * (ratio - 1);
    const text = Math.abs(value) < 9.95 ? Math.abs(value).toFixed(1) : Math.abs(value).toFixed(0);
    return `${Number(text) === 0 ? '±' : value < 0 ? '−' : '+'}${text} %`;
}

function Verdict({ verdict }: { verdict: Change['verdict'] }) {
    return <span class={`verdict ${verdict}`}><span aria-hidden="true">{signs[verdict]}</span> {verdict}</span>;
}

/** Ratios with their intervals, one line a region. */
function RatioFigure({ changes, coverage }: { changes: Change[]; coverage: number }): JSX.Element {
    const [element, width] = useWidth();
    const shown = changes.filter((c) => c.ratio > 0).slice(0, 24);
    const line = 26;
    const margin = { left: Math.min(260, 0.4 * width), right: 24, top: 10, bottom: 42 };
    const height = margin.top + margin.bottom + line * shown.length;
    const ends = shown.flatMap((c) => [c.ratio, c.interval?.low, c.interval?.high]).filter((v): v is number => !!v && isFinite(v) && v > 0);
    const reach = Math.min(64, Math.max(1.05, ...ends.map((v) => Math.max(v, 1 / v))) ** 1.1);
    const scale = makeScale(1 / reach, reach, true);
    const x = (v: number) => margin.left + (width - margin.left - margin.right) * Math.min(1, Math.max(0, scale.place(v)));
    const marks = ticks(makeScale(100 * (1 / reach - 1), 100 * (reach - 1), false), Math.max(3, Math.floor((width - margin.left) / 110))).map((v) => 1 + v / 100).filter((v) => v > 0);
    const letters = Math.max(10, Math.floor(margin.left / 7.5));
    return (
        <FigureFrame title="Largest changes" note={`Change of each region's time or other metric, with the ${level(coverage)} interval.`}
            table={() => ({ head: ['region', 'ratio', 'low', 'high', 'verdict'], rows: shown.map((c) => [c.region, c.ratio, c.interval?.low ?? null, c.interval?.high ?? null, c.verdict]) })}>
            <div class="plot" ref={element}>
                <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label="Largest changes">
                    {marks.map((v) => (
                        <g class="tick">
                            <line x1={x(v)} x2={x(v)} y1={margin.top} y2={height - margin.bottom} class={Math.abs(v - 1) < 1e-9 ? 'axis' : 'grid'} />
                            <text x={x(v)} y={height - margin.bottom + 18} class="x-label">{Math.abs(v - 1) < 1e-9 ? 'no change' : changeText(v).replace('.0', '')}</text>
                        </g>
                    ))}
                    {shown.map((c, i) => {
                        const y = margin.top + line * (i + 0.5);
                        const name = short(c.region);
                        return (
                            <g style={{ stroke: colors[c.verdict], fill: colors[c.verdict] }}>
                                <text x={margin.left - 10} y={y} class="y-label" style={{ stroke: 'none' }}>{name.length > letters ? `${name.slice(0, letters - 1)}…` : name}</text>
                                {c.interval?.low != null && c.interval.high != null && <line x1={x(c.interval.low)} x2={x(c.interval.high)} y1={y} y2={y} class="error" />}
                                <circle cx={x(c.ratio)} cy={y} r={4.2} class="point" />
                            </g>
                        );
                    })}
                </svg>
            </div>
        </FigureFrame>
    );
}

export function Compare({ view }: { view: View }): JSX.Element {
    const { experiment, metric, state, change } = view;
    const comparison = experiment.comparison as Comparison;
    const name = experiment.header.metrics[metric].name;
    const own = useMemo(() => comparison.changes.filter((c) => c.metric === name), [comparison, name]);
    const words = (state.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const shown = own.filter((c) => (!state.verdict || c.verdict === state.verdict) && words.every((word) => c.region.toLowerCase().includes(word)));
    const count = (verdict: Change['verdict']) => own.filter((c) => c.verdict === verdict).length;
    const moved = own.filter((c) => c.verdict === 'slower' || c.verdict === 'faster');
    const parts = verdicts.filter((v) => count(v) > 0).map((v) => `${exact(count(v))} ${v}`);
    const lost = (list: Comparison['only_before']) => list.filter((entry) => entry.metric === name).map((entry) => entry.region);
    const save = () => saveCsv('changes', ['verdict', 'region', 'metric', 'ratio', 'low', 'high', 'adjusted p', 'growth before', 'growth after'],
        shown.map((c) => [c.verdict, c.region, c.metric, c.ratio, c.interval?.low ?? null, c.interval?.high ?? null, c.adjusted_p_value ?? null, c.growth?.before ?? '', c.growth?.after ?? '']));
    return (
        <section>
            <div class="answer">
                <div>
                    <p class="headline">{parts.length > 0 ? <><strong>{parts[0].split(' ')[0]}</strong>{parts[0].slice(parts[0].indexOf(' '))}{parts.slice(1).map((part) => `, ${part}`)}</> : 'Nothing to compare'}</p>
                    <p class="dim">From <bdi class="name">{comparison.before}</bdi> to <bdi class="name">{comparison.after}</bdi>, {comparison.by === 'measurements' ? 'at the points measured in both' : 'by the models'}. No more than {level(1 - comparison.confidence)} of the verdicts <i>slower</i> and <i>faster</i> are expected to be false; changes below {level(comparison.least_change)} do not count.</p>
                </div>
            </div>
            {own.length > 0 && <RatioFigure changes={moved.length > 0 ? moved : own} coverage={comparison.confidence} />}
            <h2>All changes</h2>
            <div class="tools">
                <label class="search"><span class="hidden">Find a region</span><input type="search" placeholder="Find a region" value={state.q ?? ''} onInput={(event) => change({ q: (event.target as HTMLInputElement).value })} /></label>
                <label class="toggle">verdict <select value={state.verdict ?? ''} onChange={(event) => change({ verdict: (event.target as HTMLSelectElement).value })}><option value="">any</option>{verdicts.map((v) => <option>{v}</option>)}</select></label>
                <output class="count">{exact(shown.length)} of {exact(own.length)}</output>
                <button onClick={save}>CSV</button>
            </div>
            <VirtualTable label="Changes" count={shown.length}
                head={<tr><th scope="col">Region</th><th scope="col">Verdict</th><th scope="col" class="number">Change</th><th scope="col" class="number wide">{level(comparison.confidence)} interval</th><th scope="col" class="wide">Growth before</th><th scope="col" class="wide">after</th></tr>}
                row={(i) => {
                    const c = shown[i];
                    return (
                        <tr aria-rowindex={i + 2}>
                            <td class="region"><a href={link(state, { page: 'region', region: c.region })}><Name text={c.region} short={c.region.slice(0, 300)} /></a></td>
                            <td><Verdict verdict={c.verdict} /></td>
                            <td class="number">{changeText(c.ratio)}</td>
                            <td class="number wide"><span class="between">{c.interval ? `${changeText(c.interval.low)} to ${changeText(c.interval.high)}` : '–'}</span></td>
                            <td class="wide">{c.growth && <GrowthText text={c.growth.before} />}</td>
                            <td class={`wide ${c.growth?.changed ? 'changed' : ''}`}>{c.growth && <GrowthText text={c.growth.after} />}</td>
                        </tr>
                    );
                }} />
            {([['Only before', lost(comparison.only_before)], ['Only after', lost(comparison.only_after)]] as const).map(([title, list]) => list.length > 0 && (
                <><h3 class="list-title">{title}</h3><ul class="notes">{list.slice(0, 100).map((region) => <li><Name text={region} short={region.slice(0, 300)} /></li>)}{list.length > 100 && <li class="dim">and {exact(list.length - 100)} more</li>}</ul></>
            ))}
        </section>
    );
}
