// How fast a report opens, and how fast it answers, by the browser's own clock.
//
//   node web/test/speed.mjs BUILD_FOLDER REPORT.html
//
// Prints one JSON value: `open`, the median of three, and `clicks`, for each action the median of three times from the
// event to the next frame, all in ms.

import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [build, report] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = createRequire(join(build, 'package.json'))('playwright-core');
const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const opened = [];
const clicks = {};

for (let round = 0; round < 3; ++round) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(`file://${report}`);
    await page.waitForSelector('main h2');
    opened.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()));
    /** Does something to an element, and waits until what follows is drawn. */
    const time = async (name, locator, act) => {
        const handle = await locator.elementHandle();
        const ms = await page.evaluate(([element, [kind, value]]) => new Promise((done) => {
            const start = performance.now();
            if (kind === 'click') element.click();
            if (kind === 'value') {
                element.value = value;
                element.dispatchEvent(new Event('input', { bubbles: true }));
            }
            requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
        }), [handle, act]);
        (clicks[name] ??= []).push(ms);
        await page.waitForTimeout(200);
    };
    const click = ['click', null];
    await time('slider on the overview', page.getByRole('slider'), ['value', '14']);
    await time('regions', page.getByRole('link', { name: 'Regions', exact: true }), click);
    await time('search', page.getByPlaceholder('Find a region'), ['value', 'kernel_777']);
    await time('search again', page.getByPlaceholder('Find a region'), ['value', '']);
    await time('order', page.getByRole('button', { name: 'Growth' }), click);
    await time('slider in the table', page.getByRole('slider'), ['value', '12']);
    await time('a region', page.locator('td.region a').nth(3), click);
    await time('call tree', page.getByRole('link', { name: 'Call tree' }), click);
    await time('expand', page.locator('button.twist').first(), click);
    await time('overview', page.getByRole('link', { name: 'Overview' }), click);
    await page.close();
}
await browser.close();
console.log(JSON.stringify({ open: Math.round(median(opened)), clicks: Object.fromEntries(Object.entries(clicks).map(([name, ms]) => [name, Math.round(median(ms))])) }));
