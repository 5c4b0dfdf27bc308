// Pi's terminal interface in a private tmux server, typed into and read like a user does.
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine, type PiOptions } from './host.ts';

export interface Terminal {
  /** What is on the screen now. */
  screen(): string;
  /** The same, with the escape sequences of its colours. */
  styled(): string;
  /** Pastes a text and presses Enter. */
  type(text: string): Promise<void>;
  /** Presses a key, by its name in tmux. */
  key(...names: string[]): void;
  /** Waits for a text on the screen. */
  waitFor(text: string): Promise<string>;
  /** Waits for a screen. */
  waitUntil(matches: (screen: string) => boolean, what?: string): Promise<string>;
  close(): void;
}

let count = 0;

export function startTerminal(options: Omit<PiOptions, 'mode'>): Terminal {
  count += 1;
  const socket = `pi-context-engine-${process.pid}-${count}`;
  const tmux = (...args: string[]) => spawnSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  // The shell outlives Pi, so that the last screen can still be read.
  tmux('new-session', '-d', '-s', 'pi', '-x', '100', '-y', '32', 'sh', '-c', `${commandLine(options)}; sleep 600`);
  const screen = () => tmux('capture-pane', '-p', '-t', 'pi').stdout;
  const waitUntil: Terminal['waitUntil'] = async (matches, what = 'Not the screen that was waited for') => {
    for (let tries = 0; tries < 400; tries += 1) {
      const shown = screen();
      if (matches(shown)) return shown;
      await sleep(50);
    }
    throw new Error(`${what}:\n${screen()}`);
  };
  return {
    screen,
    styled: () => tmux('capture-pane', '-e', '-p', '-t', 'pi').stdout,
    async type(text) {
      // As one paste: typed letters of a command open the completion list, which would take the Enter.
      tmux('set-buffer', '-b', 'pi', text);
      tmux('paste-buffer', '-p', '-b', 'pi', '-t', 'pi');
      await sleep(250);
      tmux('send-keys', '-t', 'pi', 'Enter');
    },
    key: (...names) => void tmux('send-keys', '-t', 'pi', ...names),
    waitFor: (text) => waitUntil((shown) => shown.includes(text), `No "${text}" on the screen`),
    waitUntil,
    close() {
      tmux('kill-server');
    },
  };
}
