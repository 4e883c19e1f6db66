// What a report holds: the blocks of data in the page, as docs/formats/report.md describes them.

import type { Campaign, Named, Plan, Training } from './documents';
import type { PublishedFunction } from './evaluate';

export interface Alternative {
    probability: number;
    from?: number | null;
    to?: number | null;
    function: PublishedFunction;
}

/** As it stands in the report: point, value, modelled, and the repetitions or their smallest and largest value. */
type StoredMeasurement = [number, number, number | null, number[] | { range: [number, number] } | null];

export interface Measurement {
    point: number; // place in `measured`
    value: number; // what was modelled
    modelled?: number | null;
    repetitions?: number[];
    range?: [number, number];
}

export interface Fitness {
    rss: number | null;
    smape: number | null;
    r2: number | null;
    adjusted_r2: number | null;
}

/** What a page about one region needs, and others do not. */
export interface Details {
    function?: PublishedFunction;
    quality?: { in_sample: Fitness; leave_one_out: Fitness };
    warnings?: string[];
    alternatives?: Alternative[];
    run_deviation?: number;
    reason?: string;
    measurements?: Measurement[];
}

export interface Scale {
    parameter: number;
    counted: string;
    work: 'in-all' | 'per-process';
    fewest: number;
    least: number;
    time_of: string;
    /** What was taken for granted. */
    notes: string[];
    time: (number | null)[];
    efficiency: (number | null)[];
    ends: ({ processes: number; is_end: boolean } | null)[];
}

export interface Header {
    name: string;
    parameters: string[];
    options: Record<string, string>;
    smallest: number[];
    largest: number[];
    target: number[];
    coverage: number;
    inclusive: boolean;
    axes: number[][];
    measured: number[][];
    metrics: { name: string; unit: string; totals: (number | null)[] }[];
    has_intervals: boolean;
    details_of_a_block: number;
    regions: string[];
    /** Nodes of the call tree, parents first; the root has no name. A region of -1 was not measured. */
    tree: { name: string[]; parent: number[]; region: number[] };
    growths: { text: string; function?: PublishedFunction }[];
    models: Record<'region' | 'metric' | 'growth' | 'status' | 'points' | 'repetitions' | 'warnings', number[]> & { smape: (number | null)[] };
    scale?: Scale;
    no_scale?: string;
    notes: string[];
}

export interface Interval {
    value: number;
    low: number;
    high: number;
}

/** plimsoll.compare/1, as far as the page reads it. */
export interface Change {
    region: string;
    metric: string;
    verdict: 'slower' | 'faster' | 'unclear' | 'alike';
    ratio: number;
    interval?: { low: number | null; high: number | null };
    adjusted_p_value?: number | null;
    growth?: { before: string; after: string; changed: boolean };
    points: { at: Record<string, number>; before: number; after: number }[];
}

export interface Comparison {
    before: string;
    after: string;
    by: 'measurements' | 'models';
    confidence: number;
    least_change: number;
    changes: Change[];
    only_before: { region: string; metric: string }[];
    only_after: { region: string; metric: string }[];
}

export type Place = number[]; // of a stop on each axis

/** A block of a page: of this one, or of a newer one of the same report that was fetched. */
function block(from: Document, id: string): string {
    return from.getElementById(id)?.textContent ?? '';
}

/** All numbers of a block in base64, single precision, least byte first. */
function floats(text: string): Float32Array {
    const bytes = atob(text);
    const view = new DataView(new ArrayBuffer(bytes.length));
    for (let i = 0; i < bytes.length; ++i) view.setUint8(i, bytes.charCodeAt(i));
    const numbers = new Float32Array(bytes.length / 4);
    for (let i = 0; i < numbers.length; ++i) numbers[i] = view.getFloat32(4 * i, true);
    return numbers;
}

/** One number of such a block, without reading the others. */
function floatAt(text: string, i: number): number {
    const group = Math.floor((4 * i) / 3);
    const bytes = atob(text.slice(4 * group, 4 * group + 12));
    const view = new DataView(new ArrayBuffer(4));
    for (let k = 0; k < 4; ++k) view.setUint8(k, bytes.charCodeAt(4 * i - 3 * group + k));
    return view.getFloat32(0, true);
}

function measurement([point, value, modelled, runs]: StoredMeasurement): Measurement {
    const found: Measurement = { point, value, modelled };
    if (Array.isArray(runs)) found.repetitions = runs;
    else if (runs) found.range = runs.range;
    return found;
}

/** The models of one experiment, with their values at the stops of all parameters. */
export class Experiment {
    readonly count: number;
    private readonly strides: number[];
    private readonly texts = new Map<string, string>();
    private readonly columns = new Map<string, Float32Array>();
    private readonly blocks = new Map<number, Details[]>();
    private nodes: Int32Array | undefined;
    private small: string[] | undefined;
    private ranksOfNames: Int32Array | undefined;
    private readonly ofMetric = new Map<number, number[]>();
    private compared: Comparison | null | undefined;

    constructor(readonly header: Header, private readonly from: Document) {
        this.count = header.models.region.length;
        this.strides = header.axes.map((_, k) => header.axes.slice(k + 1).reduce((product, axis) => product * axis.length, 1));
    }

    name(model: number): string {
        return this.header.regions[this.header.models.region[model]];
    }

    unit(model: number): string {
        return this.header.metrics[this.header.models.metric[model]].unit;
    }

    growth(model: number) {
        return this.header.growths[this.header.models.growth[model]];
    }

    hasModel(model: number): boolean {
        return this.header.models.status[model] === 0;
    }

    /** What changed since an earlier version; null where there is none. */
    get comparison(): Comparison | null {
        if (this.compared === undefined) {
            const text = block(this.from, 'compare');
            this.compared = text ? (JSON.parse(text) as Comparison) : null;
        }
        return this.compared;
    }

    get hasComparison(): boolean {
        return this.from.getElementById('compare') !== null;
    }

    private node(model: number): number {
        const { tree, regions, models } = this.header;
        if (!this.nodes) {
            this.nodes = new Int32Array(regions.length);
            tree.region.forEach((region, n) => region >= 0 && (this.nodes![region] = n));
        }
        return this.nodes[models.region[model]];
    }

    /** The last piece of a region's path. */
    lastPiece(model: number): string {
        return this.header.tree.name[this.node(model)];
    }

    /** The pieces above, from the outermost, with the region that each is, or -1. */
    ancestors(model: number): { name: string; region: number }[] {
        const { tree } = this.header;
        const pieces: { name: string; region: number }[] = [];
        for (let n = tree.parent[this.node(model)]; n > 0; n = tree.parent[n]) pieces.unshift({ name: tree.name[n], region: tree.region[n] });
        return pieces;
    }

    /** Models of a metric, those without one among them. */
    modelsOf(metric: number): number[] {
        let found = this.ofMetric.get(metric);
        if (!found) {
            found = [];
            for (let k = 0; k < this.count; ++k) if (this.header.models.metric[k] === metric) found.push(k);
            this.ofMetric.set(metric, found);
        }
        return found;
    }

    /** Paths in small letters, for searches. */
    get smallNames(): string[] {
        this.small ??= this.header.regions.map((region) => region.toLowerCase());
        return this.small;
    }

    /** Of each region, its place in the order of their paths. */
    get nameRanks(): Int32Array {
        if (!this.ranksOfNames) {
            const { regions } = this.header;
            const places = regions.map((_, i) => i).sort((a, b) => (regions[a] < regions[b] ? -1 : regions[a] > regions[b] ? 1 : 0));
            this.ranksOfNames = new Int32Array(regions.length);
            places.forEach((region, i) => (this.ranksOfNames![region] = i));
        }
        return this.ranksOfNames;
    }

    find(region: string, metric: number): number {
        const place = this.header.regions.indexOf(region);
        return this.header.models.region.findIndex((r, k) => r === place && this.header.models.metric[k] === metric);
    }

    /** The stop nearest to a value. */
    stop(parameter: number, value: number): number {
        const axis = this.header.axes[parameter];
        let best = 0;
        axis.forEach((x, i) => {
            if (Math.abs(x - value) < Math.abs(axis[best] - value)) best = i;
        });
        return best;
    }

    placeOf(point: number[]): Place {
        return point.map((value, k) => this.stop(k, value));
    }

    point(place: Place): number[] {
        return place.map((i, k) => this.header.axes[k][i]);
    }

    /** Number of a point of the grid. */
    index(place: Place): number {
        return place.reduce((sum, i, k) => sum + i * this.strides[k], 0);
    }

    /** Number of the row along a parameter that a point lies in. */
    row(place: Place, parameter: number): number {
        const others = place.map((i, k) => (k === parameter ? 0 : i));
        const behind = this.strides[parameter];
        const index = this.index(others);
        return Math.floor(index / (behind * this.header.axes[parameter].length)) * behind + (index % behind);
    }

    private text(kind: string, index: number): string {
        const id = `${kind}-${index}`;
        let text = this.texts.get(id);
        if (text === undefined) {
            text = block(this.from, id);
            this.texts.set(id, text);
        }
        return text;
    }

    /** Values of all models at a point of the grid. */
    column(kind: 'value' | 'low' | 'high', place: Place): Float32Array {
        const index = this.index(place);
        const id = `${kind}-${index}`;
        let column = this.columns.get(id);
        if (!column) {
            column = floats(this.text(kind, index));
            if (this.columns.size > 32) this.columns.clear();
            this.columns.set(id, column);
        }
        return column;
    }

    /** Value and interval of one model at a point of the grid. */
    at(model: number, place: Place): Interval {
        const index = this.index(place);
        const value = floatAt(this.text('value', index), model);
        if (!this.header.has_intervals) return { value, low: NaN, high: NaN };
        return { value, low: floatAt(this.text('low', index), model), high: floatAt(this.text('high', index), model) };
    }

    total(metric: number, place: Place): number {
        return this.header.metrics[metric].totals[this.index(place)] ?? NaN;
    }

    /** Share of the total of the metric at a point; not a number where there is none. */
    share(model: number, place: Place): number {
        const total = this.total(this.header.models.metric[model], place);
        const value = floatAt(this.text('value', this.index(place)), model);
        return total > 0 && isFinite(total) ? Math.max(value, 0) / total : NaN;
    }

    details(model: number): Details {
        const size = this.header.details_of_a_block;
        const number = Math.floor(model / size);
        let list = this.blocks.get(number);
        if (!list) {
            const stored = JSON.parse(block(this.from, `details-${number}`)) as (Omit<Details, 'measurements'> & { measurements?: StoredMeasurement[] })[];
            list = stored.map((details) => ({ ...details, measurements: details.measurements?.map(measurement) }));
            this.blocks.set(number, list);
        }
        return list[model % size];
    }

    /** The point where most was measured, and the one that the report looks ahead to. */
    get now(): Place {
        return this.placeOf(this.header.largest);
    }
    get target(): Place {
        return this.placeOf(this.header.target);
    }
}

/** All that a report shows: one experiment at most, and documents of other commands. */
export interface Report {
    name: string;
    experiment?: Experiment;
    trainings: Named<Training>[];
    plans: Named<Plan>[];
    campaigns: Named<Campaign>[];
}

export function readReport(from: Document): Report {
    const { experiments, documents } = JSON.parse(block(from, 'report')) as { experiments: Header[]; documents: { kind: string; name: string }[] };
    const report: Report = { name: '', trainings: [], plans: [], campaigns: [] };
    const names = documents.map((document) => document.name);
    documents.forEach(({ kind, name }, i) => {
        const content = JSON.parse(block(from, `document-${i}`));
        if (kind === 'training') report.trainings.push({ name, content });
        else if (kind === 'plan') report.plans.push({ name, content });
        else if (kind === 'campaign') report.campaigns.push({ name, content });
    });
    if (experiments.length > 0) {
        report.experiment = new Experiment(experiments[0], from);
        names.unshift(experiments[0].name);
    }
    report.name = names.join(', ');
    return report;
}
