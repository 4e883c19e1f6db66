import { render } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { Controls } from './controls';
import { readReport, type Experiment } from './data';
import { About } from './pages/about';
import { Compare } from './pages/compare';
import { Overview } from './pages/overview';
import { Region } from './pages/region';
import { Regions } from './pages/regions';
import { Tree } from './pages/tree';
import { link, useAddress } from './state';
import './style.css';
import type { View } from './view';

const pages: [string, string][] = [['overview', 'Overview'], ['tree', 'Call tree'], ['regions', 'Regions'], ['about', 'Data']];

function ThemeButton({ theme, set }: { theme: string; set: (theme: string) => void }) {
    const isDark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    return <button class="theme" aria-pressed={isDark} onClick={() => set(isDark ? 'light' : 'dark')}>{isDark ? 'Light' : 'Dark'}</button>;
}

function App({ experiment }: { experiment: Experiment }) {
    const [state, change] = useAddress();
    const { parameters, metrics } = experiment.header;
    const theme = state.theme ?? '';
    useEffect(() => {
        if (theme) document.documentElement.dataset.theme = theme;
        else delete document.documentElement.dataset.theme;
    }, [theme]);
    const view = useMemo((): View => {
        const named = metrics.findIndex((m) => (state.metric === undefined ? m.name === 'time' : m.name === state.metric));
        const usual = named >= 0 ? named : metrics.findIndex((m) => m.unit === 's');
        const target = experiment.point(experiment.target);
        const point = parameters.map((name, k) => {
            const given = state[`at.${name}`];
            return given !== undefined && given !== '' && isFinite(Number(given)) ? Number(given) : target[k];
        });
        return { experiment, state, change, metric: Math.max(0, usual), place: experiment.placeOf(point), now: experiment.now };
    }, [state]);
    useEffect(() => scrollTo(0, 0), [state.page, state.region]);
    const Page = ({ overview: Overview, tree: Tree, regions: Regions, region: Region, about: About, ...(experiment.hasComparison ? { compare: Compare } : {}) }as Record<string, typeof Overview>)[state.page] ?? Overview;
    const current = state.page === 'region' ? 'regions' : state.page;
    return (
        <>
            <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>To the content</a>
            <header>
                <div class="masthead">
                    <span class="brand"><svg viewBox="-20 -20 40 40" width="22" height="22" aria-hidden="true"><circle r="11" fill="none" stroke-width="3.4" /><line x1="-19" x2="19" y1="0" y2="0" stroke-width="4.2" /></svg>Plimsoll</span>
                    <bdi class="source" title={experiment.header.name}>{experiment.header.name}</bdi>
                    <nav aria-label="Pages">
                        {(experiment.hasComparison ? [...pages.slice(0, 3), ['compare', 'Changes'], ...pages.slice(3)] : pages).map(([page, title]) => <a href={link(state, { page, region: '' })} aria-current={page === current ? 'page' : undefined}>{title}</a>)}
                    </nav>
                    <ThemeButton theme={theme} set={(next) => change({ theme: next })} />
                </div>
                <Controls view={view} />
            </header>
            <main id="main" tabIndex={-1}><Page view={view} key={state.page} /></main>
        </>
    );
}

const root = document.getElementById('app')!;
const start = performance.now();
render(<App experiment={readReport()} />, root);
root.dataset.drawnMs = (performance.now() - start).toFixed(0);
