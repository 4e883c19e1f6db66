// What every page is told: the models, the metric and the point that are looked at.

import type { Experiment, Place } from './data';
import type { Change, State } from './state';

export interface View {
    experiment: Experiment;
    state: State;
    change: Change;
    metric: number;
    /** The point that the sliders stand at, and the one where most was measured. */
    place: Place;
    now: Place;
}

export function pointOf(view: View): number[] {
    return view.experiment.point(view.place);
}

/** Colours that people tell apart whatever colours they see (Okabe and Ito), vermilion kept for the load line. */
export const palette = ['var(--c1)', 'var(--c2)', 'var(--c3)', 'var(--c4)', 'var(--c5)', 'var(--c6)'];
export const rest = 'var(--c-rest)';
