// What every JavaScript client does with a server: one line of JSON on stdout for each step.
//
//   node CLIENT.mjs TRANSPORT ERA FOLDER URL
//   node CLIENT.mjs stdio ERA FOLDER COMMAND [ARG...]
//
// FOLDER holds the skills of the server; a new one is written there.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [transport, era, folder, ...server] = process.argv.slice(2);

export const asked = { transport, era, folder, url: server[0], command: server[0], args: server.slice(1) };

export const INVALID_PARAMS = -32602;

// Far more than any step takes, even on a busy machine.
const PATIENCE = 60_000;

// Runs one step and tells how it went; what goes wrong in one does not keep the next from running.
export async function step(name, run) {
  const started = performance.now();
  const silence = new Promise((_, reject) =>
    setTimeout(() => reject(new Error('no answer in time')), PATIENCE).unref(),
  );
  let report;
  try {
    report = { ok: true, detail: (await Promise.race([run(), silence])) ?? null };
  } catch (error) {
    report = { ok: false, detail: String(error?.stack ?? error) };
  }
  const ms = Math.round(performance.now() - started);
  console.log(JSON.stringify({ step: name, ...report, ms }));
  return report.ok;
}

export function hasTools(tools) {
  const names = tools.map((it) => it.name).sort();
  assert.deepEqual(names, ['skill', 'skills_list', 'skills_read', 'skills_search']);
  assert.match(tools.find((it) => it.name === 'skill').description, /greet/);
  return names.join(' ');
}

export function isLoaded(result) {
  assert.ok(!result.isError);
  const text = result.content[0].text;
  const base = join(folder, 'greet');
  assert.ok(text.startsWith(`Loading: greet\nBase directory: ${base}\n`), text);
  assert.ok(text.endsWith('\n\n---\nname: greet\ndescription: Says hello.\n---\nHello there.\n'), text);
}

export function isListed(result) {
  const names = result.structuredContent.skills.map((it) => it.meta.name);
  assert.deepEqual(names, ['greet', 'sum']);
}

export function isFound(result) {
  const { total, results } = result.structuredContent;
  assert.equal(total, 1);
  assert.equal(results[0].meta.name, 'greet');
}

export function isRead(result) {
  assert.ok(!result.isError);
  assert.ok(JSON.stringify(result).includes('Bonjour.'), JSON.stringify(result));
}

export function isUnknownSkill(result) {
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /^Skill 'nobody' not found\./);
}

export function addSkill() {
  mkdirSync(join(folder, 'fresh'));
  writeFileSync(join(folder, 'fresh/SKILL.md'), '---\nname: fresh\ndescription: Comes later.\n---\nNew.\n');
}

export async function refuses(promise, code, word) {
  await assert.rejects(promise, (error) => {
    assert.equal(error.code, code, `${error}`);
    assert.ok(error.message.includes(word), error.message);
    return true;
  });
}

// The whole story. `make` gives a client and its transport, told where to report changed tools.
export async function play(make) {
  let changed;
  const change = new Promise((resolve) => (changed = resolve));
  const { client, wire, revision } = make((error, tools) => changed({ error, tools }));
  const call = (name, args, options) => client.callTool({ name, arguments: args }, options);

  const connected = await step('connect', async () => {
    await client.connect(wire);
    const spoken = revision();
    assert.match(spoken, era === 'legacy' ? /^2025/ : /^2026/);
    return spoken;
  });
  if (!connected) process.exit(1);

  await step('list', async () => hasTools((await client.listTools()).tools));
  await step('load', async () => isLoaded(await call('skill', { name: 'greet' })));
  await step('catalog', async () => isListed(await call('skills_list', {})));
  await step('search', async () => isFound(await call('skills_search', { query: 'hello' })));
  await step('read', async () => isRead(await call('skills_read', { name: 'greet', path: 'notes.md' })));
  await step('unknown_skill', async () => isUnknownSkill(await call('skill', { name: 'nobody' })));
  await step('missing_argument', () => refuses(call('skill', {}), INVALID_PARAMS, 'name'));
  await step('unknown_tool', () => refuses(call('nothing', {}), INVALID_PARAMS, 'nothing'));
  await step('cancel', async () => {
    const abort = new AbortController();
    const aborted = call('skills_list', { includeBody: true }, { signal: abort.signal });
    abort.abort('no longer wanted');
    await assert.rejects(aborted);
    isLoaded(await call('skill', { name: 'greet' }));
  });
  await step('list_changed', async () => {
    addSkill();
    const { error, tools } = await change;
    assert.ifError(error);
    assert.match(tools.find((it) => it.name === 'skill').description, /fresh/);
  });
  await step('close', async () => {
    await wire.terminateSession?.();
    await client.close();
  });
  // Whatever a failed step left open must not keep the process.
  process.exit();
}
