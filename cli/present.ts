import type { Manifest, PromptMessage, Retrieval, SyncReport } from '../index.js';

const FIRST_LINES = 12;
const STAGES = ['task', 'recall', 'rank', 'select', 'prove', 'quote', 'total'];
const QUOTE = 'Quoted source JSON: ';

/** Escape sequences for emphasis, or none. */
export interface Style {
  strong(text: string): string;
  faint(text: string): string;
}

/** Colours only on a terminal, and not where `NO_COLOR` is set. */
export function styleFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): Style {
  const on = stream.isTTY === true && !env.NO_COLOR;
  const wrap = (open: number, close: number) => (text: string) => (on ? `\x1b[${open}m${text}\x1b[${close}m` : text);
  return { strong: wrap(1, 22), faint: wrap(2, 22) };
}

/** The answer for people. */
export function present(report: SyncReport, { messages, manifest }: Retrieval, full: boolean, style: Style): string {
  const parts = [syncLines(report, style), ...messages.map((message, at) => evidence(message, at, full, style))];
  if (messages.length === 0) parts.push('No evidence: nothing in the project answers this request well enough to be quoted.');
  parts.push(summary(messages, manifest, style));
  return parts.join('\n\n');
}

function syncLines(report: SyncReport, style: Style): string {
  const { listed, indexed, reused, unchanged, removed, timings } = report;
  const counts = Object.entries({ indexed, reused, unchanged, removed }).filter(([, count]) => count > 0);
  const lines = [
    `${style.strong('Project')}   ${listed} ${listed === 1 ? 'file' : 'files'} listed (${report.source}), ${counts.map(([name, count]) => `${count} ${name}`).join(', ') || 'nothing new'}, ${milliseconds(timings.total)}`,
  ];
  const excluded = Object.entries(report.excluded).sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  if (excluded.length > 0) lines.push(`Excluded  ${excluded.map(([rule, count]) => `${count} ${rule}`).join(', ')}`);
  if (report.unreadable.length > 0) {
    const [first] = report.unreadable;
    lines.push(`Unread    ${report.unreadable.length} (${visible(`${first?.path}: ${first?.reason}`)}${report.unreadable.length > 1 ? ', …' : ''})`);
  }
  if (report.gitProblem) lines.push(`Git       ${visible(report.gitProblem)}`);
  if (!report.complete) lines.push(`Partial   ${report.incompleteReason ?? 'not every listed file was read'}`);
  return lines.join('\n');
}

function evidence(message: PromptMessage, at: number, full: boolean, style: Style): string {
  const { snippet, tokens } = message;
  if (!snippet) return visible(message.text);
  const { path, startLine, endLine, score, reasons, hash } = snippet;
  const head = `${style.strong(`${at + 1}. ${visible(path)}:${startLine}-${endLine}`)}`;
  const facts = style.faint(`   score ${round(score)} · ${reasons.join(', ')} · ${tokens} tokens · sha256 ${hash.slice(0, 12)}`);
  const lines = quotedText(message).split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  const shown = full ? lines : lines.slice(0, FIRST_LINES);
  const width = String(endLine).length;
  const body = shown.map((line, index) => `   ${style.faint(`${String(startLine + index).padStart(width)} │`)} ${visible(line)}`);
  const more = lines.length - shown.length;
  if (more > 0) body.push(style.faint(`   ${' '.repeat(width)} │ … ${more} more ${more === 1 ? 'line' : 'lines'} (--full)`));
  return [head, facts, ...body].join('\n');
}

function summary(messages: PromptMessage[], manifest: Manifest, style: Style): string {
  const { completeness, excluded, excludedMore, timings } = manifest;
  const tokens = messages.reduce((sum, message) => sum + message.tokens, 0);
  const left = excluded.length + Object.values(excludedMore).reduce((sum, count) => sum + count, 0);
  const lines = [
    `${style.strong('Answer')}    ${messages.length} ${messages.length === 1 ? 'snippet' : 'snippets'}, ${tokens} of ${manifest.budgetTokens} tokens, ${left} ${left === 1 ? 'candidate' : 'candidates'} left out`,
    `Time      ${STAGES.map((stage) => `${stage} ${milliseconds(timings[stage])}`).join(', ')}`,
  ];
  if (!completeness.complete)
    lines.push(`Partial   looked at ${completeness.looked} of ${completeness.listed} files${completeness.reason ? `: ${completeness.reason}` : ''}`);
  lines.push(style.faint(`Manifest  ${manifest.id}`));
  return lines.join('\n');
}

function quotedText({ text }: PromptMessage): string {
  const line = text.split('\n').find((candidate) => candidate.startsWith(QUOTE));
  return line ? (JSON.parse(line.slice(QUOTE.length)) as string) : text;
}

// A project's text must not drive the terminal: everything that is no printable character is shown as its escape.
function visible(text: string): string {
  return text.replace(/\t/g, '  ').replace(/[\p{Cc}\p{Cf}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

const round = (value: number) => String(Math.round(value * 100) / 100);
const milliseconds = (value = 0) => (value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${Math.round(value * 10) / 10} ms`);
