// A report in headless Chromium, as people use it.
//
//   node web/test/report_test.mjs PLIMSOLL BUILD_FOLDER
//
// BUILD_FOLDER is the one that web/build.mjs made. Exit codes: 0 all well, 1 not, 77 no Chromium here.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { close, data, download, expectAccessible, expectShown, folder, open, predicted, report, run, runTests } from './support.mjs';

const here = (page) => page.locator('[data-testid=here]').innerText();
const solver = join(data, 'solver.jsonl');
const grid = join(data, 'grid.txt');

const tests = {
    async 'opens from a file and says how far the program scales'() {
        const page = await open(report('solver', solver, '--at', 'p=1024'));
        assert.match(await page.locator('.headline').innerText(), /^Scales to \d+ processes$/);
        const processes = Number((await page.locator('.headline strong').innerText()));
        // Efficiency by the sum of the predictions, as shares are of.
        const total = (p) => JSON.parse(run('predict', solver, '--at', `p=${p}`, '--metric', 'time', '--json')).predictions.reduce((sum, row) => sum + row.value, 0);
        assert.ok(total(4) / total(processes) >= 0.5);
        assert.ok(total(4) / total(processes + 1) < 0.5);
        await close(page);
    },

    async 'finds a region and shows what predict says of it'() {
        const page = await open(report('solver', solver, '--at', 'p=1024'));
        await page.getByRole('link', { name: 'Regions' }).click();
        await page.getByPlaceholder('Find a region').fill('exch');
        await page.getByText('1 of 4').waitFor();
        await page.locator('td.region a').click();
        assert.equal(await page.locator('h1').innerText(), 'exchange');
        const expected = predicted(solver, 'p=1024', 'main->solve->exchange');
        expectShown(await here(page), expected.value);
        const [low, high] = (await page.locator('[data-testid=interval]').innerText()).split(' – ');
        const unit = high.split(' ')[1];
        expectShown(`${low} ${unit}`, expected.interval.low);
        expectShown(high, expected.interval.high);
        await close(page);
    },

    async 'moves sliders, and all numbers follow'() {
        const page = await open(`${report('grid', grid, '--at', 'p=128,n=500')}#/region?region=main-%3Ehalo`);
        for (const [name, key, presses] of [['p', 'ArrowRight', 3], ['n', 'ArrowLeft', 2]]) {
            for (let i = 0; i < presses; ++i) await page.getByRole('slider', { name, exact: true }).press(key);
            const point = await Promise.all(['p', 'n'].map(async (p) => `${p}=${(await page.getByRole('slider', { name: p, exact: true }).getAttribute('aria-valuetext')).split(' = ')[1].replace(/\u202f/g, '')}`));
            expectShown(await here(page), predicted(grid, point.join(','), 'main->halo').value);
        }
        assert.match(page.url(), /at\.p=/);
        await page.reload();
        assert.match(await page.getByRole('slider', { name: 'p', exact: true }).getAttribute('aria-valuetext'), /^p = (?!128)/);
        await page.getByRole('button', { name: 'Target' }).click();
        expectShown(await here(page), predicted(grid, 'p=128,n=500', 'main->halo').value);
        await close(page);
    },

    async 'shows other metrics in their units'() {
        const page = await open(report('solver', solver, '--at', 'p=1024'));
        await page.getByLabel('Metric').selectOption({ label: 'bytes (B)' });
        await page.getByRole('link', { name: /exchange/ }).click();
        expectShown(await here(page), predicted(solver, 'p=1024', 'main->solve->exchange', 'bytes').value);
        await close(page);
    },

    async 'reads values off a plot with the arrow keys'() {
        const page = await open(`${report('solver', solver, '--at', 'p=1024')}#/region?region=main-%3Esolve`);
        const plot = page.getByRole('group', { name: /time against p; arrow keys/ });
        await plot.focus();
        await plot.press('ArrowLeft');
        const text = await plot.locator('output').innerText();
        assert.match(text, /^p = 1024: /);
        expectShown(text.split(': ')[1].split(',')[0], predicted(solver, 'p=1024', 'main->solve').value);
        await close(page);
    },

    async 'orders and filters the table, and saves it'() {
        const page = await open(`${report('solver', solver, '--at', 'p=1024')}#/regions`);
        const names = () => page.locator('td.region').allInnerTexts();
        assert.deepEqual(await names(), ['main->solve', 'main->solve->exchange', 'main->output', 'main']);
        await page.getByRole('button', { name: 'Growth' }).click();
        assert.equal((await names())[0], 'main->solve');
        await page.getByRole('button', { name: 'Region', exact: true }).click();
        assert.deepEqual(await names(), ['main', 'main->output', 'main->solve', 'main->solve->exchange']);
        await page.getByLabel('grows as').selectOption('1');
        assert.deepEqual(await names(), ['main']);
        await page.getByLabel('grows as').selectOption('');
        const saved = await download(page, page.getByRole('button', { name: 'CSV' }));
        assert.equal(saved.name, 'regions.csv');
        assert.deepEqual([...saved.content.subarray(0, 3)], [0xef, 0xbb, 0xbf], 'a mark of UTF-8, for spreadsheets');
        const lines = saved.content.toString().trim().split('\r\n');
        assert.equal(lines.length, 5);
        assert.match(lines[0], /^region,metric,unit,growth/);
        await close(page);
    },

    async 'saves plots as SVG, PNG and CSV'() {
        const page = await open(`${report('solver', solver, '--at', 'p=1024')}#/region?region=main-%3Esolve`);
        const group = page.getByRole('group', { name: 'Save: time against p' });
        const svg = await download(page, group.getByRole('button', { name: 'SVG' }));
        assert.equal(svg.name, 'time-against-p.svg');
        assert.match(svg.content.toString(), /^<\?xml[^]*<svg[^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^]*<\/svg>\s*$/);
        assert.doesNotMatch(svg.content.toString(), /var\(--/);
        const png = await download(page, group.getByRole('button', { name: 'PNG' }));
        assert.equal(png.content.subarray(1, 4).toString(), 'PNG');
        assert.ok(png.content.readUInt32BE(16) > 1000, 'width of the picture');
        const csv = await download(page, group.getByRole('button', { name: 'CSV' }));
        const rows = csv.content.toString().trim().split('\r\n').map((line) => line.split(','));
        const row = rows.find((r) => r[0] === '64');
        assert.deepEqual(rows[0].slice(0, 5), ['p', 'model [s]', 'low [s]', 'high [s]', 'measured [s]']);
        assert.ok(Math.abs(Number(row[1]) / predicted(solver, 'p=64', 'main->solve').value - 1) < 1e-6);
        assert.equal(row.length, 8); // with three runs
        await close(page);
    },

    async 'walks the call tree with keys alone'() {
        const page = await open(`${report('solver', solver, '--at', 'p=1024')}#/tree`);
        const rows = () => page.locator('tbody tr').count();
        await page.getByRole('region', { name: 'Call tree' }).focus();
        assert.equal(await rows(), 4);
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowLeft');
        assert.equal(await rows(), 3);
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        assert.equal(await page.locator('h1').innerText(), 'exchange');
        await page.goBack();
        await page.getByRole('heading', { name: 'Call tree' }).waitFor();
        await close(page);
    },

    async 'is reached by the tab key everywhere'() {
        const page = await open(report('solver', solver, '--at', 'p=1024'));
        const seen = new Set();
        for (let i = 0; i < 60; ++i) {
            await page.keyboard.press('Tab');
            seen.add(await page.evaluate(() => document.activeElement?.textContent?.trim().slice(0, 30)));
        }
        for (const name of ['Call tree', 'Regions', 'Data', 'Dark', 'Target', 'SVG', 'main->solve']) assert.ok([...seen].includes(name), name);
        await close(page);
    },

    async 'has a dark side and a light one'() {
        const address = report('solver', solver, '--at', 'p=1024');
        const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const dark = await open(address, { colorScheme: 'dark' });
        const light = await open(address);
        assert.notEqual(await paper(dark), await paper(light));
        const before = await paper(light);
        await light.getByRole('button', { name: 'Dark' }).click();
        assert.equal(await paper(light), await paper(dark));
        await light.getByRole('button', { name: 'Light' }).click();
        assert.equal(await paper(light), before);
        await close(dark);
        await close(light);
    },

    async 'prints dark on light whatever the screen shows'() {
        const page = await open(report('solver', solver, '--at', 'p=1024'), { colorScheme: 'dark' });
        await page.getByRole('button', { name: 'Light' }).click();
        await page.getByRole('button', { name: 'Dark' }).click();
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        const [ink, paper] = await page.evaluate(() => [getComputedStyle(document.querySelector('.headline')).color, getComputedStyle(document.body).backgroundColor]);
        assert.deepEqual([ink, paper], ['rgb(23, 33, 43)', 'rgb(255, 255, 255)']);
        assert.equal(await page.getByRole('button', { name: 'SVG' }).first().isVisible(), false);
        await close(page);
    },

    async 'fits a screen of 360 pixels'() {
        for (const [name, input] of [['solver', solver], ['grid', grid]]) {
            const address = report(name, input);
            for (const hash of ['', '#/tree', '#/regions', `#/region?region=${name === 'solver' ? 'main-%3Esolve' : 'main-%3Ehalo'}`, '#/about']) {
                const page = await open(address + hash, { viewport: { width: 360, height: 740 } });
                const width = await page.evaluate(() => document.documentElement.scrollWidth);
                assert.ok(width <= 360, `${name}${hash} is ${width} pixels wide`);
                await close(page);
            }
        }
    },

    async 'has nothing that axe-core finds serious'() {
        const address = report('grid', grid);
        for (const [colorScheme, hashes] of [['light', ['', '#/tree', '#/regions', '#/region?region=main-%3Ehalo', '#/about']], ['dark', ['', '#/region?region=main-%3Ehalo']]]) {
            for (const hash of hashes) {
                const page = await open(address + hash, { colorScheme });
                for (const summary of await page.getByText('Table', { exact: true }).all()) await summary.click();
                await expectAccessible(page, `${colorScheme}${hash}`);
                await close(page);
            }
        }
    },

    async 'shows hostile names as text'() {
        const names = ['<img src=x onerror=alert(1)>', '</script><script>alert(2)</script>', '"quotes" \'and\' `ticks` & &amp; <!--', 'std::vector<std::map<int, T>>::operator->()',
            'x'.repeat(10000), 'שלום עולם', '\u202egnirts desrever', '=1+1', '__proto__', 'constructor', '{{7*7}}', 'line\u2028separator'];
        const lines = names.flatMap((region, k) => [4, 8, 16, 32, 64].map((p) => JSON.stringify({ params: { p }, region, metric: 'time', unit: 's', value: [0.1 * (k + 1) + 0.01 * p] })));
        writeFileSync(join(folder, 'hostile.jsonl'), `${lines.join('\n')}\n`);
        const address = report('hostile', join(folder, 'hostile.jsonl'));
        for (const hash of ['', '#/tree', '#/regions']) await close(await open(address + hash));
        const page = await open(`${address}#/regions`);
        const shown = await page.locator('td.region').allInnerTexts();
        const regions = JSON.parse(run('fit', join(folder, 'hostile.jsonl'), '--json')).models.map((m) => m.region);
        for (const name of regions) {
            const start = name.slice(0, 200).replace(/\u2028/g, '');
            assert.ok(shown.some((text) => text.replace(/[\u2028\n]/g, '').startsWith(start)), `'${name.slice(0, 60)}' is not there`);
            const own = await open(`${address}#/region?region=${encodeURIComponent(name)}`);
            assert.equal(await own.locator('.empty').count(), 0, name.slice(0, 60));
            const width = await own.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(width <= 1280, `${name.slice(0, 60)}: ${width} pixels`);
            await close(own);
        }
        await close(page);
    },

    async 'compares with an earlier version'() {
        const slower = readFileSync(solver, 'utf8').split('\n').map((line) => (line.includes('"main->output","metric":"time"') ? line.replace(/\[(.*)\]/, (_, values) => `[${values.split(',').map((v) => 1.3 * Number(v))}]`) : line)).join('\n');
        writeFileSync(join(folder, 'after.jsonl'), slower);
        const address = report('compared', join(folder, 'after.jsonl'), '--before', solver, '--at', 'p=1024');
        const page = await open(address);
        await page.getByRole('link', { name: 'Changes' }).click();
        await page.getByRole('heading', { name: 'All changes' }).waitFor();
        assert.equal(await page.locator('.headline').innerText(), '1 slower, 3 alike');
        const document = JSON.parse(run('compare', solver, join(folder, 'after.jsonl'), '--json'));
        const change = document.changes.find((c) => c.verdict === 'slower');
        assert.equal(change.region, 'main->output');
        await page.getByLabel('verdict').selectOption('slower');
        assert.deepEqual(await page.locator('td.region').allInnerTexts(), ['main->output']);
        assert.match(await page.locator('tbody tr').innerText(), new RegExp(`slower\\s+\\+${(100 * (change.ratio - 1)).toFixed(0)} %`));
        await expectAccessible(page, 'changes');
        await page.locator('td.region a').click();
        await page.getByRole('heading', { name: 'Measured less modelled' }).waitFor();
        assert.match(await page.locator('main').innerText(), /before:\s/);
        await close(page);
    },

    async 'opens without measurements and with a single model'() {
        run('fit', solver, '-o', join(folder, 'models.json'), '--quiet');
        const page = await open(`${report('models', join(folder, 'models.json'), '--at', 'p=1024')}#/region?region=main-%3Esolve`);
        expectShown(await here(page), predicted(solver, 'p=1024', 'main->solve').value);
        assert.match(await page.locator('main').innerText(), /Measurements are not in a file of models/);
        await close(page);
    },

    async 'says which region has no model, and why'() {
        const lines = [4, 8, 16, 32, 64].map((p) => JSON.stringify({ params: { p }, region: 'all', metric: 'time', value: [p] }));
        lines.push(JSON.stringify({ params: { p: 4 }, region: 'few', metric: 'time', value: [1] }));
        writeFileSync(join(folder, 'few.jsonl'), lines.join('\n'));
        const page = await open(`${report('few', join(folder, 'few.jsonl'))}#/region?region=few`);
        assert.match(await page.locator('main').innerText(), /No model: 1 of 5 points/);
        await close(page);
    },
};

await runTests(tests);
