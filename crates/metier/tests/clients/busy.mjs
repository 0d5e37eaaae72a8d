// A TypeScript client that is busy until its input ends: it calls one tool of each server all the
// time, and says so when something changes. One line of JSON for each of these.
//
//   node busy.mjs ERA URL CALLS
//
// CALLS is an object of names of tools and arguments.

import { createInterface } from 'node:readline';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [era, url, calls] = process.argv.slice(2);

const say = (what) => console.log(JSON.stringify(what));

const mode = { legacy: 'legacy', auto: 'auto' }[era] ?? { pin: era };
const onChanged = (error, tools) => say({ changed: error ? String(error) : names(tools) });
const names = (tools) => tools.map((it) => it.name).sort();
const client = new Client(
  { name: 'busy', version: '1' },
  { listChanged: { tools: { onChanged, debounceMs: 0 } }, versionNegotiation: { mode } },
);

let isOver = false;
createInterface({ input: process.stdin }).on('close', () => (isOver = true));

// Calls a tool again and again; says how often that went well, and why not.
async function call([name, args]) {
  const [errors, count] = [new Set(), { good: 0, bad: 0 }];
  let last;
  while (!isOver) {
    let error = null;
    try {
      const result = await client.callTool({ name, arguments: args });
      if (result.isError) throw new Error(JSON.stringify(result));
    } catch (failure) {
      error = failure.message;
      errors.add(error);
    }
    count[error === null ? 'good' : 'bad'] += 1;
    if (last !== (error === null)) say({ tool: name, error });
    last = error === null;
    // Others shall have their turn, however fast the answers come.
    await new Promise(setImmediate);
  }
  return [name, { ...count, errors: [...errors] }];
}

await client.connect(new StreamableHTTPClientTransport(new URL(url)));
say({ tools: names((await client.listTools()).tools) });
const counts = Object.fromEntries(await Promise.all(Object.entries(JSON.parse(calls)).map(call)));
say({ counts, tools: names((await client.listTools()).tools) });
process.exit();
