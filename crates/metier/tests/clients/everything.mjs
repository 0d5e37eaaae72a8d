// What the TypeScript SDK does with `server-everything`, whoever stands between: one line of JSON for
// each thing, with what came of it, so that two runs can be compared.
//
//   node everything.mjs COMMAND [ARG...]

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

const [command, ...args] = process.argv.slice(2);

// Far more than anything here takes, even on a busy machine.
const PATIENCE = 60_000;

const capabilities = { sampling: {}, elicitation: {}, roots: { listChanged: true } };
const client = new Client({ name: 'everything', version: '1' }, { capabilities });

// What the server asked and told, as it came.
const heard = [];
let moved = () => {};

function hear(what) {
  heard.push(what);
  moved();
}

// The first thing heard that fits, now or later.
async function hears(fits) {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const found = heard.find(fits);
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`only this was heard: ${JSON.stringify(heard)}`);
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, PATIENCE);
      moved = () => (clearTimeout(timer), resolve());
    });
  }
}

let roots = [{ uri: 'file:///one', name: 'one' }];

client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
  hear({ asked: 'sampling', params });
  return { role: 'assistant', content: { type: 'text', text: 'A reply.' }, model: 'none', stopReason: 'endTurn' };
});
client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
  hear({ asked: 'elicitation', params });
  return { action: 'accept', content: { name: 'Ada', check: true, integer: 7 } };
});
client.setRequestHandler(ListRootsRequestSchema, () => {
  hear({ asked: 'roots' });
  return { roots };
});
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => hear({ log: params }));
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => hear({ updated: params.uri }));

// Between us and the server, names may have the server's before them.
const own = (name) => name.replace(/^everything__/, '');
const isTheirs = (name) => !/^skill(s_|$)/.test(name);
const nameless = (items) =>
  items.map(({ name, ...rest }) => ({ name: own(name), ...rest })).sort((a, b) => (a.name < b.name ? -1 : 1));

const call = (name, args = {}, options) => client.callTool({ name, arguments: args }, undefined, options);

async function failure(promise) {
  const error = await promise.then(
    () => null,
    (error) => error,
  );
  return { code: error?.code, message: error?.message };
}

async function progress() {
  const steps = [];
  const onprogress = (step) => steps.push(step);
  const result = await call('trigger-long-running-operation', { duration: 0.2, steps: 4 }, { onprogress });
  // The last step may come together with the result, and then this client passes it over.
  return { steps: steps.slice(0, 3), result };
}

async function sampling() {
  const result = await call('trigger-sampling-request', { prompt: 'hello', maxTokens: 10 });
  return { result, asked: await hears((it) => it.asked === 'sampling') };
}

async function elicitation() {
  const result = await call('trigger-elicitation-request');
  return { result, asked: await hears((it) => it.asked === 'elicitation') };
}

async function rootsListed() {
  // The server asks by itself, a moment after it was met, and again when they change.
  await hears((it) => /^Roots updated: 1/.test(it.log?.data));
  const first = await call('get-roots-list');
  roots = [...roots, { uri: 'file:///two', name: 'two' }];
  await client.sendRootsListChanged();
  await hears((it) => /^Roots updated: 2/.test(it.log?.data));
  return { first, second: await call('get-roots-list') };
}

async function subscription() {
  const uri = 'demo://resource/dynamic/text/1';
  await client.subscribeResource({ uri });
  await call('toggle-subscriber-updates');
  const updated = await hears((it) => it.updated);
  await call('toggle-subscriber-updates');
  await client.unsubscribeResource({ uri });
  return updated;
}

async function completion() {
  const complete = (ref, argument, context) => client.complete({ ref, argument, context });
  const prompt = { type: 'ref/prompt', name: 'completable-prompt' };
  const template = { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' };
  return [
    await complete(prompt, { name: 'department', value: 'S' }),
    await complete(prompt, { name: 'name', value: '' }, { arguments: { department: 'Sales' } }),
    await complete(template, { name: 'resourceId', value: '1' }),
  ];
}

async function logging() {
  await client.setLoggingLevel('debug');
  await call('toggle-simulated-logging');
  const { log } = await hears((it) => /message$/i.test(it.log?.data));
  await call('toggle-simulated-logging');
  // Which of its messages the server sends is chance.
  return { keys: Object.keys(log).sort(), isOne: /^\w+[- ]level[- ]message$/i.test(log.data) };
}

async function cancellation() {
  const abort = new AbortController();
  const onprogress = () => abort.abort('no longer wanted');
  const options = { signal: abort.signal, onprogress };
  const aborted = await failure(call('trigger-long-running-operation', { duration: 600, steps: 6000 }, options));
  return { aborted: aborted.message, after: await call('get-sum', { a: 1, b: 2 }) };
}

const STEPS = {
  tools: async () => nameless((await client.listTools()).tools.filter((it) => isTheirs(it.name))),
  resources: async () => (await client.listResources()).resources.sort((a, b) => (a.uri < b.uri ? -1 : 1)),
  templates: async () => nameless((await client.listResourceTemplates()).resourceTemplates),
  prompts: async () => nameless((await client.listPrompts()).prompts),
  echo: () => call('echo', { message: 'hello' }),
  structured: () => call('get-structured-content', { location: 'New York' }),
  image: () => call('get-tiny-image'),
  annotated: () => call('get-annotated-message', { messageType: 'error', includeImage: true }),
  links: () => call('get-resource-links', { count: 2 }),
  wrong: () => call('get-sum', { a: 'one' }),
  unknown_resource: async () => (await failure(client.readResource({ uri: 'nowhere://to' }))).code,
  static: () => client.readResource({ uri: 'demo://resource/static/document/features.md' }),
  prompt: () => client.getPrompt({ name: 'args-prompt', arguments: { city: 'Bonn', state: 'NRW' } }),
  wrong_prompt: async () => (await failure(client.getPrompt({ name: 'args-prompt', arguments: {} }))).code,
  progress,
  sampling,
  elicitation,
  roots: rootsListed,
  subscription,
  completion,
  logging,
  cancellation,
};

await client.connect(new StdioClientTransport({ command, args, stderr: 'inherit' }));
for (const [step, run] of Object.entries(STEPS)) {
  const outcome = await run().catch((error) => ({ failed: String(error?.stack ?? error) }));
  console.log(JSON.stringify({ step, outcome }));
}
await client.close();
process.exit();
