// The bar under the title: which metric, and at which scale. All pages follow it.

import { exact } from './format';
import type { View } from './view';

export function Controls({ view }: { view: View }) {
    const { experiment, metric, place, change } = view;
    const { parameters, axes, largest, target, metrics } = experiment.header;
    const set = (point: number[]) => change(Object.fromEntries(parameters.map((name, k) => [`at.${name}`, String(point[k])])));
    const is = (point: number[]) => experiment.placeOf(point).every((i, k) => i === place[k]);
    return (
        <div class="bar-of-controls" role="group" aria-label="What is looked at">
            {metrics.length > 1 && (
                <label class="control">
                    <span>Metric</span>
                    <select value={String(metric)} onChange={(event) => change({ metric: metrics[Number((event.target as HTMLSelectElement).value)].name })}>
                        {metrics.map((m, k) => <option value={String(k)}>{m.name || 'value'}{m.unit ? ` (${m.unit})` : ''}</option>)}
                    </select>
                </label>
            )}
            {parameters.map((name, k) => axes[k].length > 1 && (
                <label class="control slider">
                    <span><i>{name}</i> = <output>{exact(axes[k][place[k]])}</output>{axes[k][place[k]] > largest[k] && <span class="beyond"> beyond measured</span>}</span>
                    <input type="range" min={0} max={axes[k].length - 1} step={1} value={place[k]} aria-label={name} aria-valuetext={`${name} = ${exact(axes[k][place[k]])}`}
                        style={{ '--measured': `${(100 * experiment.stop(k, largest[k])) / (axes[k].length - 1)}%` }}
                        onInput={(event) => change({ [`at.${name}`]: String(axes[k][Number((event.target as HTMLInputElement).value)]) })} />
                </label>
            ))}
            <div class="control buttons">
                <button aria-pressed={is(largest)} onClick={() => set(largest)}>Largest measured</button>
                <button aria-pressed={is(target)} onClick={() => set(target)}>Target</button>
            </div>
        </div>
    );
}
