// How the package finds its binary, and what a host is told where there is none.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PACKAGE } from './pi/host.ts';

const binary = readdirSync(PACKAGE).find((name) => name.startsWith('pi-context-engine.') && name.endsWith('.node')) ?? '';
const platform = binary.slice('pi-context-engine.'.length, -'.node'.length);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pi-context-engine-'));
  cpSync(join(PACKAGE, 'index.js'), join(root, 'node_modules/pi-context-engine/index.js'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
const COMMONJS = "console.log(Object.keys(require('pi-context-engine/index.js')).sort().join())";
const MODULE =
  "import { openProject, version, Project } from 'pi-context-engine/index.js'; console.log([Project, openProject, version].map((item) => typeof item).join())";

test('the binary of the platform package serves require and import', () => {
  const folder = join(root, 'node_modules', `pi-context-engine-${platform}`);
  mkdirSync(folder);
  cpSync(join(PACKAGE, binary), join(folder, binary));
  expect(node('-e', COMMONJS)).toMatchObject({
    status: 0,
    stdout: 'Project,checkBlocks,countTokens,describeTask,listIndexes,openProject,parseSource,removeIndex,tokenLimits,version\n',
  });
  expect(node('--input-type=module', '-e', MODULE)).toMatchObject({ status: 0, stdout: 'function,function,function\n' });
});

test('without a binary: an error with a code, the platform, the package and the remedy', () => {
  const { stdout } = node('-e', "try { require('pi-context-engine/index.js') } catch (error) { console.log(error.code, error.message) }");
  expect(stdout).toBe(
    `E_ADDON_MISSING No addon for ${platform}: the package pi-context-engine-${platform} is not installed. Install pi-context-engine again without omitting optional dependencies, or, in a source checkout, run "npm run build".\n`,
  );
});

test('a platform without a package is told so, and every package is one that the loader knows', () => {
  const pretend = "Object.defineProperty(process, 'arch', { value: 'riscv64' }); ";
  const { stdout } = node('-e', `${pretend} try { require('pi-context-engine/index.js') } catch (error) { console.log(error.code, error.message) }`);
  expect(stdout).toMatch(
    /^E_ADDON_MISSING No addon for (\S+)-riscv64\S*: there is no package pi-context-engine-\1-riscv64\S*\. Build it from a source checkout with "npm ci"\.\n$/,
  );
  const [, list] = /PREBUILT = \[(.*)\]/.exec(readFileSync(join(PACKAGE, 'index.js'), 'utf8')) ?? [];
  expect(list?.replaceAll("'", '').split(', ')).toEqual(readdirSync(join(PACKAGE, 'npm')).sort());
});

test('a binary that does not load is named as such', () => {
  writeFileSync(join(root, 'node_modules/pi-context-engine', binary), 'not a binary');
  const { stdout } = node('-e', "try { require('pi-context-engine/index.js') } catch (error) { console.log(error.code, error.message) }");
  expect(stdout).toMatch(new RegExp(`^E_ADDON_MISSING The addon for ${platform} does not load \\(.+\\)\\. Install pi-context-engine again\\.\n$`));
});

test('every platform package has the version of this one', () => {
  const read = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const cargo = /^version = "(.+)"$/m.exec(readFileSync(join(PACKAGE, 'Cargo.toml'), 'utf8'))?.[1];
  const versions = readdirSync(join(PACKAGE, 'npm')).map((name) => read(join(PACKAGE, 'npm', name)).version);
  expect(versions).toHaveLength(6);
  expect(new Set([...versions, cargo, read(PACKAGE).version]).size).toBe(1);
});
