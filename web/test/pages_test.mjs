// Pages of what other commands tell, surfaces, and pages that follow their inputs, in headless Chromium.
//
//   node web/test/pages_test.mjs PLIMSOLL BUILD_FOLDER
//
// BUILD_FOLDER is the one that web/build.mjs made. Exit codes: 0 all well, 1 not, 77 no Chromium here.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { close, data, download, expectAccessible, expectShown, folder, open, plimsoll, predicted, report, run, runTests, serve } from './support.mjs';

const file = (name) => join(folder, name);
const lines = (list) => `${list.map((entry) => JSON.stringify(entry)).join('\n')}\n`;

/** Steps that compute, communicate more on more processes, move memory and wait. */
const steps = [1, 2, 4, 8, 16].flatMap((p) => {
    const parts = { 'device->computation': 0.01, 'device->exposed communication': 0.001 * Math.log2(p), 'device->idle': 0.0008 };
    const step = 0.0112 + 0.001 * Math.log2(p) + 0.0008;
    return Object.entries({ step, ...parts }).map(([region, value]) => ({ params: { p }, region, metric: 'time', unit: 's', value: [value, 1.001 * value] }));
});
writeFileSync(file('steps.jsonl'), lines(steps));
writeFileSync(file('training.json'), run('training', file('steps.jsonl'), '--dataset-size', '1281167', '--batch', '256', '--epochs', '90', '--json'));
const training = JSON.parse(readFileSync(file('training.json')));

/** A solver with the same work on any number of processes, and two machines to run it on. */
const times = { 4: [504920, 507310, 503180], 8: [257880, 260450, 258640], 16: [137210, 136180, 137660], 32: [77460, 77900, 77150], 64: [49180, 49520, 49280] };
writeFileSync(file('runs.jsonl'), lines(Object.entries(times).map(([p, value]) => ({ params: { p: Number(p) }, region: 'main', metric: 'time', unit: 's', value }))));
writeFileSync(file('machines.toml'), `[[machine]]
name = "cpu"
nodes = 128
cores-per-node = 16
price = "2.40EUR/node-h"

[[machine]]
name = "fast"
nodes = 4
cores-per-node = 64
price = "12EUR/node-h"
granularity = "1h"
speed = 1.5
`);
const planOf = (name, ...limits) => {
    const done = spawnSync(plimsoll, ['plan', 'config', file('runs.jsonl'), '--scaling', 'strong', '--machine', file('machines.toml'), ...limits, '--json'], { encoding: 'utf8' });
    writeFileSync(file(name), done.stdout);
    return JSON.parse(done.stdout);
};
const plan = planOf('plan.json', '--deadline', '24h', '--budget', '500EUR', '--efficiency', '20%');
const misses = planOf('misses.json', '--deadline', '4h', '--budget', '500EUR');

/** A campaign of two jobs, one of which has failures and goes on. */
const job = (id, name, counts) => ({ job: id, name, command: ['./app', '{index}'], tags: ['kind=<b>'], state: 'running', tasks: Object.values(counts).reduce((a, b) => a + b), counts, priority: 0, submitted_s: 1.79e9, finished_s: null });
writeFileSync(file('campaign.json'), JSON.stringify({
    schema: 'plimsoll.campaign-top/1', totals: { waiting: 3, ready: 40, held: 0, leased: 2, running: 4, jobs: 9, workers: 1 },
    jobs: [job(3, '<i>cases</i>', { succeeded: 60, exhausted: 10, running: 4, ready: 26 }), { ...job(2, '', { succeeded: 5 }), state: 'succeeded', finished_s: 1.79e9 + 90 }],
    workers: [{ worker: 1, name: 'node7', host: 'node7', resources: 'cpus=4', running: 4, queued: 2 }],
}));

/** Chooses in the list that stands behind a word. */
const choose = (page, label, value) => page.locator('label.toggle').filter({ hasText: new RegExp(`^${label} `) }).locator('select').selectOption(value);
const figure = (page, title) => page.locator('figure').filter({ has: page.getByRole('heading', { name: title }) });

const tests = {
    async 'tells of a training what plimsoll training tells'() {
        const page = await open(report('training', file('training.json')));
        assert.equal(await page.getByRole('navigation', { name: 'Pages' }).innerText(), 'Training');
        // The last number of processes before efficiency falls below 80 %.
        const fall = training.points.findIndex((point) => point.efficiency < 0.8);
        assert.equal(await page.locator('.headline strong').innerText(), String(training.points[fall - 1].processes));
        const last = training.points.at(-1);
        const shown = await page.locator('[data-testid=training-answer] strong').allInnerTexts();
        [last.step_s, last.epoch_s, last.training_s].forEach((time, i) => expectShown(shown[i], time.value));
        assert.match(await page.locator('.answer').innerText(), /most by communication efficiency/);
        await close(page);
    },

    async 'stacks the parts of a step, as times and as shares'() {
        const page = await open(report('training', file('training.json')));
        const own = figure(page, 'What a step spends its time with');
        assert.deepEqual(await own.locator('.legend li').allInnerTexts(), ['computing', 'communication alone', 'moving memory', 'idle: waits for input, host or others']);
        const plot = own.getByRole('group', { name: /arrow keys/ });
        await plot.focus();
        await plot.press('ArrowLeft');
        const last = training.points.at(-1);
        const parts = (await plot.locator('output').innerText()).split(': ').slice(1).join(': ').split(', ');
        expectShown(parts[0].replace('computing ', ''), last.parts_s.computation);
        expectShown(parts[1].replace('communication alone ', ''), last.parts_s.exposed_communication);
        expectShown(parts[2].replace('moving memory ', ''), last.parts_s.rest - last.parts_s.idle);
        expectShown(parts[3].replace('idle ', ''), last.parts_s.idle);
        await own.getByLabel('shares').check();
        assert.match(page.url(), /stack=share/);
        await plot.press('Escape');
        assert.equal((await plot.locator('output').innerText()).trim(), '');
        await plot.press('ArrowLeft');
        assert.match(await plot.locator('output').innerText(), new RegExp(`computing ${(100 * last.parts_s.computation / last.step_s.value).toFixed(1)} %`));
        const saved = await download(page, page.getByRole('group', { name: 'Save: What a step' }).getByRole('button', { name: 'CSV' }));
        const rows = saved.content.toString().trim().split('\r\n').map((line) => line.split(','));
        assert.equal(rows.length, 1 + training.points.length);
        assert.equal(Number(rows.at(-1)[1]), last.parts_s.computation);
        await close(page);
    },

    async 'shows the time of an epoch, of a step and of all of it'() {
        const page = await open(report('training', file('training.json')));
        const last = training.points.at(-1);
        for (const [name, time] of [['an epoch', last.epoch_s], ['a step', last.step_s], ['the whole training', last.training_s]]) {
            await choose(page, 'of', { label: name });
            const own = figure(page, `Time of ${name}`);
            await own.getByText('Table', { exact: true }).click();
            const row = own.locator('tbody tr').last();
            await row.waitFor();
            assert.deepEqual((await row.locator('td').allInnerTexts()).slice(1, 4).map(Number), [time.value, time.low, time.high]);
            await own.getByText('Table', { exact: true }).click();
            await row.waitFor({ state: 'detached' });
        }
        await close(page);
    },

    async 'answers of a plan, with their numbers'() {
        const page = await open(report('plan', file('plan.json')));
        const cheapest = plan.answers.find((answer) => answer.answer === 'cheapest');
        assert.match(await page.locator('.headline').innerText(), new RegExp(`^Cheapest: p = ${cheapest.processes} on ${cheapest.machine}, ${cheapest.cost.toFixed(2)} EUR in `));
        const rows = page.getByRole('region', { name: 'Answers', exact: true }).locator('tbody tr');
        assert.equal(await rows.count(), plan.answers.length);
        for (const [i, answer] of plan.answers.entries()) {
            const cells = await rows.nth(i).locator('td').allInnerTexts();
            assert.equal(cells[0], answer.answer.replace('-', ' '));
            assert.equal(cells[2], answer.machine);
            expectShown(cells[4], answer.time_s.value);
            assert.equal(cells[6], `${answer.cost.toFixed(2)} EUR`);
        }
        for (const name of ['cheapest', 'fastest', 'most efficient', 'knee']) {
            assert.ok((await figure(page, 'Cost against time').locator('.point-label').allTextContents()).some((text) => text.includes(name)), name);
        }
        assert.ok(await page.getByRole('heading', { name: /How far an efficiency of 20/ }).isVisible());
        await close(page);
    },

    async 'filters and orders the front, and reads it with the keys'() {
        const page = await open(report('plan', file('plan.json')));
        const rows = page.getByRole('region', { name: 'The front' }).locator('tbody tr');
        assert.equal(await rows.count(), plan.front.length);
        await page.getByRole('button', { name: 'Cost' }).click();
        const costs = (await rows.locator('td:nth-child(6)').allInnerTexts()).map((text) => Number(text.split(' ')[0]));
        assert.deepEqual(costs, [...costs].sort((a, b) => a - b));
        await choose(page, 'machine', 'cpu');
        assert.equal(await rows.count(), plan.front.filter((c) => c.machine === 'cpu').length);
        assert.match(page.url(), /machine=cpu/);
        await choose(page, 'machine', '');
        const plot = page.getByRole('group', { name: /^Cost against time; arrow keys/ });
        await plot.focus();
        await plot.press('ArrowRight');
        const fastest = plan.answers.find((answer) => answer.answer === 'fastest');
        assert.match(await plot.locator('output').innerText(), new RegExp(`^p = ${fastest.processes} on ${fastest.machine}: ${fastest.cost.toFixed(2)} EUR in `));
        const saved = await download(page, page.getByRole('group', { name: 'Save: Cost against time' }).getByRole('button', { name: 'SVG' }));
        assert.match(saved.content.toString(), /nearest|cheapest/);
        await close(page);
    },

    async 'tells what comes nearest where nothing is feasible'() {
        assert.equal(misses.feasible, 0);
        const page = await open(report('misses', file('misses.json')));
        assert.equal(await page.locator('.headline').innerText(), `None of ${misses.configurations} configurations can be taken`);
        const text = await page.locator('.answer').innerText();
        assert.match(text, new RegExp(`Nearest comes p = ${misses.nearest_miss.processes} on ${misses.nearest_miss.machine}`));
        assert.match(text, /It misses the deadline: 6\.302 h needed, 4 h allowed/);
        assert.match(text, /a deadline of 6\.302 h would do/);
        assert.ok((await page.locator('.point-label').allTextContents()).includes('nearest miss'));
        await close(page);
    },

    async 'shows jobs of a campaign by the states of their tasks'() {
        const page = await open(report('campaign', file('campaign.json')));
        assert.equal(await page.locator('.headline').innerText(), '75 of 105 tasks of the newest 2 jobs have ended');
        assert.equal(await page.getByTestId('campaign-totals').innerText(), 'In the whole campaign, 6 tasks run and 43 wait.');
        assert.ok(await page.getByText('2 of the newest 2 jobs', { exact: true }).isVisible());
        const bars = figure(page, 'Tasks of the newest jobs').locator('svg rect');
        const widths = await bars.evaluateAll((list) => list.slice(0, 4).map((bar) => bar.width.baseVal.value + 0.5));
        const whole = widths.reduce((a, b) => a + b);
        [60, 10, 4, 26].forEach((count, i) => assert.ok(Math.abs(widths[i] / whole - count / 100) < 1e-3, `bar ${i}`));
        await page.getByPlaceholder('Find a job').fill('cases');
        const cells = await page.getByRole('region', { name: 'Jobs' }).locator('tbody td').allInnerTexts();
        assert.deepEqual(cells.slice(0, 4), ['3 <i>cases</i>', 'running', '100', '60.0 %']);
        assert.match(await page.getByRole('region', { name: 'Workers' }).innerText(), /node7/);
        await close(page);
    },

    async 'shows models and documents in one report, with a link to each'() {
        const page = await open(report('all', join(data, 'solver.jsonl'), file('training.json'), file('plan.json'), file('misses.json'), '--at', 'p=1024'));
        assert.match(await page.locator('.headline').innerText(), /^Scales to/);
        await page.getByRole('link', { name: 'Planning' }).click();
        await choose(page, 'plan', { label: file('misses.json') });
        assert.match(await page.locator('.headline').innerText(), /^None of/);
        await page.reload();
        assert.match(await page.locator('.headline').innerText(), /^None of/);
        await page.getByRole('link', { name: 'Training' }).click();
        await page.getByRole('heading', { name: 'All points' }).waitFor();
        await page.getByRole('link', { name: 'Regions' }).click();
        assert.equal(await page.locator('td.region').count(), 4);
        await close(page);
    },

    async 'fits pages of documents on a screen of 360 pixels, and axe-core finds nothing serious'() {
        const pages = [[report('all', join(data, 'solver.jsonl'), file('training.json'), file('plan.json'), file('campaign.json')), 'all'], [report('training', file('training.json')), 'training'], [report('plan', file('plan.json')), 'plan'], [report('misses', file('misses.json')), 'misses'], [report('campaign', file('campaign.json')), 'campaign']];
        for (const [address, name] of pages) {
            const narrow = await open(address, { viewport: { width: 360, height: 740 } });
            const width = await narrow.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(width <= 360, `${name} is ${width} pixels wide`);
            await close(narrow);
            for (const colorScheme of ['light', 'dark']) {
                const page = await open(address, { colorScheme });
                for (const summary of await page.getByText('Table', { exact: true }).all()) await summary.click();
                await expectAccessible(page, `${name}, ${colorScheme}`);
                await close(page);
            }
        }
    },

    async 'draws a region over two parameters as contours and as a surface'() {
        const grid = join(data, 'grid.txt');
        const page = await open(`${report('grid', grid, '--at', 'p=128,n=500')}#/region?region=main-%3Ehalo`);
        const cells = await page.getByRole('img', { name: /^Heat map over/ }).locator('rect').count();
        await choose(page, 'as', 'contours');
        const contours = page.getByRole('img', { name: /^Contours over/ });
        assert.ok(await contours.locator('.contour').count() >= 3);
        for (const text of await contours.locator('.contour-label').allTextContents()) assert.match(text, /^[\d.·⁻⁰-⁹]+ /);
        await choose(page, 'as', 'surface');
        const surface = page.getByRole('img', { name: /^Surface over/ });
        assert.ok(await surface.locator('.face').count() > cells / 2);
        const before = await surface.locator('.face').first().getAttribute('d');
        await page.getByRole('slider', { name: 'turned by' }).press('ArrowRight');
        assert.notEqual(await surface.locator('.face').first().getAttribute('d'), before);
        assert.match(page.url(), /field=surface.*turn=40|turn=40.*field=surface/);
        await expectAccessible(page, 'surface');
        await close(page);
    },

    async 'reads values over two parameters with the keys'() {
        const grid = join(data, 'grid.txt');
        const page = await open(`${report('grid', grid, '--at', 'p=128,n=500')}#/region?region=main-%3Ehalo`);
        for (const kind of ['heat', 'contours', 'surface']) {
            await choose(page, 'as', kind);
            const plot = page.getByRole('group', { name: /^Over p and n; arrow keys read values/ });
            const output = plot.locator('output');
            await plot.focus();
            await plot.press('ArrowRight');
            assert.match(await output.innerText(), /^p = 128, n = 500: /, kind); // where the sliders stand
            const seen = [];
            for (const key of ['ArrowLeft', 'ArrowDown', 'ArrowUp']) {
                await plot.press(key);
                const [, p, n, value] = (await output.innerText()).match(/^p = (\S+), n = (\S+): (.*)$/);
                seen.push([Number(p), Number(n.replace('\u202f', ''))]);
                expectShown(value, predicted(grid, `p=${p},n=${n}`, 'main->halo').value);
            }
            assert.ok(seen[0][0] < 128 && seen[0][1] === 500, kind);
            assert.ok(seen[1][0] === seen[0][0] && seen[1][1] < 500, kind);
            assert.deepEqual(seen[2], seen[0], kind);
            assert.equal(await plot.locator('.read').count(), 1);
            if (kind === 'heat') {
                const told = [];
                for (let i = 0; i < 40; ++i) {
                    await plot.press('ArrowLeft');
                    told.push(await output.innerText());
                }
                assert.equal(told.at(-1), told.at(-2)); // stays at the border
                assert.match(told.at(-1), /^p = \S+, n = 500: /);
            }
            await plot.press('Escape');
            assert.equal((await output.innerText()).trim(), '');
            assert.equal(await plot.locator('.read').count(), 0);
        }
        await close(page);
    },

    async 'shows which region is the largest where'() {
        const grid = join(data, 'grid.txt');
        const page = await open(report('largest', grid, '--at', 'p=128,n=500'));
        const own = figure(page, 'The largest region');
        await own.getByText('Table', { exact: true }).click();
        const rows = own.locator('tbody tr');
        await rows.first().waitFor();
        const count = await rows.count();
        for (const i of [0, Math.floor(count / 2), count - 1]) {
            const [p, n, value, what] = await rows.nth(i).locator('td').allInnerTexts();
            const all = JSON.parse(run('predict', grid, '--at', `p=${p},n=${n}`, '--metric', 'time', '--json')).predictions;
            const largest = all.reduce((best, row) => (row.value > best.value ? row : best));
            assert.ok(what.startsWith(`${largest.region}, `), `${what} at p=${p}, n=${n}, not ${largest.region}`);
            assert.ok(Math.abs(Number(value) / largest.value - 1) < 1e-6);
        }
        await choose(page, 'as', 'surface');
        await expectAccessible(page, 'largest region');
        await close(page);
    },

    async 'is reached by the tab key on pages of documents'() {
        const page = await open(report('plan', file('plan.json')));
        const seen = new Set();
        for (let i = 0; i < 40; ++i) {
            await page.keyboard.press('Tab');
            seen.add(await page.evaluate(() => {
                const own = document.activeElement;
                return own?.getAttribute('aria-label') ?? own?.getAttribute('placeholder') ?? own?.closest('label')?.firstChild?.textContent?.trim() ?? own?.textContent?.trim().slice(0, 30);
            }));
        }
        for (const name of ['Find a configuration', 'machine', 'Cost against time; arrow keys read values', 'SVG', 'Answers', 'What would change the answers', 'Time ▴', 'The front']) assert.ok([...seen].some((text) => text?.includes(name)), `${name}: ${[...seen].join(' | ')}`);
        await close(page);
    },

    async 'shows hostile names of documents as text'() {
        const hostile = '<img src=x onerror=alert(1)>"\'</script>';
        const name = (text) => text.replaceAll('"fast"', JSON.stringify(hostile));
        writeFileSync(file('hostile.json'), name(readFileSync(file('plan.json'), 'utf8')));
        const page = await open(report('hostile', file('hostile.json')));
        assert.ok((await page.getByRole('region', { name: 'Answers', exact: true }).innerText()).includes(hostile));
        await choose(page, 'machine', hostile);
        assert.equal(await page.getByRole('region', { name: 'The front' }).locator('tbody tr').count(), plan.front.filter((c) => c.machine === 'fast').length);
        await close(page);
    },

    async 'follows its inputs while it is served, and keeps what is looked at'() {
        const own = file('growing.jsonl');
        const line = (p, region, value) => ({ params: { p }, region, metric: 'time', unit: 's', value: [value] });
        writeFileSync(own, lines([4, 8, 16, 32, 64].map((p) => line(p, 'main', 1 + 0.01 * p))));
        const server = await serve(own);
        try {
            const page = await open(`${server.address}#/regions?sort=region.up`);
            assert.equal(await page.locator('td.region').count(), 1);
            await page.getByText('live', { exact: true }).waitFor();
            const narrow = await open(server.address, { viewport: { width: 360, height: 740 } });
            await narrow.getByText('live', { exact: true }).waitFor();
            assert.ok(await narrow.evaluate(() => document.documentElement.scrollWidth) <= 360);
            await close(narrow);
            await page.getByPlaceholder('Find a region').fill('m');
            appendFileSync(own, lines([4, 8, 16, 32, 64].map((p) => line(p, 'more', 2))));
            await page.getByText('2 of 2').waitFor({ timeout: 30000 });
            assert.equal(await page.getByPlaceholder('Find a region').inputValue(), 'm');
            assert.match(page.url(), /sort=region.up.*q=m/);
            // What cannot be read is told, and what was read before stays.
            writeFileSync(own, '{"params": ');
            await page.getByRole('alert').waitFor({ timeout: 30000 });
            assert.match(await page.getByRole('alert').innerText(), /growing\.jsonl:1/);
            assert.equal(await page.locator('td.region').count(), 2);
            writeFileSync(own, lines([4, 8, 16, 32, 64].map((p) => line(p, 'main', 1 + 0.02 * p))));
            await page.getByText('1 of 1').waitFor({ timeout: 30000 });
            assert.equal(await page.getByRole('alert').count(), 0);
            await close(page);
        } finally {
            await server.end();
        }
    },

    async 'makes a folder of a page and its documents, which asks nobody'() {
        const page = await open(report('alone', join(data, 'solver.jsonl')));
        assert.equal(await page.locator('.live').count(), 0);
        assert.ok(!readFileSync(file('alone.html'), 'utf8').includes('connect-src'));
        await close(page);
        run('report', 'build', file('training.json'), '-o', `${file('folder')}/`, '--quiet');
        assert.ok(existsSync(join(folder, 'folder/training.json')));
        await close(await open(`file://${join(folder, 'folder/index.html')}`));
    },
};

await runTests(tests);
