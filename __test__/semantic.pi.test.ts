// Closeness in meaning in the real Pi, with the user's own embedding endpoint on this machine.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { SemanticStatus } from '../index.js';
import { freshForEach, place, provider } from './pi/fixture.ts';
import { type Rpc, report, startRpc, untilReady } from './pi/host.ts';

const FILES = {
  'src/harbour.ts': 'export function moor(vessel) {\n  return berth.take(vessel);\n}\n',
  'src/purse.ts': 'export function total(items) {\n  return items.reduce((sum, item) => sum + item.price, 0);\n}\n',
};
const REQUEST = 'what happens with a ship when it comes in?';
const DIMENSIONS = 16;
const vectorOf = (text: string) => [(text.match(/\b(boat|ship|vessel)s?\b/gi) ?? []).length, 0.1, ...Array(DIMENSIONS - 2).fill(0)];

freshForEach(FILES);
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function endpoint(status = 200): Promise<{ url: string; seen: { model: string; input: string[] }[] }> {
  const seen: { model: string; input: string[] }[] = [];
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString());
    seen.push(body);
    const data = body.input.map((text: string, index: number) => ({ index, embedding: vectorOf(text) }));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ data: data.reverse() }));
  });
  await new Promise<void>((next) => server?.listen(0, '127.0.0.1', next));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/embeddings`, seen };
}

const start = (embedding: object, more: object = {}) =>
  startRpc({
    place,
    providerUrl: provider.url,
    settings: {
      contextEngine: { retrieval: { semantic: true, embedding: { dimensions: DIMENSIONS, ...embedding } }, context: { maxDelayMs: 10_000 }, ...more },
    },
  });

type Shown = { semantic?: SemanticStatus };

async function whenEmbedded(pi: Rpc): Promise<SemanticStatus> {
  for (;;) {
    const { semantic } = await report<Shown>(pi, '/context project');
    if (semantic?.lastUpdate) return semantic;
    await new Promise((next) => setTimeout(next, 20));
  }
}

test('an endpoint of the user finds what means the same, and the project view says whose vectors there are', async () => {
  const { url, seen } = await endpoint();
  const pi = start({ url, provider: 'mine', model: 'concepts' });
  await untilReady(pi);
  expect(await whenEmbedded(pi)).toMatchObject({
    provider: 'mine',
    model: 'concepts',
    dimensions: DIMENSIONS,
    destination: 'local',
    counts: { chunks: 2, embedded: 2, withheld: 0 },
    fresh: true,
  });
  await pi.prompt(REQUEST);
  expect(JSON.stringify(provider.bodies)).toContain('harbour.ts');
  expect(await report(pi, '/context manifest')).toMatchObject({
    projectSnippets: [{ path: 'src/harbour.ts' }],
    semantic: { provider: 'mine', indexedVectors: 2 },
  });
  expect(seen.map(({ model, input }) => [model, input.length])).toEqual([
    ['concepts', 2],
    ['concepts', 1],
  ]);
  await pi.close();
});

test('an endpoint that fails leaves the words alone, and the reason is shown', async () => {
  const { url } = await endpoint(500);
  const pi = start({ url, model: 'concepts' });
  await untilReady(pi);
  expect(await whenEmbedded(pi)).toMatchObject({ counts: { embedded: 0 }, fresh: false, fallbackReason: "provider: the host's function failed" });
  await pi.prompt('how is the total of all items computed?');
  expect(JSON.stringify(provider.bodies)).toContain('purse.ts');
  await pi.close();
});

test('an endpoint elsewhere is sent nothing without its exact name and privacy', async () => {
  const pi = start({ url: 'https://embeddings.example.invalid/v1/embeddings', provider: 'far', model: 'm', remoteProfiles: ['far/*'] });
  await untilReady(pi);
  expect(await whenEmbedded(pi)).toMatchObject({ destination: 'remote', counts: { embedded: 0 }, fallbackReason: expect.stringMatching(/^remote-profile: /) });
  await pi.close();
});

test('a setting that lacks its model is told, and the project is answered for', async () => {
  const pi = start({});
  await untilReady(pi);
  expect((await report<Shown>(pi, '/context project')).semantic).toBeUndefined();
  await pi.prompt('how is the total of all items computed?');
  expect(JSON.stringify(provider.bodies)).toContain('purse.ts');
  await pi.close();
});
