// The TypeScript SDK of the revisions up to 2025-11-25: `@modelcontextprotocol/sdk`.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { asked, play } from './scenario.mjs';

const wires = {
  stdio: () => new StdioClientTransport({ command: asked.command, args: asked.args }),
  http: () => new StreamableHTTPClientTransport(new URL(asked.url)),
  sse: () => new SSEClientTransport(new URL(asked.url)),
};

// This client tells the revision to its transport and to nobody else.
function overhear(wire) {
  const tell = wire.setProtocolVersion?.bind(wire);
  let spoken;
  wire.setProtocolVersion = (revision) => {
    spoken = revision;
    tell?.(revision);
  };
  return () => spoken;
}

await play((onChanged) => {
  const listChanged = { tools: { onChanged, debounceMs: 0 } };
  const client = new Client({ name: 'metier-tests', version: '1' }, { listChanged });
  const wire = wires[asked.transport]();
  return { client, wire, revision: overhear(wire) };
});
