import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { ToolResultEvent } from '@earendil-works/pi-coding-agent';
import type { HeldSnippet } from '../index.js';
import type { Session } from './session.ts';

/** Results remembered; beyond it the oldest are forgotten, and their lines may be quoted again. */
const MOST_READS = 200;

/** What the results of tools have put into the conversation, by tool call: it need not be quoted while it is unchanged. */
export class Reads {
  readonly #held = new Map<string, HeldSnippet[]>();

  /** What is held by results that are still part of the conversation. */
  held(isPlaced: (toolCallId: string) => boolean): HeldSnippet[] {
    return [...this.#held].filter(([id]) => isPlaced(id)).flatMap(([, snippets]) => snippets);
  }

  /** Remembers what a result shows. */
  add(toolCallId: string, snippets: HeldSnippet[]): void {
    if (snippets.length === 0) return;
    this.#held.set(toolCallId, snippets);
    const [oldest] = this.#held.keys();
    if (this.#held.size > MOST_READS && oldest) this.#held.delete(oldest);
  }

  /** Looks up which lines of which state of the file a result of the host's `read` shows. A file that the addon does not serve is of no interest. */
  async note(session: Session, cwd: string, event: ToolResultEvent): Promise<void> {
    const path = relative(cwd, resolve(cwd, String(event.input.path ?? '')));
    if (event.isError || !session.trusted || path === '' || isAbsolute(path) || path.split(sep)[0] === '..') return;
    const startLine = typeof event.input.offset === 'number' ? Math.max(1, event.input.offset) : 1;
    const shown = event.content
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join('')
      .split('\n');
    const project = await session.project();
    const read = await project?.read({ path: path.split(sep).join('/'), startLine }).catch(() => undefined);
    if (!read) return;
    // A long result is cut and ends in a remark, so only the lines that are those of the file count.
    const lines = read.text.split(/\r?\n/);
    const differs = lines.findIndex((line, at) => line !== shown[at]?.replace(/\r$/, ''));
    const count = differs === -1 ? lines.length : differs;
    if (count === 0) return;
    this.add(event.toolCallId, [{ path: read.path, hash: read.hash, startLine, endLine: Math.min(read.endLine, startLine + count - 1) }]);
  }
}
