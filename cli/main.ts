#!/usr/bin/env node
import { resolve } from 'node:path';
import { HELP, type Options, parseOptions, UsageError } from './options.js';
import { present, styleFor } from './present.js';
import { progressBar } from './progress.js';

type Addon = typeof import('../index.js');

// By explicit path and on first use, so that help needs no addon.
const loadAddon = () => require(resolve(__dirname, '../../index.js')) as Addon;

async function run(options: Options): Promise<string> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const project = await loadAddon().openProject({
    path: resolve(options.project),
    trusted: true,
    trustSource: 'command line',
    dataDirectory: options.dataDirectory && resolve(options.dataDirectory),
  });
  try {
    const bar = progressBar(process.stderr);
    const sync = await project.sync({ onProgress: (progress) => bar.show(progress), signal: stop.signal }).finally(() => bar.clear());
    const retrieval = await project.retrieve({ text: options.request, signal: stop.signal });
    if (options.output === 'messages') return retrieval.messages.map((message) => `${message.text}\n`).join('');
    if (options.output === 'json') return `${JSON.stringify({ status: await project.status(), sync, ...retrieval }, null, 2)}\n`;
    return `${present(sync, retrieval, options.full, styleFor(process.stdout, process.env))}\n`;
  } finally {
    await project.close();
  }
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') return write(`${HELP}\n`);
  if (options === 'version') return write(`${loadAddon().version()}\n`);
  await write(await run(options));
}

const write = (text: string) =>
  new Promise<void>((done) => {
    process.stdout.write(text, () => done());
  });

function fail(error: unknown): void {
  const { code, message } = error as { code?: string; message?: string };
  if (error instanceof UsageError) {
    process.stderr.write(`pi-context-engine: ${message} Try --help.\n`);
    process.exitCode = 2;
    return;
  }
  process.stderr.write(`pi-context-engine: ${message ?? String(error)}${code ? ` (${code})` : ''}\n`);
  process.exitCode = code === 'E_CANCELLED' ? 130 : 1;
}

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  fail(error);
});

main().catch(fail);
