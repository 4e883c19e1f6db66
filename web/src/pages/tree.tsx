// Where does the time sit, and where will it sit? Each region with all that it calls.

import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Quality, Share, Value } from '../cells';
import { Growth } from '../formula';
import { assignments } from '../format';
import { link } from '../state';
import { pointOf, type View } from '../view';
import { VirtualTable } from '../virtual';
import { heading } from './overview';

interface Sums {
    own: Float64Array;
    below: Float64Array; // own and all below
}

/** Values of each node at a place; sums of medians, as shares are. Inclusive values are sums already. */
function sums(view: View, place: number[], modelOf: Int32Array): Sums {
    const { tree, inclusive } = view.experiment.header;
    const column = view.experiment.column('value', place);
    const own = new Float64Array(tree.parent.length);
    for (let n = 0; n < own.length; ++n) {
        const value = modelOf[n] < 0 ? NaN : column[modelOf[n]];
        own[n] = value > 0 && isFinite(value) ? value : 0;
    }
    const below = Float64Array.from(own);
    // Parents stand before their children.
    for (let n = own.length - 1; n > 0; --n) {
        const parent = tree.parent[n];
        if (!inclusive || modelOf[parent] < 0) below[parent] += below[n];
    }
    return { own, below };
}

export function Tree({ view }: { view: View }): JSX.Element {
    const { experiment, metric, place, now, state, change } = view;
    const { tree, parameters, models, metrics, inclusive } = experiment.header;
    const modelOf = useMemo(() => {
        const ofRegion = new Int32Array(experiment.header.regions.length).fill(-1);
        for (let k = 0; k < experiment.count; ++k) if (models.metric[k] === metric) ofRegion[models.region[k]] = k;
        return Int32Array.from(tree.region, (r) => (r < 0 ? -1 : ofRegion[r]));
    }, [experiment, metric]);
    const here = useMemo(() => sums(view, place, modelOf), [modelOf, place.join()]);
    const before = useMemo(() => sums(view, now, modelOf), [modelOf, now.join()]);
    const children = useMemo(() => {
        const lists: number[][] = tree.parent.map(() => []);
        for (let n = 1; n < tree.parent.length; ++n) lists[tree.parent[n]].push(n);
        return lists;
    }, [experiment]);
    const [open, setOpen] = useState<Set<number>>(() => {
        const first = new Set([0]);
        let frontier = [0];
        let rows = 0;
        while (frontier.length > 0 && rows < 40) { // as many levels as fit
            const next = frontier.flatMap((n) => children[n]);
            rows += next.length;
            next.forEach((n) => rows < 40 && first.add(n));
            frontier = next;
        }
        return first;
    });
    const [focus, setFocus] = useState(0);
    const bySize = state.order !== 'program';
    const rows = useMemo(() => {
        const list: { node: number; depth: number }[] = [];
        const visit = (n: number, depth: number) => {
            const below = bySize ? [...children[n]].sort((a, b) => here.below[b] - here.below[a]) : children[n];
            for (const child of below) {
                list.push({ node: child, depth });
                if (open.has(child)) visit(child, depth + 1);
            }
        };
        visit(0, 0);
        return list;
    }, [open, here, bySize]);
    const turn = (n: number, wanted: boolean) => {
        const next = new Set(open);
        if (wanted) next.add(n);
        else next.delete(n);
        setOpen(next);
    };
    const largest = () => {
        const next = new Set(open);
        for (let n = 0; children[n].length > 0;) {
            next.add(n);
            n = children[n].reduce((best, child) => (here.below[child] > here.below[best] ? child : best), children[n][0]);
        }
        setOpen(next);
    };
    const keys = (event: KeyboardEvent) => {
        const row = rows[focus];
        if (!row || (event.target as HTMLElement).tagName === 'A') return;
        const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (move) setFocus(Math.min(rows.length - 1, Math.max(0, focus + move)));
        else if (event.key === 'ArrowRight') turn(row.node, true);
        else if (event.key === 'ArrowLeft') {
            if (open.has(row.node)) turn(row.node, false);
            else setFocus(Math.max(0, rows.findIndex((r) => r.node === tree.parent[row.node])));
        } else if (event.key === 'Enter' && modelOf[row.node] >= 0) change({ page: 'region', region: experiment.name(modelOf[row.node]) }, 'step');
        else return;
        event.preventDefault();
    };
    const total = (s: Sums) => s.below[0];
    return (
        <section>
            <h2>Call tree</h2>
            <div class="tools">
                <button onClick={() => setOpen(new Set(tree.parent.keys()))}>Expand all</button>
                <button onClick={() => setOpen(new Set([0]))}>Collapse all</button>
                <button onClick={largest}>Expand largest</button>
                <label class="toggle"><input type="checkbox" checked={bySize} onChange={() => change({ order: bySize ? 'program' : '' })} />largest first</label>
            </div>
            <p class="note">
                {metrics[metric].name || 'value'} at {assignments(parameters, pointOf(view))}{inclusive ? '' : ', of each region with all below it; full bars are the region alone'}. Arrow keys walk the tree, Enter opens a region.
            </p>
            <VirtualTable label="Call tree" klass="tree" count={rows.length} follow={focus} onKeyDown={keys}
                head={
                    <tr>
                        <th scope="col">Region</th><th scope="col" class="wide">Growth</th><th scope="col" class="number wide">{heading(view, now, 'Largest measured')}</th><th scope="col" class="wide">Share</th>
                        <th scope="col" class="number">{heading(view, place, 'Here')}</th><th scope="col">Share</th><th scope="col" class="number wide">Alone</th><th scope="col" class="number wide">Error</th>
                    </tr>
                }
                row={(i) => {
                    const { node, depth } = rows[i];
                    const k = modelOf[node];
                    const unit = metrics[metric].unit;
                    const name = tree.name[node];
                    const isOpen = open.has(node);
                    return (
                        <tr key={node} class={i === focus ? 'focused' : ''} aria-rowindex={i + 2} onClick={() => setFocus(i)}>
                            <td class="region" style={{ paddingLeft: `${0.25 + 1.15 * Math.min(depth, 24)}rem` }}>
                                {children[node].length > 0
                                    ? <button class="twist" aria-expanded={isOpen} aria-label={`${isOpen ? 'Collapse' : 'Expand'} ${name.slice(0, 80)}`} onClick={() => turn(node, !isOpen)}>{isOpen ? '▾' : '▸'}</button>
                                    : <span class="twist" />}
                                {k >= 0 ? <a href={link(state, { page: 'region', region: experiment.name(k) })}><bdi class="name">{name.slice(0, 300)}</bdi></a> : <bdi class="name dim">{name.slice(0, 300)}</bdi>}
                            </td>
                            <td class="wide">{k >= 0 && <Growth growth={experiment.growth(k)} parameters={parameters} />}</td>
                            <td class="number wide"><Value value={before.below[node]} unit={unit} /></td>
                            <td class="wide"><Share share={before.below[node] / total(before)} own={inclusive ? undefined : before.own[node] / total(before)} /></td>
                            <td class="number"><Value value={here.below[node]} unit={unit} /></td>
                            <td><Share share={here.below[node] / total(here)} own={inclusive ? undefined : here.own[node] / total(here)} /></td>
                            <td class="number wide">{k >= 0 ? <Value value={here.own[node]} unit={unit} /> : <span class="dim">–</span>}</td>
                            <td class="number wide">{k >= 0 && <Quality smape={models.smape[k]} />}</td>
                        </tr>
                    );
                }} />
        </section>
    );
}
