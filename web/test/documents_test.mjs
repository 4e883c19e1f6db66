// Documents of other commands that hold what is unusual or unknown, in headless Chromium.
//
//   node web/test/documents_test.mjs PLIMSOLL BUILD_FOLDER
//
// BUILD_FOLDER is the one that web/build.mjs made. Exit codes: 0 all well, 1 not, 77 no Chromium here.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { close, data, folder, open, plimsoll, report, run, runTests } from './support.mjs';

const file = (name) => join(folder, name);
const lines = (list) => `${list.map((entry) => JSON.stringify(entry)).join('\n')}\n`;

/** A training whose steps communicate more on more processes. */
const steps = [1, 2, 4, 8].flatMap((p) => Object.entries({ step: 0.012 + 0.002 * Math.log2(p), 'device->computation': 0.01, 'device->exposed communication': 0.002 * Math.log2(p) })
    .map(([region, value]) => ({ params: { p }, region, metric: 'time', unit: 's', value: [value, 1.001 * value] })));
writeFileSync(file('steps.jsonl'), lines(steps));
const trainingOf = (...words) => JSON.parse(run('training', file('steps.jsonl'), '--dataset-size', '1281167', '--batch', '256', '--epochs', '90', ...words, '--json'));
const training = trainingOf();

function reportOf(name, content) {
    writeFileSync(file(`${name}.json`), JSON.stringify(content));
    return report(name, file(`${name}.json`));
}

const figure = (page, title) => page.locator('figure').filter({ has: page.getByRole('heading', { name: title }) });
const headline = (page) => page.locator('.headline').innerText();

/** The training with other efficiencies, in the order of its points. */
const withEfficiencies = (...values) => ({ ...training, points: training.points.slice(0, values.length).map((point, i) => ({ ...point, efficiency: values[i] })) });

const tests = {
    async 'shows the efficiency of Extra-Deep as what it is, without a line or a verdict'() {
        const extra = trainingOf('--efficiency', 'extra-deep');
        assert.equal(extra.efficiency_definition, 'extra-deep');
        const page = await open(reportOf('extra', extra));
        const last = extra.points.filter((point) => point.efficiency !== null).at(-1);
        assert.ok(last.efficiency < 0.8);
        assert.equal(await headline(page), `Efficiency by Extra-Deep is ${(100 * last.efficiency).toFixed(1)} % on ${last.processes} processes`);
        const text = await page.locator('main').innerText();
        assert.match(text, /perfect scaling from 1 to 4 processes has 25 %/);
        assert.doesNotMatch(text, /80 %|efficiency falls|what each process gets done/);
        const own = figure(page, 'Efficiency and its factors');
        assert.equal(await own.locator('svg').getByText('80 % efficiency').count(), 0);
        await close(page);
        const usual = await open(reportOf('usual', training));
        assert.equal(await figure(usual, 'Efficiency and its factors').locator('svg').getByText('80 % efficiency').count(), 1);
        await close(usual);
    },

    async 'takes no point of unknown efficiency for an efficient one'() {
        for (const [values, said] of [
            [[1, 0.9, null, null], /^At least 80 % efficient up to 2 processes; how efficient more of them are is not known$/],
            [[1, null, 0.7, 0.6], /^At least 80 % efficient up to 1 processes$/],
            [[1, 0.9, null, 0.85], /^At least 80 % efficient up to 8 processes, and nothing tells of more$/],
            [[null, 0.7, 0.6, 0.5], /^Below 80 % efficiency from 2 processes on$/],
            [[null, null, null, null], /^How efficient the training is, is not known$/],
        ]) {
            const page = await open(reportOf('efficiencies', withEfficiencies(...values)));
            assert.match(await headline(page), said);
            await close(page);
        }
    },

    async 'shows steps that are not known as such'() {
        const points = training.points.map((point, i) => (i === 0 ? { ...point, training_steps: null, validation_steps: null, batch: null } : point));
        const page = await open(reportOf('unknown', { ...training, points }));
        const all = page.getByRole('region', { name: 'All points' });
        const heads = await all.locator('th').allInnerTexts();
        const cells = await all.locator('tbody tr').first().locator('td').allInnerTexts();
        assert.equal(cells[heads.indexOf('Steps')], '–');
        await close(page);
    },

    async 'writes probabilities with the digits that tell them apart'() {
        const times = { 4: [504920, 507310, 503180], 8: [257880, 260450, 258640], 16: [137210, 136180, 137660], 32: [77460, 77900, 77150], 64: [49180, 49520, 49280] };
        writeFileSync(file('runs.jsonl'), lines(Object.entries(times).map(([p, value]) => ({ params: { p: Number(p) }, region: 'main', metric: 'time', unit: 's', value }))));
        writeFileSync(file('machines.toml'), '[[machine]]\nname = "cpu"\nnodes = 128\ncores-per-node = 16\nprice = "2.40EUR/node-h"\n');
        const plan = JSON.parse(spawnSync(plimsoll, ['plan', 'config', file('runs.jsonl'), '--scaling', 'strong', '--machine', file('machines.toml'), '--deadline', '24h', '--budget', '500EUR', '--json'], { encoding: 'utf8' }).stdout);
        plan.confidence = 0.9995;
        const probabilities = [0.9996, 0.99995, 1, 0.925];
        plan.answers.forEach((answer, i) => { answer.probability = probabilities[i]; });
        assert.ok(plan.answers.length >= 4);
        const page = await open(reportOf('plan', plan));
        const text = await page.locator('main').innerText();
        assert.match(text, /with 99\.95 % probability/);
        assert.match(text, /99\.9 % interval/);
        const table = page.getByRole('region', { name: 'Answers', exact: true });
        const heads = await table.locator('thead th').allInnerTexts();
        const shown = await table.locator(`tbody tr td:nth-child(${heads.indexOf('Keeps limits') + 1})`).allInnerTexts();
        assert.deepEqual(shown.slice(0, 4), ['99.96 %', '> 99.99 %', '100 %', '92.5 %']);
        await close(page);
    },

    async 'keeps all other pages where one meets what it cannot show'() {
        writeFileSync(file('whole.json'), JSON.stringify(training));
        const address = report('broken', join(data, 'solver.jsonl'), file('whole.json'), '--at', 'p=1024');
        const html = readFileSync(file('broken.html'), 'utf8');
        const changed = html.replaceAll('"profiled":', '"unread":');
        assert.notEqual(changed, html);
        writeFileSync(file('broken.html'), changed);
        const page = await open(address);
        assert.match(await headline(page), /^Scales to/);
        await page.getByRole('link', { name: 'Training' }).click();
        assert.match(await page.getByRole('alert').innerText(), /^This page cannot be shown/);
        await page.getByRole('link', { name: 'Regions' }).click();
        assert.equal(await page.locator('td.region').count(), 4);
        assert.equal(await page.getByRole('alert').count(), 0);
        await close(page);
    },
};

await runTests(tests);
