// Makes the page's program and style of the sources beside this file, into a folder of the build:
//
//   node web/build.mjs FOLDER [--npm PATH] [--without-tests]
//
// FOLDER then holds report.js, report.css and bundle.cpp, which is both as C++ for the library `report`. Packages are
// installed into FOLDER by `npm ci`, and again only where package.json, its lock file or Node.js changed. Needs Node.js
// alone to start: what else it needs, it installs.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = dirname(fileURLToPath(import.meta.url));

function fail(message, hint) {
    process.stderr.write(`error: ${message}\nhint: ${hint}\n`);
    process.exit(1);
}

function run(program, argumentList, folder, hint) {
    const done = spawnSync(program, argumentList, { cwd: folder, encoding: 'utf8' });
    if (done.status === 0) return;
    process.stderr.write(done.stdout ?? '');
    process.stderr.write(done.stderr ?? '');
    fail(`${program} ${argumentList[0]} failed`, hint);
}

function writeWhole(file, text) {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
}

/** Installs the packages that the lock file names, unless these are there already. */
function install(folder, npm, withTests) {
    const files = ['package.json', 'package-lock.json', '.npmrc'];
    const key = createHash('sha256').update(`${process.version} ${withTests}`);
    for (const name of files) key.update(readFileSync(join(web, name)));
    const wanted = key.digest('hex');
    const stamp = join(folder, 'installed.txt');
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
    rmSync(stamp, { force: true });
    for (const name of files) cpSync(join(web, name), join(folder, name));
    const options = ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    run(npm, withTests ? options : [...options, '--omit=dev'], folder,
        'check the network, or leave the report out: cmake -DPLIMSOLL_WITH_REPORT=OFF');
    writeWhole(stamp, wanted);
}

/** Text as a C++ string literal, in lines. */
function literal(text) {
    const escaped = [];
    for (const byte of Buffer.from(text, 'utf8')) {
        const c = String.fromCharCode(byte);
        if (c === '\n') escaped.push('\\n');
        else if (c === '"' || c === '\\') escaped.push(`\\${c}`);
        else if (c === '?') escaped.push('\\?');
        else if (byte >= 32 && byte < 127) escaped.push(c);
        else escaped.push(`\\${byte.toString(8).padStart(3, '0')}`);
    }
    const lines = [];
    for (let i = 0; i < escaped.length; i += 4000) lines.push(`    "${escaped.slice(i, i + 4000).join('')}"`);
    return lines.join('\n') || '    ""';
}

const digest = (text) => createHash('sha256').update(text).digest('base64');

function cpp(script, style) {
    const view = (name, text) => `constexpr std::string_view ${name}(\n${literal(text)},\n    ${Buffer.byteLength(text)});\n`;
    return `// Made by web/build.mjs.\n#include "plimsoll/report/bundle.hpp"\n\nnamespace plimsoll::report {\nnamespace {\n` +
        view('script', script) + view('style', style) +
        `constexpr Bundle made{script, "${digest(script)}", style, "${digest(style)}"};\n}  // namespace\n\n` +
        `const Bundle& bundle() { return made; }\n\n}  // namespace plimsoll::report\n`;
}

async function main() {
    const words = process.argv.slice(2);
    const folder = words[0] ? resolve(words[0]) : fail('no FOLDER is given', 'usage: node web/build.mjs FOLDER');
    const npm = words.includes('--npm') ? words[words.indexOf('--npm') + 1] : 'npm';
    if (Number(process.versions.node.split('.')[0]) < 18) {
        fail(`Node.js is ${process.versions.node}`, 'install version 18 or later');
    }
    mkdirSync(folder, { recursive: true });
    install(folder, npm, !words.includes('--without-tests'));
    // Beside the packages, so that the sources find them.
    rmSync(join(folder, 'src'), { recursive: true, force: true });
    cpSync(join(web, 'src'), join(folder, 'src'), { recursive: true });
    cpSync(join(web, 'tsconfig.json'), join(folder, 'tsconfig.json'));
    run(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '--noEmit'], folder, 'mend the types');
    const esbuild = createRequire(join(folder, 'package.json'))('esbuild');
    const result = await esbuild.build({
        absWorkingDir: folder, entryPoints: { report: 'src/main.tsx' }, bundle: true, minify: true, write: false, outdir: folder,
        format: 'iife', target: 'es2020', charset: 'ascii', legalComments: 'none', logLevel: 'error',
        jsx: 'automatic', jsxImportSource: 'preact',
    });
    const made = (end) => result.outputFiles.find((file) => file.path.endsWith(end)).text.trim();
    // A page holds both: nothing in them may end their element.
    const script = made('.js').replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--');
    const style = made('.css');
    if (/<\/style/i.test(style)) fail('the style holds "</style"', 'write it otherwise');
    writeWhole(join(folder, 'report.js'), script);
    writeWhole(join(folder, 'report.css'), style);
    writeWhole(join(folder, 'bundle.cpp'), cpp(script, style));
}

await main();
