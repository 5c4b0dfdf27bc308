import type { Progress } from '../index.js';
import type { Ledger } from './ledger.ts';

/** The status line while indexing. */
export function indexing({ done, total }: Progress): string | undefined {
  return total > 0 ? `indexing ${Math.floor((100 * done) / total)} %` : undefined;
}

/** The status line after an answer: what of the project the conversation holds; undefined for nothing. */
export function answered({ files, tokens }: Pick<Ledger, 'files' | 'tokens'>): string | undefined {
  return files === 0 ? undefined : `ctx ${counted(files, 'file')} · ${short(tokens)}`;
}

/** A number with its noun. */
export const counted = (count: number, one: string) => `${count.toLocaleString('en')} ${noun(count, one)}`;

/** A noun for so many. */
export const noun = (count: number, one: string) => `${one}${count === 1 ? '' : 's'}`;

/** Text of a project or of an error for a terminal: what is no printable character is shown as its escape, so that no file name drives it. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Tokens in a few characters. */
export function short(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${(tokens / 1_000).toFixed(1)}k`;
}

/** Bytes in a few characters. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
