// What runs, what waits, and what has failed?

import type { JSX } from 'preact';
import { Mark } from '../cells';
import type { Campaign, CampaignJob, Named } from '../documents';
import { exact, percent, withUnit } from '../format';
import { FigureFrame, useWidth } from '../plot/frame';
import { saveCsv } from '../plot/download';
import type { Change, State } from '../state';
import { palette, rest } from '../view';
import { VirtualTable } from '../virtual';
import { Choice, DocumentChoice } from './parts';

/** States of tasks as they are told apart: what has ended first. */
const groups: { name: string; states: string[]; color: string }[] = [
    { name: 'succeeded', states: ['succeeded'], color: palette[2] },
    { name: 'failed', states: ['exhausted'], color: 'var(--load)' },
    { name: 'skipped or cancelled', states: ['skipped', 'cancelled'], color: 'var(--c6)' },
    { name: 'running', states: ['running', 'leased'], color: palette[0] },
    { name: 'waiting', states: ['waiting', 'ready', 'held'], color: rest },
];

const countOf = (job: CampaignJob, states: string[]) => states.reduce((sum, state) => sum + (job.counts[state] ?? 0), 0);
const newest = (jobs: number) => (jobs === 1 ? 'newest job' : `newest ${exact(jobs)} jobs`);
const titleOf = (job: CampaignJob) => job.name || job.command.join(' ');

function Answer({ campaign }: { campaign: Campaign }): JSX.Element {
    const tasks = campaign.jobs.reduce((sum, job) => sum + job.tasks, 0);
    const sums = groups.map(({ name, states }) => ({ name, count: campaign.jobs.reduce((sum, job) => sum + countOf(job, states), 0) }));
    const ended = sums.slice(0, 3).reduce((sum, { count }) => sum + count, 0);
    const { workers, totals, jobs } = campaign;
    const inAll = (name: string) => groups.find((group) => group.name === name)!.states.reduce((sum, state) => sum + (totals[state] ?? 0), 0);
    const [running, waiting] = [inAll('running'), inAll('waiting')];
    return (
        <section class="answer" aria-label="Answer">
            <Mark />
            <div>
                <p class="headline">{tasks === 0 ? 'No job is there' : <><strong>{exact(ended)}</strong> of {exact(tasks)} tasks of the {newest(jobs.length)} have ended</>}</p>
                <p>{sums.slice(0, 3).filter(({ count }) => count > 0).map(({ name, count }) => `${exact(count)} ${name}`).join(', ')}</p>
                <p data-testid="campaign-totals">In the whole campaign, {exact(running)} {running === 1 ? 'task runs' : 'tasks run'} and {exact(waiting)} {waiting === 1 ? 'waits' : 'wait'}.</p>
                <p class="dim">{workers.length === 0 ? 'No worker is there.' : `${exact(workers.length)} ${workers.length === 1 ? 'worker runs' : 'workers run'} ${exact(workers.reduce((sum, worker) => sum + worker.running, 0))} tasks.`}</p>
            </div>
        </section>
    );
}

/** One bar a job: which part of its tasks is in which state. */
function JobsFigure({ campaign, state, change }: { campaign: Campaign; state: State; change: Change }): JSX.Element | null {
    const [element, width] = useWidth();
    const shown = campaign.jobs;
    if (shown.length === 0) return null;
    const isShare = state.jobs !== 'tasks';
    const line = 26;
    const margin = { left: Math.min(240, 0.38 * width), right: 56, top: 6, bottom: 6 };
    const height = margin.top + margin.bottom + line * shown.length;
    const longest = Math.max(...shown.map((job) => job.tasks));
    const inner = width - margin.left - margin.right;
    const letters = Math.max(8, Math.floor(margin.left / 7.5));
    const used = groups.filter(({ states }) => shown.some((job) => countOf(job, states) > 0));
    return (
        <FigureFrame title="Tasks of the newest jobs" controls={<Choice label="bars show" value={isShare ? 'share' : 'tasks'} options={[['share', 'shares'], ['tasks', 'numbers of tasks']]} choose={(value) => change({ jobs: value === 'share' ? '' : value })} />}
            table={() => ({ head: ['job', 'name', 'tasks', ...used.map(({ name }) => name)], rows: shown.map((job) => [job.job, titleOf(job), job.tasks, ...used.map(({ states }) => countOf(job, states))]) })}>
            <div class="plot" ref={element}>
                <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label="Tasks of the newest jobs">
                    {shown.map((job, i) => {
                        const y = margin.top + line * (i + 0.5);
                        const name = `${job.job} ${titleOf(job)}`;
                        let x = margin.left;
                        return (
                            <g>
                                <text x={margin.left - 10} y={y} class="y-label">{name.length > letters ? `${name.slice(0, letters - 1)}…` : name}</text>
                                {groups.map(({ states, color }) => {
                                    const wide = (inner * countOf(job, states)) / (isShare ? job.tasks : longest);
                                    const bar = <rect x={x} y={y - 8} width={Math.max(0, wide - 0.5)} height={16} style={{ fill: color }} />;
                                    x += wide;
                                    return wide > 0 && bar;
                                })}
                                <text x={x + 6} y={y} class="count-label">{exact(job.tasks)}</text>
                            </g>
                        );
                    })}
                </svg>
            </div>
            <ul class="legend">{used.map(({ name, color }) => <li><span class="swatch" style={{ background: color }} />{name}</li>)}</ul>
        </FigureFrame>
    );
}

function Jobs({ campaign, state, change }: { campaign: Campaign; state: State; change: Change }): JSX.Element {
    const words = (state.jobq ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const states = [...new Set(campaign.jobs.map((job) => job.state))].sort();
    const shown = campaign.jobs.filter((job) => (!states.includes(state.jobstate) || job.state === state.jobstate)
        && words.every((word) => `${job.job} ${job.name} ${job.command.join(' ')} ${job.tags.join(' ')}`.toLowerCase().includes(word)));
    const lasted = (job: CampaignJob) => (job.submitted_s !== null && job.finished_s !== null ? job.finished_s - job.submitted_s : NaN);
    const save = () => saveCsv('jobs', ['job', 'name', 'command', 'state', 'tasks', 'succeeded', 'failed', 'from submission to end [s]'],
        shown.map((job) => [job.job, job.name, job.command.join(' '), job.state, job.tasks, countOf(job, ['succeeded']), countOf(job, ['exhausted']), lasted(job)]));
    return (
        <section>
            <h2>Jobs</h2>
            <div class="tools">
                <label class="search"><span class="hidden">Find a job</span><input type="search" placeholder="Find a job" value={state.jobq ?? ''} onInput={(event) => change({ jobq: (event.target as HTMLInputElement).value })} /></label>
                <Choice label="state" value={states.includes(state.jobstate) ? state.jobstate : ''} options={[['', 'any'], ...states.map((name): [string, string] => [name, name])]} choose={(value) => change({ jobstate: value })} />
                <output class="count">{exact(shown.length)} of the {newest(campaign.jobs.length)}</output>
                <button onClick={save}>CSV</button>
            </div>
            <VirtualTable label="Jobs" count={shown.length}
                head={<tr><th scope="col">Job</th><th scope="col">State</th><th scope="col" class="number">Tasks</th><th scope="col" class="number">Succeeded</th><th scope="col" class="number wide">Failed</th><th scope="col" class="number wide">From submission to end</th></tr>}
                row={(i) => {
                    const job = shown[i];
                    return (
                        <tr aria-rowindex={i + 2}>
                            <td class="region">{job.job} <bdi class="name" title={job.command.join(' ').slice(0, 600)}>{titleOf(job).slice(0, 300)}</bdi></td><td>{job.state}</td>
                            <td class="number">{exact(job.tasks)}</td><td class="number">{percent(countOf(job, ['succeeded']) / job.tasks)}</td>
                            <td class="number wide">{exact(countOf(job, ['exhausted']))}</td><td class="number wide">{withUnit(lasted(job), 'duration')}</td>
                        </tr>
                    );
                }} />
        </section>
    );
}

function Workers({ campaign }: { campaign: Campaign }): JSX.Element | null {
    if (campaign.workers.length === 0) return null;
    return (
        <section>
            <h2>Workers</h2>
            <div class="scroll" tabIndex={0} role="region" aria-label="Workers">
                <table class="rows">
                    <thead><tr><th scope="col">Worker</th><th scope="col" class="wide">Host</th><th scope="col" class="wide">Resources</th><th scope="col" class="number">running</th><th scope="col" class="number">queued</th></tr></thead>
                    <tbody>{campaign.workers.map((worker) => <tr><td>{worker.worker} <bdi class="name">{worker.name}</bdi></td><td class="wide"><bdi class="name">{worker.host}</bdi></td><td class="wide">{worker.resources}</td><td class="number">{exact(worker.running)}</td><td class="number">{exact(worker.queued)}</td></tr>)}</tbody>
                </table>
            </div>
        </section>
    );
}

export function CampaignPage({ list, state, change }: { list: Named<Campaign>[]; state: State; change: Change }): JSX.Element {
    const chosen = list[Number(state.campaign ?? 0)] ?? list[0];
    const campaign = chosen.content;
    return (
        <>
            <DocumentChoice list={list} chosen={chosen} label="campaign" change={change} />
            <Answer campaign={campaign} />
            <JobsFigure campaign={campaign} state={state} change={change} />
            <Jobs campaign={campaign} state={state} change={change} />
            <Workers campaign={campaign} />
        </>
    );
}
