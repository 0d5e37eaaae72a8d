// The command line of the MCP Inspector: each step is a process, and so a connection, of its own.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { asked, hasTools, isFound, isLoaded, isUnknownSkill, step } from './scenario.mjs';

const home = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json'));
const launcher = join(home, 'clients/launcher/build/index.js');

const target = {
  stdio: ['--', asked.command, ...asked.args],
  http: ['--transport', 'http', '--server-url', asked.url],
  sse: ['--transport', 'sse', '--server-url', asked.url],
}[asked.transport];

function inspect(...wanted) {
  const args = [launcher, '--cli', '--format', 'json', '--quiet', '--protocol-era', asked.era];
  return new Promise((resolve) => {
    execFile(process.execPath, [...args, ...wanted, ...target], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

function call(tool, args) {
  return inspect('--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args));
}

// The exit codes are the Inspector's own: 0 done, 5 the tool answered with an error.
function answer({ code, stdout, stderr }, expected = 0) {
  assert.equal(code, expected, stderr);
  return JSON.parse(stdout).result;
}

// `--strict` refuses tools whose schemas some client could not read.
const list = () => inspect('--method', 'tools/list', '--strict');

await Promise.all([
  step('list', async () => hasTools(answer(await list()).tools)),
  step('load', async () => isLoaded(answer(await call('skill', { name: 'greet' })))),
  step('search', async () => isFound(answer(await call('skills_search', { query: 'hello' })))),
  // Exit code 0: every file was read, and is what was listed.
  step('skills', async () => {
    const { code, stdout, stderr } = await inspect('--method', 'skills/list', '--verify');
    assert.equal(code, 0, stdout + stderr);
  }),
  step('unknown_skill', async () => isUnknownSkill(answer(await call('skill', { name: 'nobody' }), 5))),
  step('missing_argument', async () => {
    const { code, stderr } = await call('skill', {});
    assert.equal(code, 1);
    assert.match(JSON.parse(stderr.trim().split('\n').at(-1)).error.message, /name/);
  }),
]);
