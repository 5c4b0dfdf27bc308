// What a program asks of the operating system: its file, process and network calls, by strace.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Call {
  name: string;
  /** The arguments and the result as strace shows them, with the paths of handles. */
  text: string;
}

export interface Traced {
  code: number | null;
  stdout: string;
  stderr: string;
  calls: Call[];
}

/** Runs a program under strace to its end. */
export async function traced(command: string[], options: { cwd: string; env?: NodeJS.ProcessEnv }): Promise<Traced> {
  const folder = mkdtempSync(join(tmpdir(), 'pi-context-trace-'));
  try {
    // One file for each thread, so that no call is cut in two by another.
    const flags = ['-ff', '-qq', '-y', '-s', '4096', '-e', 'trace=%file,%process,%network,%desc', '-e', 'signal=none', '-o', join(folder, 't')];
    const child = spawn('strace', [...flags, ...command], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
    const code = await new Promise<number | null>((done) => child.once('close', done));
    const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
    const calls = lines.flatMap((line) => {
      const name = /^(\w+)\(/.exec(line)?.[1];
      if (!name) return [];
      // The folder that the process stands in is no part of an absolute path, and what is read and written names nothing.
      const text = line.slice(name.length).replace(/AT_FDCWD<[^>]*>, "\//g, 'AT_FDCWD, "/');
      return [{ name, text: /^(p?(read|write)(v|64|v2)?|send\w*|recv\w*)$/.test(name) ? text.replace(/"(\\.|[^"\\])*"/g, '""') : text }];
    });
    return { code, ...output, calls };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The calls that name a path at or below `root`, or a handle of one. */
export function naming({ calls }: Traced, root: string): Call[] {
  return calls.filter(({ text }) => text.includes(root));
}

const READS =
  /^(openat2?|open|l?stat|newfstatat|fstatat64|statx|fstat|access|faccessat2?|readlink(at)?|getdents(64)?|read|pread64|lseek|close|fcntl|dup|statfs|fstatfs|getcwd|chdir|fadvise64|inotify_add_watch|mmap)$/;

/** Why a call may not be made on a project: it writes, locks, or opens to write. */
export function objection({ name, text }: Call): string | undefined {
  if (!READS.test(name)) return name;
  if (/^open/.test(name) && /O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)/.test(text)) return `${name}${text}`;
  if (name === 'fcntl' && /F_(OFD_)?SETLKW?|F_SETLEASE/.test(text)) return `${name}${text}`;
  if (name === 'mmap' && /PROT_WRITE.*MAP_SHARED/.test(text)) return `${name}${text}`;
  return undefined;
}

/** Calls that start a process or reach out. Threads are neither. */
export function outgoing({ calls }: Traced): Call[] {
  const starts = ({ name, text }: Call) => /^(execveat|v?fork)$/.test(name) || (/^clone3?$/.test(name) && !text.includes('CLONE_THREAD'));
  return calls.filter((call) => starts(call) || /^(connect|bind|listen|sendto|sendmsg)$/.test(call.name));
}
