// What was read, how it was modelled, and what to know before trusting it.

import type { JSX } from 'preact';
import { exact } from '../format';
import type { View } from '../view';

export function About({ view }: { view: View }): JSX.Element {
    const { experiment } = view;
    const { name, parameters, smallest, largest, measured, options, notes, metrics, regions, axes } = experiment.header;
    const modelled = experiment.header.models.status.filter((s) => s === 0).length;
    return (
        <section class="about">
            <h2>What was read</h2>
            <dl class="facts">
                <div><dt>Input</dt><dd><bdi class="name">{name}</bdi></dd></div>
                <div><dt>Regions</dt><dd>{exact(regions.length)}</dd></div>
                <div><dt>Models</dt><dd>{exact(modelled)} of {exact(experiment.count)}</dd></div>
                <div><dt>Measured points</dt><dd>{measured.length > 0 ? exact(measured.length) : 'not in a file of models'}</dd></div>
            </dl>
            <div class="two">
                <div>
                    <h3>Parameters</h3>
                    <table class="plain">
                        <thead><tr><th scope="col">Name</th><th scope="col" class="number">smallest</th><th scope="col" class="number">largest</th><th scope="col" class="number">known up to</th></tr></thead>
                        <tbody>{parameters.map((p, k) => <tr><td><i>{p}</i></td><td class="number">{exact(smallest[k])}</td><td class="number">{exact(largest[k])}</td><td class="number">{exact(axes[k][axes[k].length - 1])}</td></tr>)}</tbody>
                    </table>
                    <h3>Metrics</h3>
                    <table class="plain">
                        <thead><tr><th scope="col">Name</th><th scope="col">Unit</th></tr></thead>
                        <tbody>{metrics.map((m) => <tr><td>{m.name || 'value'}</td><td>{m.unit || '–'}</td></tr>)}</tbody>
                    </table>
                </div>
                <div>
                    <h3>How it was modelled</h3>
                    <table class="plain"><thead><tr><th scope="col">Option</th><th scope="col">Value</th></tr></thead><tbody>{Object.entries(options).map(([option, value]) => <tr><td><code>--{option}</code></td><td>{value}</td></tr>)}</tbody></table>
                </div>
            </div>
            {notes.length > 0 && <><h3>Notes</h3><ul class="notes">{notes.map((note) => <li>{note}</li>)}</ul></>}
        </section>
    );
}
