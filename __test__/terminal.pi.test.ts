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

test.skipIf(!has('tmux', '-V'))('each screen of /context stands in columns, no wider than the terminal, and says what it was asked', async () => {
  const step = (name: string) => `/** A step. */\nexport function ${name}(net: number): number {\n  return net * 1.19;\n}\n`;
  const long = 'src/deeply/nested/folder/of/a/shop/checkoutController.ts';
  const place = freshPlace({ 'src/price.ts': step('grossPrice'), [long]: step('checkoutStep'), 'README.md': '# A shop\n', '.env': 'A=1\n' });
  const provider = await startProvider();
  const terminal = startTerminal({ place, providerUrl: provider.url });
  /** The lines of a screen, from its head to its foot. */
  const screenOf = async (command: string) => {
    await terminal.type(command);
    const name = command.split(' ').slice(0, 2).join(' ');
    const shown = await terminal.waitUntil((screen) => screen.split('\n').includes(name) && screen.includes('escape closes'), `no ${name}`);
    terminal.key('Escape');
    await terminal.waitUntil((screen) => !screen.includes('escape closes'));
    const lines = shown.split('\n');
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    return lines.slice(lines.indexOf(name) + 1, lines.indexOf('escape closes'));
  };
  try {
    await terminal.waitFor('mock-model');
    await terminal.type('Compare grossPrice and checkoutStep');
    await terminal.waitFor('ctx 2 files · ');

    const overview = await screenOf('/context');
    expect(overview.map((line) => line.slice(0, 8))).toEqual(['Project ', 'Index   ', 'Answer  ', '        ', '        ', 'Live    ', 'More    ']);
    expect(overview[0]).toBe(`Project ${place.project} (managed, trusted by Pi)`);
    expect(overview[1]).toMatch(/^Index {3}ready · 3 files · 3 symbols$/);

    const explain = await screenOf('/context explain');
    const [one, two] = explain.filter((line) => / tokens {2}src/.test(line));
    expect([one, two].map((line) => line?.indexOf('tokens  src/'))).toEqual([one, one].map((line) => line?.indexOf('tokens  src/')));
    expect(explain.filter((line) => line.startsWith('Taken'))).toHaveLength(1);
    expect(explain.find((line) => line.startsWith('Cost'))).toMatch(
      /^Cost +\d+ of 10\.5k tokens \(factor 1\.00\); the model counted 1\.2k for the whole request$/,
    );

    expect((await screenOf('/context preview grossPrice')).join('\n')).toMatch(
      /^Taken {2}score +\d+ {2}\d+ tokens {2}src\/price\.ts:1-4 {2}exact-symbol\nScores src\/price\.ts {2}/,
    );
    expect(await screenOf('/context files')).toEqual([
      'typescript 2 files  8 lines  2 symbols  178 B',
      'markdown   1 file   1 line   1 symbol   9 B',
      'left out   1 name/credentials  .env',
    ]);
    expect(await screenOf('/context why .env')).toEqual([
      'File .env: excluded',
      'Why  Files that hold credentials by their name, and other names of the same file.',
      'Rule name/credentials',
    ]);
  } finally {
    terminal.close();
    await provider.close();
    removePlace(place);
  }
});
