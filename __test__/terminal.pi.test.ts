// What a user sees of the extension in Pi's terminal interface.
import { expect, test } from 'vitest';
import { freshPlace, removePlace } from './pi/host.ts';
import { startProvider, textOf } from './pi/provider.ts';
import { startTerminal } from './pi/terminal.ts';
import { has } from './pi/tools.ts';

test.skipIf(!has('tmux', '-V'))('nothing at start, one status after an answer, and an overview on demand', async () => {
  const place = freshPlace({ 'price.ts': 'export function grossPrice(net: number): number {\n  return net * 1.19;\n}\n' });
  const provider = await startProvider();
  provider.play([{ text: 'It adds the tax.' }]);
  const terminal = startTerminal({ place, providerUrl: provider.url });
  try {
    expect(await terminal.waitFor('mock-model')).not.toContain('pi-context-engine:');
    await terminal.type('What does grossPrice do?');
    await terminal.waitFor('It adds the tax.');
    expect(await terminal.waitFor('ctx 1 file · ')).not.toContain('DS4 PROJECT SOURCE');
    expect(textOf(provider.bodies[0]?.[1])).toContain('Path: "price.ts"');
    await terminal.type('/context');
    const screen = await terminal.waitFor('Answer  1 snippet, ');
    expect(screen).toContain('price.ts:1-');
    expect(screen).toMatch(/Index {3}ready · 1 file ·/);
  } finally {
    terminal.close();
    await provider.close();
    removePlace(place);
  }
});
