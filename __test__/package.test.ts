// The packages as npm would publish them: installed without scripts, away from the checkout, they serve Node, a shell and the real Pi.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshPlace, PACKAGE, type Place, removePlace, runPi } from './pi/host.ts';
import { startProvider, textOf } from './pi/provider.ts';

const binary = readdirSync(PACKAGE).find((name) => name.startsWith('pi-context-engine.') && name.endsWith('.node')) ?? '';
const platform = binary.slice('pi-context-engine.'.length, -'.node'.length);
const SOURCE = 'export function refuseLink(path: string): boolean {\n  return path.endsWith(".lnk");\n}\n';

let place: Place;
let app: string;
let installed: string;
let packed: string[];

beforeAll(() => {
  place = freshPlace({ 'src/link.ts': SOURCE });
  app = join(place.root, 'app');
  const platformFolder = join(place.root, platform);
  cpSync(join(PACKAGE, 'npm', platform), platformFolder, { recursive: true });
  cpSync(join(PACKAGE, binary), join(platformFolder, binary));
  const [root, native] = [pack(PACKAGE), pack(platformFolder)];
  packed = root.files;
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true }');
  npm(app, 'install', '--ignore-scripts', '--offline', root.tarball, native.tarball);
  installed = join(app, 'node_modules/pi-context-engine');
}, 300_000);
afterAll(() => removePlace(place));

function npm(cwd: string, ...args: string[]): string {
  const quiet = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };
  return execFileSync('npm', args, { cwd, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: place.home, ...quiet } });
}

function pack(folder: string): { tarball: string; files: string[] } {
  const [made] = JSON.parse(npm(folder, 'pack', '--ignore-scripts', '--json', '--pack-destination', place.root)) as [
    { filename: string; files: { path: string }[] },
  ];
  return { tarball: join(place.root, made.filename), files: made.files.map(({ path }) => path).sort() };
}

const node = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: app, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: place.home, XDG_DATA_HOME: place.dataHome } });

const ANSWER = `(async () => {
  const project = await openProject({ path: ${'process.argv[1]'}, trusted: true });
  await project.sync();
  const { messages } = await project.retrieve({ text: 'what does refuseLink do?' });
  await project.close();
  console.log(messages.map(({ snippet }) => snippet.path).join());
})();`;

test('the package holds what it needs to run and to be read, and nothing else', () => {
  const folders = [...new Set(packed.map((path) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : path)))].sort();
  expect(folders).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'THIRD-PARTY-NOTICES.md',
    'cli/dist',
    'docs',
    'docs/decisions',
    'extension',
    'extension/commands',
    'index.d.ts',
    'index.js',
    'package.json',
    'schema',
  ]);
  expect(packed.filter((path) => path.startsWith('cli/')).sort()).toEqual(
    readdirSync(join(PACKAGE, 'cli'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `cli/dist/${name.replace('.ts', '.js')}`),
  );
  expect(existsSync(join(installed, binary))).toBe(false);
});

test('require and import find the binary of the platform package and answer', () => {
  expect(node('-e', `const { openProject } = require('pi-context-engine'); ${ANSWER}`, place.project)).toMatchObject({ stdout: 'src/link.ts\n', stderr: '' });
  expect(node('--input-type=module', '-e', `import { openProject } from 'pi-context-engine'; ${ANSWER}`, place.project)).toMatchObject({
    stdout: 'src/link.ts\n',
    stderr: '',
  });
});

test('the command is on the path of npm scripts', () => {
  const command = join(app, 'node_modules/.bin/pi-context-engine');
  const environment = { PATH: process.env.PATH, HOME: place.home, XDG_DATA_HOME: place.dataHome };
  const run = (...args: string[]) => spawnSync(command, args, { cwd: app, encoding: 'utf8', env: environment });
  expect(run('--help')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^Usage: pi-context-engine /) });
  expect(run(place.project, 'what does refuseLink do?').stdout).toContain('1. src/link.ts:1-3\n');
});

test('the real Pi takes the installed package as its extension', async () => {
  const provider = await startProvider();
  try {
    const pi = await runPi({ place, providerUrl: provider.url, mode: 'print', prompts: ['What does refuseLink do?'], extension: realpathSync(installed) });
    expect(pi).toMatchObject({ code: 0, signal: null, stdout: 'done\n', stderr: '' });
    expect(provider.bodies.map((body) => body.map(({ role }) => role))).toEqual([['system', 'user', 'user']]);
    expect(textOf(provider.bodies[0]?.[1])).toContain('Path: "src/link.ts"\n');
  } finally {
    await provider.close();
  }
});
