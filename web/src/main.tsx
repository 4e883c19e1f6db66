import { render } from 'preact';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useErrorBoundary, useMemo } from 'preact/hooks';
import { Controls } from './controls';
import { readReport, type Experiment, type Report } from './data';
import { useReport, type Live } from './live';
import { About } from './pages/about';
import { CampaignPage } from './pages/campaign';
import { Compare } from './pages/compare';
import { Overview } from './pages/overview';
import { PlanningPage } from './pages/planning';
import { Region } from './pages/region';
import { Regions } from './pages/regions';
import { TrainingPage } from './pages/training';
import { Tree } from './pages/tree';
import { link, useAddress, type Change, type State } from './state';
import './style.css';
import type { View } from './view';

/** A page of the report: its name in the address, its title, and what it shows. A page without a title is led to by others. */
interface Page {
    name: string;
    title?: string;
    show: () => JSX.Element;
}

function viewOf(experiment: Experiment, state: State, change: Change): View {
    const { parameters, metrics } = experiment.header;
    const named = metrics.findIndex((m) => (state.metric === undefined ? m.name === 'time' : m.name === state.metric));
    const usual = named >= 0 ? named : metrics.findIndex((m) => m.unit === 's');
    const target = experiment.point(experiment.target);
    const point = parameters.map((name, k) => {
        const given = state[`at.${name}`];
        return given !== undefined && given !== '' && isFinite(Number(given)) ? Number(given) : target[k];
    });
    return { experiment, state, change, metric: Math.max(0, usual), place: experiment.placeOf(point), now: experiment.now };
}

function pagesOf(report: Report, view: View | undefined, state: State, change: Change): Page[] {
    const pages: Page[] = [];
    if (view) {
        pages.push({ name: 'overview', title: 'Overview', show: () => <Overview view={view} /> },
            { name: 'tree', title: 'Call tree', show: () => <Tree view={view} /> },
            { name: 'regions', title: 'Regions', show: () => <Regions view={view} /> },
            { name: 'region', show: () => <Region view={view} /> });
        if (view.experiment.hasComparison) pages.push({ name: 'compare', title: 'Changes', show: () => <Compare view={view} /> });
    }
    if (report.trainings.length > 0) pages.push({ name: 'training', title: 'Training', show: () => <TrainingPage list={report.trainings} state={state} change={change} /> });
    if (report.plans.length > 0) pages.push({ name: 'plan', title: 'Planning', show: () => <PlanningPage list={report.plans} state={state} change={change} /> });
    if (report.campaigns.length > 0) pages.push({ name: 'campaign', title: 'Campaign', show: () => <CampaignPage list={report.campaigns} state={state} change={change} /> });
    if (view) pages.push({ name: 'about', title: 'Data', show: () => <About view={view} /> });
    return pages;
}

function ThemeButton({ theme, set }: { theme: string; set: (theme: string) => void }) {
    const isDark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    return <button class="theme" aria-pressed={isDark} onClick={() => set(isDark ? 'light' : 'dark')}>{isDark ? 'Light' : 'Dark'}</button>;
}

/** Whether the page follows its inputs, and since when what it shows is there. */
function LiveState({ live }: { live: Live }): JSX.Element | null {
    if (!live.state) return null;
    const words: Record<string, ComponentChildren> = {
        following: live.since ? `live, as of ${live.since.toLocaleTimeString()}` : 'live',
        fetching: 'newer data are coming', behind: 'newer data cannot be fetched yet', lost: 'not connected',
    };
    return <output class={`live ${live.state}`}><span class="live-dot" aria-hidden="true" />{words[live.state]}</output>;
}

function Content({ of }: { of: Page }): JSX.Element {
    return of.show();
}

/** A page; where what it shows is not as it should be, a word of that, and the other pages stay. */
function Guarded({ page, report, state }: { page: Page; report: Report; state: State }): JSX.Element {
    const [error, forget] = useErrorBoundary() as [Error | undefined, () => void];
    useEffect(() => {
        if (error) forget();
    }, [report, state]);
    if (!error) return <Content of={page} />;
    return <p class="warning" role="alert">This page cannot be shown, as something in its data is missing or is not what it should be ({error.message}). Other pages are as they were.</p>;
}

function App({ first }: { first: Report }) {
    const [state, change] = useAddress();
    const live = useReport(first);
    const { report } = live;
    const { experiment } = report;
    const theme = state.theme ?? '';
    useEffect(() => {
        if (theme) document.documentElement.dataset.theme = theme;
        else delete document.documentElement.dataset.theme;
    }, [theme]);
    const view = useMemo(() => (experiment ? viewOf(experiment, state, change) : undefined), [state, experiment]);
    useEffect(() => scrollTo(0, 0), [state.page, state.region]);
    const pages = pagesOf(report, view, state, change);
    const page = pages.find(({ name }) => name === state.page) ?? pages[0];
    const current = page.name === 'region' ? 'regions' : page.name;
    const isOfModels = view && !['training', 'plan', 'campaign'].includes(page.name);
    return (
        <>
            <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>To the content</a>
            <header class={isOfModels ? '' : 'plain-header'}>
                <div class="masthead">
                    <span class="brand"><svg viewBox="-20 -20 40 40" width="22" height="22" aria-hidden="true"><circle r="11" fill="none" stroke-width="3.4" /><line x1="-19" x2="19" y1="0" y2="0" stroke-width="4.2" /></svg>Plimsoll</span>
                    <bdi class="source" title={report.name}>{report.name}</bdi>
                    <LiveState live={live} />
                    <nav aria-label="Pages">
                        {pages.filter(({ title }) => title).map(({ name, title }) => <a href={link(state, { page: name, region: '' })} aria-current={name === current ? 'page' : undefined}>{title}</a>)}
                    </nav>
                    <ThemeButton theme={theme} set={(next) => change({ theme: next })} />
                </div>
                {isOfModels && <Controls view={view} />}
            </header>
            <main id="main" tabIndex={-1}>
                {live.trouble && <p class="warning" role="alert">The inputs changed and could not be read; what stands here is what they held before. {live.trouble}</p>}
                <div key={page.name}><Guarded page={page} report={report} state={state} /></div>
            </main>
        </>
    );
}

const root = document.getElementById('app')!;
const start = performance.now();
render(<App first={readReport(document)} />, root);
root.dataset.drawnMs = (performance.now() - start).toFixed(0);
