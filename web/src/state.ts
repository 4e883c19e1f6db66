// What is looked at stands behind the # of the address, so that it can be kept, sent and gone back to.

import { useEffect, useState } from 'preact/hooks';

export type State = Record<string, string>;

export function parse(hash: string): State {
    const text = hash.replace(/^#\/?/, '');
    const cut = text.indexOf('?');
    const state: State = { page: (cut < 0 ? text : text.slice(0, cut)) || 'overview' };
    for (const [name, value] of new URLSearchParams(cut < 0 ? '' : text.slice(cut + 1))) {
        if (name !== 'page') state[name] = value;
    }
    return state;
}

export function format(state: State): string {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(state)) if (name !== 'page' && value !== '') query.set(name, value);
    const text = query.toString();
    return `#/${state.page}${text ? `?${text}` : ''}`;
}

/** A change of what is looked at: a step to go back to, or (a slider, a letter) none. */
export type Change = (change: State, step?: 'step' | 'same') => void;

export function useAddress(): [State, Change] {
    const [state, setState] = useState(() => parse(location.hash));
    useEffect(() => {
        const follow = () => setState(parse(location.hash));
        addEventListener('hashchange', follow);
        return () => removeEventListener('hashchange', follow);
    }, []);
    const change: Change = (changes, step = 'same') => {
        const next = { ...parse(location.hash), ...changes };
        const hash = format(next);
        if (step === 'step') {
            location.hash = hash;
        } else {
            history.replaceState(null, '', hash);
            setState(parse(hash));
        }
    };
    return [state, change];
}

export function link(state: State, changes: State): string {
    return format({ ...state, ...changes });
}
