// Documents that other commands print with --json, as far as the pages read them: docs/formats/*.schema.json.

import type { Interval } from './data';

export type At = Record<string, number>;

/** One point of plimsoll.training/1. */
export interface TrainingPoint {
    at: At;
    processes: number;
    batch: number | null;
    step_s: Interval | null;
    validation_step_s: Interval | null;
    parts_s: { computation: number; exposed_communication: number; rest: number; idle: number | null } | null;
    throughput_per_s: number;
    throughput_unit: string;
    efficiency: number | null;
    training_steps: number | null;
    validation_steps: number | null;
    epoch_s: Interval | null;
    training_s: Interval | null;
    process_hours: number | null;
    factors: { parallel_efficiency: number; load_balance: number | null; communication_efficiency: number; computation_scalability: number | null } | null;
    collectives: { name: string; calls: number; time_s: number; bytes: number; bus_bandwidth_bytes_per_s: number }[];
    samples: Interval | null;
}

export interface Training {
    schema: string;
    coverage: number;
    schedule: { dataset_size: number; validation_size: number; epochs: number; batch: string; batch_is: string; model_parallel: number; pipeline_parallel: number };
    efficiency_definition: 'standard' | 'extra-deep';
    precision: number;
    critical_batch: number | null;
    points: TrainingPoint[];
    profiled: { at: At; steps: number; step_s: number; half_width: number; needed_steps: number; epoch_steps: number }[];
    notes: string[];
}

export interface LimitCheck {
    limit: string;
    unit?: string;
    kept: boolean;
    needed?: number | null;
    allowed?: number | null;
    needed_s?: number | null;
    allowed_s?: number | null;
    needed_bytes?: number | null;
    allowed_bytes?: number | null;
}

export interface Config {
    machine: string;
    at: At;
    processes: number;
    nodes: number;
    time_s: { value: number | null; low: number | null; high: number | null };
    cost: number | null;
    cost_at_confidence: number | null;
    efficiency: number | null;
    probability: number | null;
    efficiency_probability?: number | null;
    limits: LimitCheck[];
}

type Place = { machine: string; at: At };

export interface Stay {
    limit: string;
    unit?: string;
    from?: number | null;
    to?: number | null;
    from_s?: number | null;
    to_s?: number | null;
    from_bytes?: number | null;
    to_bytes?: number | null;
    below: Place | null;
    above: Place | null;
}

export interface Answer extends Config {
    answer: string;
    stays?: Stay[];
    time_factor?: number | null;
    price_factor?: number | null;
    at_another_price?: Place | null;
}

/** plimsoll.plan-config/1 */
export interface Plan {
    schema: string;
    time_of: string;
    confidence: number;
    work: 'per-process' | 'in-all';
    cost_unit: string;
    limits: { deadline_s: number | null; budgets: { value: number; unit: string }[]; efficiency: number };
    machines: string[];
    configurations: number;
    without_value: number;
    feasible: number;
    answers: Answer[];
    front: Config[];
    front_size: number;
    nearest_miss: Config | null;
    reliefs: { limit: string; unit?: string; needed?: number; needed_s?: number; configuration: Config }[];
    scaling: {
        at: At;
        largest_processes: { processes: number; efficiency: number; is_end: boolean } | null;
        size_parameter: string;
        largest_size: number;
        sizes: { processes: number; size: number | null }[];
    } | null;
    notes: string[];
}

export interface CampaignJob {
    job: number;
    name: string;
    command: string[];
    tags: string[];
    state: string;
    tasks: number;
    counts: Record<string, number>;
    submitted_s: number | null;
    finished_s: number | null;
}

/** plimsoll.campaign-top/1 */
export interface Campaign {
    schema: string;
    /** Tasks of all jobs that have not ended, by state, and how many jobs and workers there are. */
    totals: Record<string, number>;
    /** The newest ones. */
    jobs: CampaignJob[];
    workers: { worker: number; name: string; host: string; resources: string; running: number; queued: number }[];
}

export interface Named<Document> {
    name: string;
    content: Document;
}

/** Names of parameters that differ between points; all where none does. */
export function varied(points: At[]): string[] {
    const names = Object.keys(points[0] ?? {});
    const found = names.filter((name) => points.some((at) => at[name] !== points[0][name]));
    return found.length > 0 ? found : names;
}
