// The TypeScript client of both eras: `@modelcontextprotocol/client`.

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { asked, play } from './scenario.mjs';

const wires = {
  stdio: () => new StdioClientTransport({ command: asked.command, args: asked.args }),
  http: () => new StreamableHTTPClientTransport(new URL(asked.url)),
  sse: () => new SSEClientTransport(new URL(asked.url)),
};

const mode = { legacy: 'legacy', auto: 'auto' }[asked.era] ?? { pin: asked.era };

await play((onChanged) => {
  const options = { listChanged: { tools: { onChanged, debounceMs: 0 } }, versionNegotiation: { mode } };
  const client = new Client({ name: 'metier-tests', version: '1' }, options);
  const wire = wires[asked.transport]();
  return { client, wire, revision: () => client.getNegotiatedProtocolVersion() };
});
