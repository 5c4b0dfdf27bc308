import type { HeldSnippet, PromptMessage, QuotedSnippet, RecheckResult } from '../index.js';

/** Where a block stands: before a user message, by its key, or after a tool result, by its call. */
export type Anchor = { before: string } | { after: string };

/** Messages that stand together, for as long as their place is part of the conversation. */
export interface Block {
  anchor: Anchor;
  /** The request that they were emitted for. */
  request: string;
  quotes: Quote[];
}

interface Quote {
  message: PromptMessage;
  /** The file's hash as last seen: the message's own until a note has said otherwise; undefined once the file is gone, and for a note. */
  knownHash: string | undefined;
}

/** What was emitted in this session: it keeps place and bytes, and leaves a prompt at a time. Held in memory only. */
export class Ledger {
  #blocks: Block[] = [];

  /** Blocks in the order of their emission. */
  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  get tokens(): number {
    return this.#quotes().reduce((sum, quote) => sum + quote.message.tokens, 0);
  }

  add(anchor: Anchor, request: string, messages: PromptMessage[]): void {
    if (messages.length === 0) return;
    this.#blocks.push({ anchor, request, quotes: messages.map((message) => ({ message, knownHash: message.snippet?.hash })) });
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

  clear(): void {
    this.#blocks = [];
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

  /** Takes in what a recheck found: revoked quotations leave at once, changed ones are known to be so. */
  apply({ changed, revoked }: RecheckResult): void {
    const gone = new Set(revoked.map(({ snippetId, path }) => `${snippetId}\0${path}`));
    const news = new Map(changed.map(({ path, newHash }) => [path, newHash]));
    for (const block of this.#blocks) {
      block.quotes = block.quotes.filter(({ message: { snippet } }) => !snippet || !gone.has(`${snippet.snippetId}\0${snippet.path}`));
      for (const quote of block.quotes) {
        const path = quote.message.snippet?.path;
        if (path !== undefined && news.has(path)) quote.knownHash = news.get(path);
      }
    }
    this.#blocks = this.#blocks.filter((block) => block.quotes.length > 0);
  }

  #quotes(): Quote[] {
    return this.#blocks.flatMap((block) => block.quotes);
  }
}
