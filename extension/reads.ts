import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { ToolResultEvent } from '@earendil-works/pi-coding-agent';
import type { HeldSnippet } from '../index.js';
import type { Message } from './request.ts';
import type { Session } from './session.ts';

/** Results remembered; beyond it the oldest are forgotten, and their lines may be quoted again. */
const MOST_READS = 200;
/** Results of earlier processes that are looked up, the newest. */
const MOST_RECALLED = 50;

/** A result of the host's `read`, with what was asked for. */
type ReadResult = Pick<ToolResultEvent, 'toolCallId' | 'input' | 'content' | 'isError'>;

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

  /** Learns again, as after a resume, what the results of the host's `read` show. */
  async recall(session: Session, cwd: string, own: readonly Message[]): Promise<void> {
    const inputs = new Map<string, Record<string, unknown>>();
    const results: ReadResult[] = [];
    for (const message of own) {
      if (message.role === 'assistant') for (const part of message.content) if (part.type === 'toolCall') inputs.set(part.id, part.arguments);
      if (message.role !== 'toolResult' || message.toolName !== 'read' || this.#held.has(message.toolCallId)) continue;
      results.push({ ...message, input: inputs.get(message.toolCallId) ?? {} });
    }
    await Promise.all(results.slice(-MOST_RECALLED).map((result) => this.note(session, cwd, result)));
  }

  /** Looks up which lines of which state of the file a result of the host's `read` shows. A file that the addon does not serve is of no interest. */
  async note(session: Session, cwd: string, event: ReadResult): Promise<void> {
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
