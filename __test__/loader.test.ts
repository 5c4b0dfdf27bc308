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

const LOAD = "try { require('pi-context-engine/index.js') } catch (error) { console.log(error.code, error.message) }";
const machine = `${process.platform} ${process.arch}${platform.endsWith('-gnu') ? ' with glibc' : platform.endsWith('-musl') ? ' with musl' : ''}`;

test('without a binary: an error with a code, and one sentence with the platform, the C library, the package and the remedy', () => {
  const { stdout } = node('-e', LOAD);
  expect(stdout).toBe(
    `E_ADDON_MISSING No addon for ${machine}: the package pi-context-engine-${platform} is not installed; install pi-context-engine again without omitting optional dependencies, or, in a source checkout, run "npm run build".\n`,
  );
});

/** A machine of another kind, as far as the loader looks: its processor, and the script that starts its dynamic loader. */
const pretend = (arch: string, ldd?: string) => `
  const fs = require('node:fs');
  Object.defineProperty(process, 'platform', { value: 'linux' });
  Object.defineProperty(process, 'arch', { value: '${arch}' });
  const read = fs.readFileSync;
  fs.readFileSync = (path, ...rest) => {
    if (path !== '/usr/bin/ldd') return read(path, ...rest);
    ${ldd === undefined ? "throw Object.assign(new Error('no such file'), { code: 'ENOENT' })" : `return ${JSON.stringify(ldd)}`};
  };`;
const ALPINE = '#!/bin/sh\nexec /lib/ld-musl-$(uname -m).so.1 --list "$@"\n';
const DEBIAN = '#! /bin/bash\n# Copyright (C) 1996-2022 Free Software Foundation, Inc.\n# This file is part of the GNU C Library.\nTEXTDOMAIN=libc\n';

test.each([
  ['x64', ALPINE, 'linux x64 with musl', 'linux-x64-musl'],
  ['arm64', ALPINE, 'linux arm64 with musl', 'linux-arm64-musl'],
  ['x64', DEBIAN, 'linux x64 with glibc', 'linux-x64-gnu'],
  ['arm64', DEBIAN, 'linux arm64 with glibc', 'linux-arm64-gnu'],
])('on %s the C library is told by the loader script: %j', (arch, ldd, name, expected) => {
  expect(node('-e', pretend(arch, ldd) + LOAD).stdout).toContain(`No addon for ${name}: the package pi-context-engine-${expected} is not installed; `);
});

test.runIf(process.platform === 'linux')('without that script the process itself says which C library it runs on', () => {
  expect(node('-e', pretend(process.arch) + LOAD).stdout).toContain(`No addon for ${machine}: `);
  const onMusl = "process.report.getReport = () => ({ header: {}, sharedObjects: ['/lib/ld-musl-aarch64.so.1'] });";
  expect(node('-e', pretend('arm64') + onMusl + LOAD).stdout).toContain('No addon for linux arm64 with musl: ');
});

test('a platform without a package is told so, and every package is one that the loader knows', () => {
  const { stdout } = node('-e', pretend('riscv64', DEBIAN) + LOAD);
  expect(stdout).toBe(
    'E_ADDON_MISSING No addon for linux riscv64 with glibc: there is no package pi-context-engine-linux-riscv64-gnu; build it from a source checkout with "npm ci".\n',
  );
  const [, list = ''] = /PREBUILT = \[([^\]]*)\]/.exec(readFileSync(join(PACKAGE, 'index.js'), 'utf8')) ?? [];
  expect([...list.matchAll(/'([^']+)'/g)].map(([, name]) => name)).toEqual(readdirSync(join(PACKAGE, 'npm')).sort());
});

test('a binary that does not load is named as such, with where it is', () => {
  writeFileSync(join(root, 'node_modules/pi-context-engine', binary), 'not a binary');
  expect(node('-e', LOAD).stdout).toMatch(
    new RegExp(`^E_ADDON_MISSING The addon for ${machine} of this checkout does not load \\(.+\\); install pi-context-engine again\\.\n$`),
  );
  rmSync(join(root, 'node_modules/pi-context-engine', binary));
  const folder = join(root, 'node_modules', `pi-context-engine-${platform}`);
  mkdirSync(folder);
  writeFileSync(join(folder, binary), 'not a binary');
  expect(node('-e', LOAD).stdout).toMatch(
    new RegExp(
      `^E_ADDON_MISSING The addon for ${machine} in the package pi-context-engine-${platform} does not load \\(.+\\); install pi-context-engine again\\.\n$`,
    ),
  );
});
