// A page that follows a server, where replies are slow, fail, or are not what was asked for, in headless Chromium.
//
//   node web/test/live_test.mjs PLIMSOLL BUILD_FOLDER
//
// BUILD_FOLDER is the one that web/build.mjs made. Exit codes: 0 all well, 1 not, 77 no Chromium here.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { close, data, expectShown, folder, open, predicted, runTests, serve } from './support.mjs';

/** What `plimsoll report serve` sends for inputs. */
async function served(...words) {
    const server = await serve(...words);
    try {
        return await (await fetch(server.address)).text();
    } finally {
        await server.end();
    }
}

const first = await served(join(data, 'solver.jsonl'), '--at', 'p=1024');
const version = '<meta name="plimsoll-version" content="1">';
const source = 'solver.jsonl';
assert.ok(first.includes(version) && first.includes(source));
const newer = (number) => first.replace(version, version.replace('1', number)).replaceAll(source, `version-${number}`);

/** A server of one page; `answers` has a function for each request of the page after the first, and the last one for all others. */
async function standIn(...answers) {
    const followers = [];
    let asked = 0;
    const server = createServer(async (request, reply) => {
        if (request.url.endsWith('events')) {
            reply.writeHead(200, { 'Content-Type': 'text/event-stream' });
            reply.write('event: page\ndata: 1\n\n');
            followers.push(reply);
            return;
        }
        const page = asked === 0 ? first : await answers[Math.min(asked, answers.length) - 1]();
        asked += 1;
        reply.writeHead(page === null ? 500 : 200, { 'Content-Type': 'text/html; charset=utf-8' });
        reply.end(page ?? '');
    });
    await new Promise((ready) => { server.listen(0, '127.0.0.1', ready); });
    return {
        address: `http://127.0.0.1:${server.address().port}/`,
        tell: (...events) => followers.forEach((reply) => reply.write(events.map(([name, text]) => `event: ${name}\ndata: ${text}\n\n`).join(''))),
        asked: () => asked,
        end: () => { server.closeAllConnections(); server.close(); },
    };
}

/** A promise, and what fulfils it. */
function gate() {
    let lift;
    const lifted = new Promise((resolve) => { lift = resolve; });
    return { lifted, lift };
}

const isShown = (page, number) => page.locator('.source', { hasText: `version-${number}` }).waitFor({ timeout: 10000 });
const state = (page, text) => page.locator('.live', { hasText: text }).waitFor({ timeout: 10000 });

const tests = {
    async 'fetches what came while another version was on its way, and keeps a trouble told meanwhile'() {
        const slow = gate();
        const asked = gate();
        const server = await standIn(async () => { asked.lift(); await slow.lifted; return newer(2); }, () => newer(3));
        const page = await open(server.address);
        await state(page, 'live');
        server.tell(['page', '2']);
        await asked.lifted;
        server.tell(['page', '3'], ['trouble', '"the third is half written"']);
        await page.getByRole('alert').waitFor();
        slow.lift();
        await isShown(page, 3);
        await state(page, /^live, as of/);
        assert.equal(server.asked(), 3);
        assert.match(await page.getByRole('alert').innerText(), /the third is half written/);
        server.tell(['page', '3']);
        await page.getByRole('alert').waitFor({ state: 'detached' });
        await close(page);
        server.end();
    },

    async 'tries again where a page could not be fetched, and says so'() {
        const server = await standIn(() => null, () => newer(2));
        const page = await open(server.address);
        await state(page, 'live');
        server.tell(['page', '2']);
        await state(page, 'newer data cannot be fetched yet');
        await isShown(page, 2);
        await state(page, /^live, as of/);
        page.complaints = page.complaints.filter((text) => !/status of 500/.test(text));
        await close(page);
        server.end();
    },

    async 'shows what it held where a newer page cannot be read'() {
        const server = await standIn(() => newer(2).replaceAll(/id="(value|details)-/g, 'id="gone-$1-').replace(/(id="report"[^>]*>)/, '$1{'), () => newer(2));
        const page = await open(server.address);
        await state(page, 'live');
        server.tell(['page', '2']);
        await state(page, 'newer data cannot be fetched yet');
        // Blocks that nothing has read yet still come from the page whose models are shown.
        await page.goto(`${server.address}#/region?region=main-%3Esolve`);
        expectShown(await page.locator('[data-testid=here]').innerText(), predicted(join(data, 'solver.jsonl'), 'p=1024', 'main->solve').value);
        await isShown(page, 2);
        await close(page);
        server.end();
    },

    async 'says that the server is gone'() {
        const server = await standIn(() => newer(2));
        const page = await open(server.address);
        await state(page, 'live');
        server.end();
        await state(page, 'not connected');
        page.complaints = page.complaints.filter((text) => !/ERR_|EventSource/.test(text));
        await close(page);
    },

    async 'asks nobody where it was saved from a server'() {
        const saved = join(folder, 'saved.html');
        writeFileSync(saved, first);
        const page = await open(`file://${saved}`);
        assert.equal(await page.locator('.live').count(), 0);
        assert.match(await page.locator('.headline').innerText(), /^Scales to/);
        await close(page);
    },
};

await runTests(tests);
