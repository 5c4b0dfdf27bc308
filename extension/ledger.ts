import { createHash } from 'node:crypto';
import type { HeldSnippet, PromptMessage, QuotedSnippet, RecheckResult, RemovedBlock } from '../index.js';

/** Where a block stands: before a user message, by its key, or after a tool result, by its call. */
export type Anchor = { before: string } | { after: string };

/** Messages that stand together, for as long as their place is part of the conversation. */
export interface Block {
  anchor: Anchor;
  /** The request that they were emitted for. */
  request: string;
  quotes: Quote[];
}

export interface Quote {
  message: PromptMessage;
  /** The file's hash as last seen: the message's own until a note has said otherwise; undefined once the file is gone, and for a note. */
  knownHash: string | undefined;
  /** Whether a reply has counted it. */
  counted?: boolean;
}

/** A quotation that a tool's result shows: the host keeps the result, so only this much is known of it after a resume. */
export interface Shown {
  /** Of its text. */
  digest: string;
  classification: string;
}

/** What was emitted in this session: it keeps place and bytes, and leaves a prompt at a time. Held in memory only. */
export class Ledger {
  #blocks: Block[] = [];
  /** Hashes of all that was ever emitted, and of the lines that say what a quotation quotes. */
  readonly #emitted = new Set<string>();
  /** Classes of what tools' results show, by digest. */
  readonly #shown = new Map<string, string>();

  /** Blocks in the order of their emission. */
  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  get tokens(): number {
    return this.#quotes().reduce((sum, quote) => sum + quote.message.tokens, 0);
  }

  /** Files that are quoted now. */
  get files(): number {
    return new Set(this.#quotes().flatMap(({ message }) => message.snippet?.path ?? [])).size;
  }

  /** Tokens of blocks that no reply has counted yet. */
  get uncounted(): number {
    return this.#quotes().reduce((sum, quote) => sum + (quote.counted ? 0 : quote.message.tokens), 0);
  }

  /** A reply has come: what was sent is part of what its model counted. */
  count(): void {
    for (const quote of this.#quotes()) quote.counted = true;
  }

  add(anchor: Anchor, request: string, messages: PromptMessage[]): void {
    if (messages.length === 0) return;
    this.#blocks.push({ anchor, request, quotes: messages.map((message) => ({ message, knownHash: message.snippet?.hash })) });
    for (const { text, snippet } of messages) {
      this.#emitted.add(digest(text));
      if (snippet) this.#emitted.add(digest(claimOf(text)));
    }
  }

  /** Whether nothing was ever emitted. */
  get isUnused(): boolean {
    return this.#emitted.size === 0;
  }

  /** The message of this very text that may be part of the conversation now. */
  live(text: string): PromptMessage | undefined {
    return this.#quotes().find(({ message }) => message.text === text)?.message;
  }

  /** Takes note of what tools' results show: the checks of requests look at it as at every quotation. */
  show(quotes: readonly Shown[]): void {
    for (const { digest: of, classification } of quotes) {
      this.#emitted.add(of);
      this.#shown.set(of, classification);
    }
  }

  /** No result of a tool may be shown again. */
  hideShown(): void {
    this.#shown.clear();
  }

  /** The class of this very text where a tool's result may show it. */
  shownClass(text: string): string | undefined {
    return this.#shown.get(digest(text));
  }

  /** Whether this very text was emitted before, live or not. */
  wasEmitted(text: string): boolean {
    return this.#emitted.has(digest(text));
  }

  /** Whether a text says that it quotes what an emitted one did, in whatever words it goes on. */
  claimsEmitted(text: string): boolean {
    return this.#emitted.has(digest(claimOf(text)));
  }

  /** Forgets blocks whose place the conversation no longer has, as after a compaction or on another branch. */
  keepPlaced(hasPlace: (anchor: Anchor) => boolean): void {
    this.#blocks = this.#blocks.filter((block) => hasPlace(block.anchor));
  }

  /** Forgets the oldest prompts' blocks until at most this many tokens are left. */
  keepTokens(limit: number): void {
    while (this.#blocks.length > 0 && this.tokens > limit) {
      const oldest = this.#blocks[0]?.request;
      this.#blocks = this.#blocks.filter((block) => block.request !== oldest);
    }
  }

  /** Forgets the blocks of all requests but one. */
  keepRequest(request: string): void {
    this.#blocks = this.#blocks.filter((block) => block.request === request);
  }

  /** Takes out what something forbids, by the code that it gives for it; the quotations taken out. */
  take(forbids: (quote: Quote) => string | undefined): RemovedBlock[] {
    const removed: RemovedBlock[] = [];
    for (const block of this.#blocks) {
      block.quotes = block.quotes.filter((quote) => {
        const reason = forbids(quote);
        const { snippet } = quote.message;
        if (reason !== undefined && snippet) removed.push({ snippetId: snippet.snippetId, path: snippet.path, classification: snippet.classification, reason });
        return reason === undefined;
      });
    }
    this.#blocks = this.#blocks.filter((block) => block.quotes.length > 0);
    return removed;
  }

  /** What the conversation holds and is still so. */
  held(): HeldSnippet[] {
    const held: HeldSnippet[] = [];
    for (const { message, knownHash } of this.#quotes()) {
      if (!message.snippet || knownHash !== message.snippet.hash) continue;
      const { path, hash, startLine, endLine } = message.snippet;
      held.push({ path, hash, startLine, endLine });
    }
    return held;
  }

  /** What has to be proven again; a change that was told already counts as the known state. */
  quoted(): QuotedSnippet[] {
    const found: QuotedSnippet[] = [];
    for (const { message, knownHash } of this.#quotes()) {
      if (!message.snippet || !knownHash) continue;
      const { snippetId, path, startLine, endLine, symbol } = message.snippet;
      found.push({ snippetId, path, hash: knownHash, startLine, endLine, symbol });
    }
    return found;
  }

  /** Takes in what a recheck found: revoked quotations leave at once, changed ones are known to be so. The quotations taken out. */
  apply({ changed, revoked }: RecheckResult): RemovedBlock[] {
    const rules = new Map(revoked.map(({ snippetId, path, rule }) => [`${snippetId}\0${path}`, `revoked:${rule}`]));
    const news = new Map(changed.map(({ path, newHash }) => [path, newHash]));
    const removed = this.take(({ message: { snippet } }) => snippet && rules.get(`${snippet.snippetId}\0${snippet.path}`));
    for (const quote of this.#quotes()) {
      const path = quote.message.snippet?.path;
      if (path !== undefined && news.has(path)) quote.knownHash = news.get(path);
    }
    return removed;
  }

  #quotes(): Quote[] {
    return this.#blocks.flatMap((block) => block.quotes);
  }
}

/** Tells a text apart from every other. */
export const digest = (text: string) => createHash('sha256').update(text).digest('base64url');

/** The lines that say what is quoted: path, hash and lines. */
const claimOf = (text: string) => text.split('\n', 4).join('\n');
