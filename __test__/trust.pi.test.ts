// Whose word counts as trust in the real Pi, and for how long.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { freshForEach, place, provider } from './pi/fixture.ts';
import { PACKAGE, report, runPi, runSdk, startRpc, writeFiles } from './pi/host.ts';
import { textOf } from './pi/provider.ts';

const REQUEST = 'What does grossPrice do?';
const FILES = { 'src/price.ts': 'export function grossPrice(net: number): number {\n  return net * 1.19;\n}\n' };

freshForEach(FILES);

const print = (prompt: string, trust?: 'yes' | 'no') => runPi({ place, providerUrl: provider.url, mode: 'print', prompts: [prompt], ...(trust && { trust }) });
const texts = (at: number) => provider.bodies[at]?.map(textOf).join('\n') ?? expect.fail(`there is no request ${at}`);
/** Makes the project one that Pi asks about. */
const asks = () => writeFiles(place.project, { '.pi/settings.json': '{}' });

test('A4: print mode without a saved decision: no index, no context, code 0, and the reason in the manifest', async () => {
  asks();
  expect(await print(REQUEST)).toMatchObject({ code: 0, signal: null, stdout: 'done\n' });
  expect(texts(0)).not.toContain('DS4 PROJECT SOURCE');
  expect(existsSync(place.dataHome)).toBe(false);

  const pi = startRpc({ place, providerUrl: provider.url });
  await pi.prompt(REQUEST);
  const manifest = await report(pi, '/context manifest');
  expect(await pi.close()).toBe(0);
  expect(manifest).toMatchObject({ mode: 'fallback', projectSnippets: [], modeReason: expect.stringContaining('not trusted') });
  expect(manifest).not.toHaveProperty('projectRevision');
  expect(texts(1)).not.toContain('DS4 PROJECT SOURCE');
  expect(existsSync(place.dataHome)).toBe(false);
});

test('A3: trust for one session serves that session; the next one is served nothing from the index that is left', async () => {
  asks();
  expect(await print(REQUEST, 'yes')).toMatchObject({ code: 0 });
  expect(texts(0)).toContain('net * 1.19');
  expect(existsSync(place.dataHome)).toBe(true);
  expect(await print(REQUEST)).toMatchObject({ code: 0 });
  expect(await print(REQUEST, 'no')).toMatchObject({ code: 0 });
  for (const at of [1, 2]) expect(texts(at)).not.toContain('1.19');
});

test('A2: where a project holds nothing of its own for Pi, its yes is followed, and the manifest names whose word it was', async () => {
  const pi = startRpc({ place, providerUrl: provider.url });
  await pi.prompt(REQUEST);
  const manifest = await report(pi, '/context manifest');
  await pi.close();
  expect(manifest).toMatchObject({ mode: 'managed', trustSource: 'host' });
  expect(texts(0)).toContain('net * 1.19');
});

const SDK_HOSTS: [string, () => void][] = [
  ['that holds nothing of its own for Pi', () => {}],
  ['that Pi would ask about', asks],
];

test.each(SDK_HOSTS)(
  "A1: a host that uses Pi's SDK without a resolver of trust, in a project never seen %s: Pi says yes, and its word is followed",
  async (_, prepare) => {
    prepare();
    const ended = await runSdk({ place, providerUrl: provider.url, mode: 'print' }, 'sdk.mjs', [PACKAGE, place.agentDir, REQUEST]);
    expect(ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    expect(texts(0)).toContain('net * 1.19');
  },
);
