// The page's own computing, and its size.
//
//   node web/test/sources_test.mjs PLIMSOLL BUILD_FOLDER

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [plimsoll, build] = process.argv.slice(2).map((path) => resolve(path));
const esbuild = createRequire(join(build, 'package.json'))('esbuild');
const web = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const data = resolve(web, '../test/data');
const folder = mkdtempSync(join(tmpdir(), 'plimsoll-sources-'));
after(() => rmSync(folder, { recursive: true }));

/** A module of the sources, as Node.js takes it. */
async function load(name) {
    const file = join(folder, `${name.replace('/', '-')}.mjs`);
    await esbuild.build({ entryPoints: [join(web, 'src', `${name}.ts`)], bundle: true, format: 'esm', outfile: file, logLevel: 'error',
        nodePaths: [join(build, 'node_modules')] });
    return import(pathToFileURL(file).href);
}

function run(...words) {
    return JSON.parse(execFileSync(plimsoll, [...words, '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 }));
}

/** Fits, predicts at points, and evaluates the published functions there. */
async function expectSameAsPredict(input, options, points, tolerance) {
    const { evaluate } = await load('evaluate');
    const models = run('fit', input, ...options).models;
    let compared = 0;
    for (const row of run('predict', input, ...options, ...points.flatMap((point) => ['--at', point])).predictions) {
        const model = models.find((m) => m.region === row.region && m.metric === row.metric);
        const value = evaluate(model.function, row.at);
        assert.ok(Math.abs(value - row.value) <= tolerance * Math.abs(row.value), `${row.region} at ${JSON.stringify(row.at)}: ${value}, not ${row.value}`);
        compared += 1;
    }
    assert.ok(compared >= points.length);
    return models;
}

/** Measurements of one region by a function of p. */
function planted(name, values, f) {
    const file = join(folder, `${name}.jsonl`);
    writeFileSync(file, values.map((p) => JSON.stringify({ params: { p }, region: name, metric: 'time', value: [f(p)] })).join('\n'));
    return file;
}

test('published functions have the values that predict prints', async () => {
    const extrap = ['--search', 'extra-p'];
    await expectSameAsPredict(join(data, 'solver.jsonl'), extrap, ['p=3', 'p=64', 'p=4096', 'p=1000000'], 1e-12);
    await expectSameAsPredict(join(data, 'grid.txt'), extrap, ['p=3,n=777', 'p=4096,n=9000'], 1e-12);
});

test('segments are evaluated as predict does', async () => {
    const values = Array.from({ length: 14 }, (_, i) => i + 2);
    const file = planted('regimes', values, (p) => (p <= 8 ? 10 + p : 3 * p * p));
    const models = await expectSameAsPredict(file, ['--search', 'extra-p', '--modeler', 'segmented'], ['p=2', 'p=5', 'p=12', 'p=100'], 1e-12);
    assert.ok(models[0].function.segments);
});

test('laws are evaluated as predict does', async () => {
    const factorial = planted('factorial', [2, 3, 4, 5, 6, 7], (p) => 5e-3 * [1, 1, 2, 6, 24, 120, 720, 5040][p]);
    const exponential = planted('exponential', [2, 4, 6, 8, 10, 12], (p) => 0.25 * 2 ** p);
    for (const [file, law] of [[factorial, 'factorial'], [exponential, 'exponential']]) {
        const models = await expectSameAsPredict(file, ['--laws'], ['p=5', 'p=9', 'p=13'], 1e-5); // a median, of exact values
        assert.ok(models[0].function.terms.some((t) => t.factors.some((f) => f.law === law)), law);
    }
});

test('numbers are as people read them', async () => {
    const { plain, withUnit, range, percent, exact, csv } = await load('format');
    assert.equal(plain(1234.5), '1230');
    assert.equal(plain(0.00123456), '0.00123');
    assert.equal(plain(9.999), '10.0');
    assert.equal(plain(0.0009999), '0.00100');
    assert.equal(plain(-2.5e9), '−2.50·10⁹');
    assert.equal(plain(NaN), '–');
    assert.equal(withUnit(0.0123, 's'), '12.3 ms');
    assert.equal(withUnit(0.9999, 's'), '1.00 s');
    assert.equal(withUnit(123456, 's'), '123\u202f000 s');
    assert.equal(withUnit(0.0123, 'duration'), '12.3 ms');
    assert.equal(withUnit(90, 'duration'), '1.50 min');
    assert.equal(withUnit(86400, 'duration'), '24.0 h');
    assert.equal(withUnit(10 * 86400, 'duration'), '10.0 d');
    assert.equal(withUnit(0, 'duration'), '0 s');
    assert.equal(withUnit(2.5e9, 'B'), '2.50 GB');
    assert.equal(withUnit(7, ''), '7');
    assert.equal(withUnit(7.25, ''), '7.25');
    assert.equal(range(0.5, 2, 's'), '0.500 – 2.00 s');
    assert.equal(percent(0.12345), '12.3 %');
    assert.equal(percent(0.0001), '< 0.1 %');
    assert.equal(exact(131072), '131\u202f072');
    assert.equal(exact(0.125), '0.125');
    assert.equal(csv(['a', 'b'], [['x,"y"', 1.5], ['=cmd', NaN]]), 'a,b\r\n"x,""y""",1.5\r\n\'=cmd,\r\n');
});

test('axes have round marks within their ends', async () => {
    const { makeScale, ticks, ticksOfTwo } = await load('plot/scale');
    assert.deepEqual(ticks(makeScale(0, 100, false), 5), [0, 20, 40, 60, 80, 100]);
    assert.deepEqual(ticks(makeScale(1, 1000, true), 9), [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]);
    assert.deepEqual(ticksOfTwo(makeScale(4, 64, true), 9), [4, 8, 16, 32, 64]);
    for (const [low, high] of [[1e-9, 3e-9], [0.3, 0.31], [1, 1e30], [5, 5000]]) {
        for (const log of [true, false]) {
            const found = ticks(makeScale(low, high, log), 6);
            assert.ok(found.length >= 2 && found.length <= 20, `${low} to ${high}: ${found}`);
            assert.ok(found.every((value) => value >= low - 1e-6 * (high - low) && value <= high + 1e-6 * (high - low)));
        }
    }
});

test('lines of equal value lie where the value is', async () => {
    const { contour } = await load('plot/contours');
    const field = (f) => Array.from({ length: 9 }, (_, j) => Array.from({ length: 12 }, (__, i) => f(i, j)));
    // Linear between neighbours, so that a plane's lines are exact; a product of powers is a plane in logarithms.
    for (const [f, level, log] of [[(x, y) => 3 * x + 2 * y, 17.3, false], [(x, y) => 1.7 ** x * 1.3 ** y, 41, true]]) {
        const { pieces } = contour(field(f), level, log);
        assert.ok(pieces.length >= 8);
        for (const [x0, y0, x1, y1] of pieces) {
            assert.ok(Math.abs(f(x0, y0) / level - 1) < 1e-9 && Math.abs(f(x1, y1) / level - 1) < 1e-9);
            assert.ok(Math.hypot(x1 - x0, y1 - y0) <= Math.SQRT2 + 1e-9, 'a piece stays in its cell');
        }
    }
    // Round a hill the line closes: every end is the end of another piece.
    const { pieces } = contour(field((x, y) => 40 - (x - 5.3) ** 2 - (y - 4.1) ** 2), 31, false);
    const ends = new Map();
    for (const [x0, y0, x1, y1] of pieces) for (const end of [[x0, y0], [x1, y1]]) ends.set(String(end.map((v) => v.toFixed(9))), (ends.get(String(end.map((v) => v.toFixed(9)))) ?? 0) + 1);
    assert.ok(pieces.length > 8 && [...ends.values()].every((count) => count === 2));
    assert.equal(contour(field(() => NaN), 1, false).pieces.length, 0);
    assert.equal(contour([[1, 9], [9, 1]], 5, false).pieces.length, 2); // a saddle
});

test('orders are those of a sort', async () => {
    const { ordered, largest, rank } = await load('order');
    const values = Float32Array.from({ length: 5000 }, (_, i) => (i % 17 === 0 ? NaN : Math.sin(i * 12.9898) * 10 ** (i % 7) - (i % 3)));
    const ids = Array.from(values.keys()).filter((i) => i % 5 !== 0);
    const key = (i) => (isNaN(values[i]) ? -Infinity : values[i]);
    assert.deepEqual(Array.from(ordered(ids, values, 'up')), [...ids].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0)));
    const down = [...ids].sort((a, b) => (key(a) > key(b) ? -1 : key(a) < key(b) ? 1 : 0));
    assert.deepEqual(Array.from(ordered(ids, values, 'down')), down);
    assert.deepEqual(largest(ids, values, 9), down.slice(0, 9));
    assert.deepEqual(largest([3, 4], values, 9).sort(), [3, 4]);
    assert.equal(rank(down[41], ids, values), 42);
});

test('the address keeps what is looked at', async () => {
    const { parse, format } = await load('state');
    const state = { page: 'region', region: 'a->b<&#?=%>', 'at.p': '4096' };
    assert.deepEqual(parse(format(state)), state);
    assert.deepEqual(parse(''), { page: 'overview' });
    assert.deepEqual(parse('#/tree'), { page: 'tree' });
});

test('program and style are below 400 kB', () => {
    const bytes = statSync(join(build, 'report.js')).size + statSync(join(build, 'report.css')).size;
    assert.ok(bytes < 400_000, `${bytes} bytes`);
});

test('the lock file names no host', () => {
    assert.doesNotMatch(readFileSync(join(web, 'package-lock.json'), 'utf8'), /https?:\/\//);
});
