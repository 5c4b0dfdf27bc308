// Pi as one executable, compiled by Bun from the installed Pi: no Node, no bare names to resolve.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshPlace, PACKAGE, type Place, removePlace, report, runPi, startRpc, untilReady } from './pi/host.ts';
import { startProvider, textOf } from './pi/provider.ts';
import { PLATFORM } from './published.ts';

const BUN = join(PACKAGE, '__test__/runtimes/node_modules/@oven/bun-linux-x64/bin/bun');
const PI = join(PACKAGE, '__test__/pi/node_modules/@earendil-works/pi-coding-agent');
const here = existsSync(BUN);

test.runIf(PLATFORM === 'linux-x64-gnu')('Bun is here', () => expect(here).toBe(true));

let place: Place;
let executable: string;
beforeAll(() => {
  if (!here) return;
  place = freshPlace({ 'src/link.ts': 'export function refuseLink(path: string): boolean {\n  return path.endsWith(".lnk");\n}\n' });
  executable = join(place.root, 'bin/pi');
  const workers = ['utils/image-resize-worker.js', 'extensions/codemode/worker.js'].map((name) => join(PI, 'dist', name));
  // The flags of Pi's own script for this, and the files that it puts beside the executable.
  const flags = ['--compile', '--no-compile-autoload-bunfig', '--no-compile-autoload-dotenv', '--compile-autoload-package-json', '--outfile', executable];
  const { status, stderr } = spawnSync(BUN, ['build', ...flags, join(PI, 'dist/bun/cli.js'), ...workers], { encoding: 'utf8' });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  cpSync(join(PI, 'package.json'), join(place.root, 'bin/package.json'));
  for (const name of ['theme', 'assets']) cpSync(join(PI, 'dist/modes/interactive', name), join(place.root, 'bin', name), { recursive: true });
}, 300_000);
afterAll(() => here && removePlace(place));

test.runIf(here)('the extension loads its addon and quotes', async () => {
  const provider = await startProvider();
  try {
    const pi = await runPi({ place, providerUrl: provider.url, mode: 'print', prompts: ['What does refuseLink do?'], executable });
    expect(pi).toMatchObject({ code: 0, signal: null, stdout: 'done\n', stderr: '' });
    expect(provider.bodies.map((body) => body.map(({ role }) => role))).toEqual([['system', 'user', 'user']]);
    expect(textOf(provider.bodies[0]?.[1])).toContain('Path: "src/link.ts"\n');
  } finally {
    await provider.close();
  }
});

test.runIf(here)('it stays loaded through a new session, and reports', async () => {
  const provider = await startProvider();
  const pi = startRpc({ place, providerUrl: provider.url, executable });
  try {
    await untilReady(pi);
    await pi.request({ type: 'new_session' });
    await untilReady(pi);
    await pi.prompt('What does refuseLink do?');
    expect((await report<{ lastAnswer: { snippets: unknown[] } }>(pi, '/context')).lastAnswer.snippets).toHaveLength(1);
  } finally {
    expect(await pi.close()).toBe(0);
    await provider.close();
  }
});
