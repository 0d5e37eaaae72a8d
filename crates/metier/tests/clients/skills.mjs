// The skills module of the TypeScript client: every skill is listed, and every file of each is read and
// held to what was listed, by the module's own reader of frontmatter or by the one of `yaml`.
//
//   node skills.mjs TRANSPORT ERA FOLDER URL
//   node skills.mjs stdio ERA FOLDER COMMAND [ARG...]

import assert from 'node:assert/strict';

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse } from 'yaml';

import { asked, refuses, step, INVALID_PARAMS } from './scenario.mjs';

const wires = {
  stdio: () => new StdioClientTransport({ command: asked.command, args: asked.args }),
  http: () => new StreamableHTTPClientTransport(new URL(asked.url)),
  sse: () => new SSEClientTransport(new URL(asked.url)),
};

const mode = { legacy: 'legacy', auto: 'auto' }[asked.era] ?? { pin: asked.era };
const client = new Client({ name: 'metier-tests', version: '1' }, { versionNegotiation: { mode } });
await client.connect(wires[asked.transport]());
const plain = new SkillsClient(client);
const full = new SkillsClient(client, { parseFrontmatter: (yaml) => parse(yaml) });

let skills = [];
await step('list', async () => {
  assert.ok(plain.supported && plain.directoryRead);
  ({ skills } = await plain.list());
  return `${skills.length} skills`;
});
await step('get', async () => {
  for (const skill of skills) assert.deepEqual((await plain.get(skill.uri)).skill, skill);
  const uri = 'skill://nobody/has/this/SKILL.md';
  await refuses(plain.get(uri), INVALID_PARAMS, uri);
});
await step('read', async () => {
  let files = 0;
  for (const skill of skills) {
    for (const { uri } of skill.resources) {
      assert.ok((await full.read(skill, uri)).verified);
      files += 1;
    }
  }
  return `${files} files`;
});
// What the module's own reader does not know of YAML it refuses; it never reads anything else.
await step('frontmatter', async () => {
  const refused = [];
  for (const skill of skills) {
    await plain.read(skill).catch((error) => {
      assert.match(error.message, /cannot be read/);
      refused.push(`${skill.uri}: ${error.cause?.message}`);
    });
  }
  return refused;
});
await step('directory', async () => {
  for (const skill of skills) {
    const found = await filesBelow(skill.uri.replace(/\/SKILL\.md$/, ''));
    assert.deepEqual(found.sort(), skill.resources.map((it) => it.uri).sort());
  }
});
await step('close', () => client.close());
process.exit();

async function filesBelow(uri) {
  const { resources } = await plain.readDirectory(uri);
  const found = resources.map((it) => (it.mimeType === 'inode/directory' ? filesBelow(it.uri) : [it.uri]));
  return (await Promise.all(found)).flat();
}
