// The command line, as a user and as a script run it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Retrieval, Status, SyncReport } from '../index.js';
import { freshPlace, PACKAGE, type Place, removePlace } from './pi/host.ts';

const SOURCE = '/** Refuses links. */\nexport function refuseLink(path: string): boolean {\n  return path.endsWith("\u001b[31m.lnk");\n}\n';

let place: Place;
beforeAll(() => {
  place = freshPlace({ 'src/link.ts': SOURCE });
});
afterAll(() => removePlace(place));

const main = join(PACKAGE, 'cli/dist/main.js');
const run = (...args: string[]) => spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: place.home } });
const ask = (...args: string[]) => run(place.project, 'where does refuseLink refuse?', '--data-directory', place.dataHome, ...args);

test('people get path, lines, score, reasons, the quoted lines and the timings; escape sequences are shown, not sent', () => {
  const { status, stdout, stderr } = ask();
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^Project {3}1 file listed \(walk\), /);
  expect(stdout).toMatch(/\n1\. src\/link\.ts:\d+-\d+\n {3}score [\d.]+ · .+ · \d+ tokens · sha256 [0-9a-f]{12}\n/);
  expect(stdout).toContain('│ export function refuseLink(path: string): boolean {\n');
  expect(stdout).toContain('\\u{1b}[31m.lnk');
  expect(stdout).not.toContain('\u001b');
  expect(stdout).toMatch(
    /\nAnswer {4}1 snippet, \d+ of \d+ tokens, \d+ candidates? left out\nTime {6}task .+, recall .+, rank .+, select .+, prove .+, quote .+, total .+ m?s\n/,
  );
});

test('machines get everything as one JSON object; --messages prints what a model would be sent, and nothing else', () => {
  const answer = JSON.parse(ask('--json').stdout) as Retrieval & { status: Status; sync: SyncReport };
  expect(answer.status).toMatchObject({ status: 'ready', trustSource: 'command line', revision: { projectPath: place.project } });
  expect(answer.sync).toMatchObject({ complete: true, listed: 1 });
  expect(answer.messages).toMatchObject([{ snippet: { path: 'src/link.ts', hash: createHash('sha256').update(SOURCE).digest('hex') } }]);
  expect(ask('--messages').stdout).toBe(answer.messages.map(({ text }) => `${text}\n`).join(''));
});

test('what is not understood is said in one line, with exit code 2; what fails, with its code and 1', () => {
  expect(run()).toMatchObject({ status: 2, stdout: '', stderr: 'pi-context-engine: The project and the request are missing. Try --help.\n' });
  expect(run(place.project)).toMatchObject({ status: 2, stderr: 'pi-context-engine: The request is missing. Try --help.\n' });
  expect(run('--json', '--messages', '.', 'x').stderr).toBe('pi-context-engine: --json and --messages exclude each other. Try --help.\n');
  expect(run('--nope').stderr).toBe("pi-context-engine: Unknown option '--nope'. Try --help.\n");
  expect(run(place.project, 'x', '--data-directory').stderr).toBe("pi-context-engine: Option '--data-directory <value>' argument missing. Try --help.\n");
  expect(run(place.project, 'x', '--data-directory=')).toMatchObject({
    status: 2,
    stderr: 'pi-context-engine: --data-directory names no folder. Try --help.\n',
  });
  const { status, stderr } = run('/', 'anything');
  expect(status).toBe(1);
  expect(stderr).toMatch(/^pi-context-engine: .+ \(E_ROOT_REFUSED\)\n$/);
});

test('an empty project, a request of stop words alone, and names that would drive a terminal are nothing special', () => {
  const request = (files: Record<string, string>, text: string, ...more: string[]) => {
    const other = freshPlace(files);
    try {
      return run(other.project, text, '--data-directory', other.dataHome, ...more);
    } finally {
      removePlace(other);
    }
  };
  expect(request({}, 'refuseLink')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('Project   0 files listed (walk), nothing new') });
  expect(request({ 'src/link.ts': SOURCE }, 'the and of')).toMatchObject({ status: 0, stdout: expect.stringContaining('\n\nNo evidence: ') });
  expect(request({ 'src/价格.ts': 'export const 计算总额 = 1;\n' }, '计算总额 在哪里?').stdout).toContain('\n1. src/价格.ts:1-1\n');
  const hostile = 'a\u001b[31m\nb.ts';
  expect(request({ [hostile]: SOURCE }, 'refuseLink').stdout).toContain('\n1. a\\u{1b}[31m\\u{a}b.ts:');
  expect(JSON.parse(request({ [hostile]: SOURCE }, 'refuseLink', '--json').stdout)).toMatchObject({ messages: [{ snippet: { path: hostile } }] });
});

test('help needs no project; a reader that stops early is no failure', () => {
  expect(run('--help')).toMatchObject({ status: 0, stderr: '' });
  const line = `"${process.execPath}" "${main}" "${place.project}" refuseLink --json --data-directory "${place.dataHome}" | true; echo "\${PIPESTATUS[0]}"`;
  expect(spawnSync('bash', ['-c', line], { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: place.home } })).toMatchObject({ stdout: '0\n', stderr: '' });
});
