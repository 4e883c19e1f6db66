// Which region is the largest where, over two parameters?

import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { Name } from '../cells';
import { exact, percent, withUnit } from '../format';
import { GridFigure, gridOf, placesOf, sidesOf } from '../plot/field';
import { palette, rest, type View } from '../view';
import { short, shownParts } from './overview';

/** The largest model of a metric at a place, by its number; -1 where there is none. */
function largestAt(view: View, models: number[], place: number[]): number {
    const column = view.experiment.column('value', place);
    let best = -1;
    for (const model of models) if (isFinite(column[model]) && (best < 0 || column[model] > column[best])) best = model;
    return best;
}

/** Nothing where one parameter varies, and of inclusive values, of which the root is always the largest. */
export function Dominating({ view }: { view: View }): JSX.Element | null {
    const { experiment, metric, place } = view;
    const { inclusive, metrics } = experiment.header;
    const { across, up, varied } = sidesOf(view);
    const isShown = varied.length > 1 && !inclusive;
    // What the two parameters' own sliders say does not matter for the field, and there are many models to look through.
    const others = place.map((p, k) => (k === across || k === up ? '' : p)).join();
    const found = useMemo(() => {
        if (!isShown) return null;
        const models = experiment.modelsOf(metric);
        const places = placesOf(view);
        const largest = places.map((row) => row.map((where) => largestAt(view, models, where)));
        const counts = new Map<number, number>();
        for (const model of largest.flat()) if (model >= 0) counts.set(model, (counts.get(model) ?? 0) + 1);
        return {
            largest, order: [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!),
            values: largest.map((row, j) => row.map((model, i) => (model < 0 ? NaN : experiment.at(model, places[j][i]).value))),
            shares: largest.map((row, j) => row.map((model, i) => (model < 0 ? NaN : experiment.share(model, places[j][i])))),
        };
    }, [experiment, metric, across, up, others, isShown]);
    if (!found || found.order.length === 0) return null;
    const { largest, order, values, shares } = found;
    // The colours of the shares beside it come first.
    const colored = [...new Set([...shownParts(view), ...order])].slice(0, palette.length);
    const colorOf = (model: number) => (colored.includes(model) ? palette[colored.indexOf(model)] : rest);
    const { unit } = metrics[metric];
    const grid = {
        ...gridOf(view, values, unit, []),
        ...(order.length > 1 ? { fill: (i: number, j: number) => colorOf(largest[j][i]) } : {}),
        tell: (i: number, j: number) => (largest[j][i] < 0 ? '–' : `${experiment.name(largest[j][i])}, ${withUnit(values[j][i], unit)}, ${percent(shares[j][i], 0)}`),
    };
    const named = order.filter((model) => colored.includes(model));
    const which = order.length > 1 ? 'Which region is the largest where' : `${short(experiment.name(order[0]))} is the largest everywhere; light is large`;
    return (
        <GridFigure view={view} grid={grid} title="The largest region" notes={{ flat: `${which}. The frame is where the sliders stand.`, surface: `${which}, as high as its value. The ring is where the sliders stand.` }}>
            {order.length > 1 && <ul class="legend">
                {named.map((model) => <li><span class="swatch" style={{ background: colorOf(model) }} /><Name text={experiment.name(model)} short={short(experiment.name(model))} /></li>)}
                {order.length > named.length && <li><span class="swatch" style={{ background: rest }} />{exact(order.length - named.length)} others</li>}
            </ul>}
        </GridFigure>
    );
}
