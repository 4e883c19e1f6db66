// What tests in headless Chromium share: reports to open, pages that complain, and the run of the tests.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const [plimsoll, build] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(build, 'package.json'));
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
if (!chromium) {
    console.log('skipped: Chromium is not installed');
    process.exit(77);
}
const playwright = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
export const data = resolve(dirname(fileURLToPath(import.meta.url)), '../../test/data');
export const folder = mkdtempSync(join(tmpdir(), 'plimsoll-report-'));

/** Runs plimsoll; its standard output. */
export function run(...words) {
    return execFileSync(plimsoll, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
}

/** Writes a report; its address. */
export function report(name, ...words) {
    const file = join(folder, `${name}.html`);
    run('report', 'build', ...words, '-o', file, '--quiet');
    return `file://${file}`;
}

/** Serves a report; its address, and how to end it. */
export function serve(...words) {
    const server = spawn(plimsoll, ['report', 'serve', ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
    return new Promise((resolve) => {
        server.stdout.once('data', (text) => resolve({
            address: String(text).trim(),
            end: () => new Promise((ended) => { server.once('exit', ended); server.kill('SIGINT'); }),
        }));
    });
}

/** What predict says of a region at a point. */
export function predicted(input, at, region, metric = 'time') {
    const document = JSON.parse(run('predict', input, '--at', at, '--json'));
    return document.predictions.find((p) => p.region === region && p.metric === metric);
}

const units = { ns: 1e-9, 'µs': 1e-6, ms: 1e-3, s: 1, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, min: 60, h: 3600, d: 86400 };

/** "11.4 s" as a number of seconds, and the half of its last digit. */
export function read(text) {
    const [, digits, unit] = text.replace(/[\u202f\u2009\u00a0]/g, '').match(/^([\d.]+)\s*(\S*)/);
    const scale = unit === '' ? 1 : units[unit];
    assert.ok(scale, `unit of '${text}'`);
    return { value: Number(digits) * scale, half: 0.5001 * 10 ** -(digits.split('.')[1] ?? '').length * scale };
}

export function expectShown(text, value) {
    const shown = read(text);
    assert.ok(Math.abs(shown.value - value) <= shown.half + 1e-6 * Math.abs(value), `'${text}' is not ${value}`);
}

const browser = await playwright.chromium.launch({
    executablePath: chromium,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

/** A page that fails the test where it says something or asks for anything but its own file, or its own server. */
export async function open(address, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
    const page = await context.newPage();
    page.complaints = [];
    page.on('console', (message) => page.complaints.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => page.complaints.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => { page.complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on('request', (request) => {
        if (address.startsWith('http:') && request.url().startsWith(address.split('#')[0])) return;
        if (!/^(file|data|blob):/.test(request.url()) || (request.url().startsWith('file:') && request.url().split('#')[0] !== address.split('#')[0])) page.complaints.push(`request: ${request.url()}`);
    });
    await page.goto(address);
    await page.waitForSelector('main');
    return page;
}

export async function close(page) {
    assert.deepEqual(page.complaints, []);
    await page.context().close();
}

export async function expectAccessible(page, what) {
    await page.addScriptTag({ content: axe }).catch(() => page.evaluate(axe)); // the page's policy allows no other script
    const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    const bad = found.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical');
    assert.deepEqual(bad.map((v) => `${v.id}: ${v.nodes.slice(0, 2).map((n) => n.html.slice(0, 200)).join(' | ')}`), [], what);
    page.complaints = page.complaints.filter((text) => !/Content Security Policy/.test(text)); // of the script that tests
}

export async function download(page, button) {
    const [saved] = await Promise.all([page.waitForEvent('download'), button.click()]);
    return { name: saved.suggestedFilename(), content: readFileSync(await saved.path()) };
}

/** Runs tests by their names, those that hold a word where one is given, and ends the program. */
export async function runTests(tests) {
    let failed = 0;
    const only = process.argv[4];
    for (const [name, test] of Object.entries(tests)) {
        if (only && !name.includes(only)) continue;
        const start = Date.now();
        try {
            await test();
            console.log(`ok      ${name} (${Date.now() - start} ms)`);
        } catch (error) {
            failed += 1;
            console.log(`FAILED  ${name}\n${error.stack}`);
        }
    }
    await browser.close();
    rmSync(folder, { recursive: true });
    process.exit(failed > 0 ? 1 : 0);
}
