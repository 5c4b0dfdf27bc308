import type { Progress } from '../index.js';

const WIDTH = 28;

/** A bar on standard error while it is a terminal, else nothing. */
export function progressBar(stream: NodeJS.WriteStream): { show(progress: Progress): void; clear(): void } {
  if (!stream.isTTY) return { show() {}, clear() {} };
  let shown = '';
  return {
    show({ done, total }) {
      const share = total > 0 ? Math.min(1, done / total) : 0;
      const filled = Math.round(share * WIDTH);
      const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
      const line = `indexing ${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${done}/${total} files`;
      if (line === shown) return;
      shown = line;
      stream.write(`\r\x1b[2K${line}`);
    },
    clear() {
      if (shown) stream.write('\r\x1b[2K');
      shown = '';
    },
  };
}
