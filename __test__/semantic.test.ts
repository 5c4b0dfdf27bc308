// Closeness in meaning through the API, with an embedding endpoint on this machine: what it is sent, and what its answers may do.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openProject, type Project, type SemanticOptions } from '../index.js';
import { project, write } from './fixtures.js';

const FILES = {
  'src/harbour.ts': 'export function moor(vessel) {\n  return berth.take(vessel);\n}\n',
  'src/purse.ts': 'export function total(items) {\n  return items.reduce((sum, item) => sum + item.price, 0);\n}\n',
};
const REQUEST = 'what happens with a ship when it comes in?';
const DIMENSIONS = 16;

const CONCEPTS = [/\b(boat|ship|vessel)s?\b/gi, /\b(money|price|cost)s?\b/gi];
const vectorOf = (text: string) => [...CONCEPTS.map((concept) => (text.match(concept) ?? []).length), 0.1, ...Array(DIMENSIONS - 3).fill(0)];

let server: Server | undefined;
const projects: Project[] = [];
afterEach(async () => {
  for (const handle of projects.splice(0)) await handle.close();
  server?.closeAllConnections();
  server?.close();
});

/** An embedding endpoint in the form of OpenAI's, and what it was sent. */
async function endpoint(answer = (input: string[]): unknown => ({ data: input.map((text, index) => ({ index, embedding: vectorOf(text) })) })) {
  const bodies: string[] = [];
  const read = async (request: IncomingMessage) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    return Buffer.concat(parts).toString();
  };
  server = createServer(async (request, response) => {
    const body = await read(request);
    bodies.push(body);
    const given = answer(JSON.parse(body).input);
    if (given === undefined) return;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(given));
  });
  await new Promise<void>((next) => server?.listen(0, '127.0.0.1', next));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/embeddings`;
  const embed = async (input: string[]) => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ input }) });
    const { data } = (await response.json()) as { data: { embedding: number[] }[] };
    return data.map(({ embedding }) => embedding);
  };
  return { bodies, embed };
}

const options = (embed: SemanticOptions['embed']): SemanticOptions => ({
  provider: 'loopback',
  model: 'concepts',
  dimensions: DIMENSIONS,
  destination: 'local',
  embed,
});

async function open(place: { root: string; data: string }, semantic?: SemanticOptions): Promise<Project> {
  const handle = await openProject({ path: place.root, trusted: true, dataDirectory: place.data, semantic });
  projects.push(handle);
  await handle.sync();
  return handle;
}

/** An endpoint that never answers, and says when it was asked. */
function silent() {
  let asked = () => {};
  const called = new Promise<void>((next) => {
    asked = next;
  });
  const embed = () => {
    asked();
    return new Promise<never>(() => {});
  };
  return { called, semantic: { ...options(embed), timeoutMs: 120_000 } };
}

const paths = ({ messages }: Awaited<ReturnType<Project['retrieve']>>) => messages.map(({ snippet }) => snippet?.path);

describe('an embedding endpoint', () => {
  it('is sent each text once, and finds what means the same', async () => {
    const { bodies, embed } = await endpoint();
    const handle = await open(project(FILES), options(embed));
    const steps: number[] = [];
    const report = await handle.updateVectors({ onProgress: ({ done, total }) => steps.push(done / total) });
    expect(report).toMatchObject({ embedded: 2, calls: 1, fresh: true, counts: { chunks: 2, listed: 2, withheld: 0, embedded: 2 } });
    const found = await handle.retrieve({ text: REQUEST });
    expect(paths(found)).toEqual(['src/harbour.ts']);
    expect(found.manifest.semantic).toMatchObject({ provider: 'loopback', model: 'concepts', dimensions: 16, destination: 'local', indexedVectors: 2 });
    expect(found.manifest.semantic?.fallbackReason).toBeUndefined();
    expect(await handle.updateVectors()).toMatchObject({ embedded: 0, calls: 0, fresh: true });
    expect(bodies.length).toBe(2);
    expect((await handle.status()).semantic).toMatchObject({ provider: 'loopback', fresh: true, counts: { embedded: 2 } });
  });

  it('may be of typed arrays', async () => {
    const handle = await open(
      project(FILES),
      options(async (texts) => texts.map((text) => Float32Array.from(vectorOf(text)))),
    );
    expect(await handle.updateVectors()).toMatchObject({ embedded: 2, fresh: true });
    expect(paths(await handle.retrieve({ text: REQUEST }))).toEqual(['src/harbour.ts']);
  });

  it('never sees a secret or text of a class that may not leave', async () => {
    const key = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
    const place = project({
      ...FILES,
      'src/plan.ts': '// [ds4:local-only]\nexport const plan = "buried treasure"\n// [/ds4:local-only]\n',
      'src/rota.ts': '// [ds4:sensitive]\nexport const rota = "night watch"\n// [/ds4:sensitive]\n',
      'src/key.ts': `export const key = "${key}"\n`,
    });
    const { bodies, embed } = await endpoint();
    const remote: SemanticOptions = { ...options(embed), destination: 'remote' };
    const privacy = { enabled: true };
    for (const [more, code] of [
      [{ privacy }, 'remote-profile'],
      [{ privacy, remoteProfiles: ['loopback/*', 'concepts'] }, 'remote-profile'],
      [{ remoteProfiles: ['loopback/concepts'] }, 'privacy-off'],
    ] as const) {
      const handle = await open(place, { ...remote, ...(more as object) });
      expect((await handle.updateVectors()).reason).toMatch(code);
      expect((await handle.retrieve({ text: REQUEST })).manifest.semantic?.fallbackReason).toMatch(code);
    }
    expect(bodies).toEqual([]);
    const handle = await open(place, { ...remote, privacy, remoteProfiles: ['loopback/concepts'] });
    expect(await handle.updateVectors()).toMatchObject({ embedded: 2, fresh: true, counts: { withheld: 2 } });
    await handle.retrieve({ text: `what does the ship do with ${key}, exactly?` });
    const kept = await handle.retrieve({ text: 'what does the ship do? [ds4:local-only] the hidden cove [/ds4:local-only]' });
    expect(kept.manifest.semantic?.fallbackReason).toMatch(/^privacy: /);
    const seen = bodies.join('\n');
    expect(seen).toContain('[redacted:secret/github-token]');
    for (const text of [key, 'buried treasure', 'night watch', 'hidden cove']) expect(seen).not.toContain(text);
  });
});

describe('an endpoint that is not to be relied on', () => {
  it.each<[string, unknown, RegExp]>([
    ['rejects', () => Promise.reject(new Error('secret detail')), /^provider: the host's function failed$/],
    [
      'throws',
      () => {
        throw new Error('secret detail');
      },
      /^provider: /,
    ],
    ['gives no promise', () => [[1]], /^provider: /],
    ['gives nothing', async () => undefined, /^(provider|vector-count): /],
    ['gives too few', async () => [], /^vector-count: 1 texts were given and 0 vectors came back$/],
    ['gives too many', async (texts: string[]) => [...texts.map(vectorOf), vectorOf('')], /^vector-count: /],
    ['gives text', async (texts: string[]) => texts.map(() => 'ship'), /^(provider|vector): /],
    ['gives too few numbers', async (texts: string[]) => texts.map(() => [1, 2]), /dimensions$/],
    ['gives doubles', async (texts: string[]) => texts.map((text) => Float64Array.from(vectorOf(text))), /^vector: /],
    ['gives no numbers', async (texts: string[]) => texts.map(() => Array(DIMENSIONS).fill('1')), /not-finite$/],
    ['gives NaN', async (texts: string[]) => texts.map(() => Array(DIMENSIONS).fill(Number.NaN)), /not-finite$/],
    ['gives infinite numbers', async (texts: string[]) => texts.map((text) => [...vectorOf(text).slice(1), Infinity]), /not-finite$/],
    ['gives zeros', async (texts: string[]) => texts.map(() => new Float32Array(DIMENSIONS)), /^vector-zero: /],
    ['never answers', () => new Promise(() => {}), /^time-out: /],
  ])('%s: the words decide alone, and the manifest says so', async (_, embed, reason) => {
    const place = project(FILES);
    const text = 'how is the total of all items computed?';
    const plain = await (await open(place)).retrieve({ text });
    expect(plain.messages.length).toBe(1);
    expect(plain.manifest.semantic).toBeUndefined();
    await (
      await open(
        place,
        options(async (texts) => texts.map(vectorOf)),
      )
    ).updateVectors();
    const handle = await open(place, { ...options(embed as SemanticOptions['embed']), timeoutMs: 50 });
    const found = await handle.retrieve({ text });
    expect(found.messages).toEqual(plain.messages);
    expect(found.manifest.semantic?.fallbackReason).toMatch(reason);
    expect(found.manifest.semantic?.fallbackReason).not.toContain('secret detail');
  });

  it('is left when the call is stopped, and does not keep a project from being closed', async () => {
    const first = silent();
    const handle = await open(project(FILES), first.semantic);
    const stop = new AbortController();
    const stopped = handle.updateVectors({ signal: stop.signal });
    first.called.then(() => stop.abort());
    await expect(stopped).rejects.toMatchObject({ code: 'E_CANCELLED' });
    const second = silent();
    const other = await open(project(FILES), second.semantic);
    const left = other.updateVectors();
    left.catch(() => {});
    await second.called;
    await other.close();
    await expect(left).rejects.toMatchObject({ code: 'E_CANCELLED' });
  });

  it('does not hold the sync up', async () => {
    const place = project(FILES);
    const { called, semantic } = silent();
    const handle = await open(place, semantic);
    handle.updateVectors().catch(() => {});
    await called;
    write(place.root, { 'src/new.ts': 'export const fresh = 1;\n' });
    expect(await handle.sync()).toMatchObject({ complete: true, indexed: 1 });
    expect(await handle.updateVectors()).toMatchObject({ calls: 0, reason: 'busy: another update of the vectors is under way' });
  });
});

describe('what cannot be', () => {
  it.each<[object, RegExp]>([
    [{ embed: undefined }, /either `embed` or `folder`/],
    [{ folder: '/tmp' }, /either `embed` or `folder`/],
    [{ dimensions: 15 }, /from 16 to 4096/],
    [{ maxSources: 100_001 }, /from 1 to 100000/],
    [{ candidatePool: 501 }, /from 1 to 500/],
    [{ batchSize: 513 }, /from 1 to 512/],
    [{ queryCacheSize: 0 }, /from 1 to 1000/],
    [{ timeoutMs: 0 }, /from 1 to 120000/],
    [{ provider: 'a/b' }, /semantic.provider/],
    [{ model: '' }, /semantic.model/],
    [{ destination: 'here' }, /destination/],
  ])('%j is refused when the project is opened', async (more, message) => {
    const place = project(FILES);
    const semantic = { ...options(async () => []), ...more } as SemanticOptions;
    await expect(openProject({ path: place.root, trusted: true, dataDirectory: place.data, semantic })).rejects.toMatchObject({
      code: 'E_INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    });
  });

  it('says that it is not set up', async () => {
    const handle = await open(project(FILES));
    await expect(handle.updateVectors()).rejects.toMatchObject({ code: 'E_DISABLED' });
    expect((await handle.status()).semantic).toBeUndefined();
  });
});
