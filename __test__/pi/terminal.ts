// Pi's terminal interface in a private tmux server, typed into and read like a user does.
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine, type PiOptions } from './host.ts';

export interface Terminal {
  /** What is on the screen now. */
  screen(): string;
  /** Pastes a text and presses Enter. */
  type(text: string): Promise<void>;
  /** Waits for a text on the screen. */
  waitFor(text: string): Promise<string>;
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
  return {
    screen,
    async type(text) {
      // As one paste: typed letters of a command open the completion list, which would take the Enter.
      tmux('set-buffer', '-b', 'pi', text);
      tmux('paste-buffer', '-p', '-b', 'pi', '-t', 'pi');
      await sleep(250);
      tmux('send-keys', '-t', 'pi', 'Enter');
    },
    async waitFor(text) {
      for (let tries = 0; tries < 400; tries += 1) {
        if (screen().includes(text)) return screen();
        await sleep(50);
      }
      throw new Error(`No "${text}" on the screen:\n${screen()}`);
    },
    close() {
      tmux('kill-server');
    },
  };
}
