import type { Manifest, Progress, PromptMessage, Status } from '../index.js';
import type { Session } from './session.ts';

/** The status line while indexing. */
export function indexing({ done, total }: Progress): string | undefined {
  return total > 0 ? `indexing ${Math.floor((100 * done) / total)} %` : undefined;
}

/** The status line after an answer; undefined if it had no evidence. */
export function answered(messages: PromptMessage[]): string | undefined {
  if (messages.length === 0) return undefined;
  const files = new Set(messages.map(({ snippet }) => snippet?.path)).size;
  return `ctx ${files} ${files === 1 ? 'file' : 'files'} · ${short(messages.reduce((sum, { tokens }) => sum + tokens, 0))}`;
}

/** The overview of `/context`: a few aligned lines, with the next step when something is wrong. */
export function overview(session: Session, status: Status | undefined): string {
  const rows: [string, string][] = [['Project', project(session, status)]];
  if (status?.counts) {
    const { files, chunks, symbols, refused, staleFiles } = status.counts;
    const extra = [refused > 0 ? `${refused} left out` : '', staleFiles > 0 ? `${staleFiles} stale` : ''].filter(Boolean);
    rows.push(['Index', [status.status, `${files} files`, `${symbols} symbols`, `${chunks} chunks`, ...extra].join(' · ')]);
  }
  if (status?.progress && status.progress.total > 0) rows.push(['Sync', indexing(status.progress) ?? '']);
  if (status?.revision) {
    const { branch, head, changedPaths } = status.revision;
    if (head) rows.push(['Git', `${branch ?? 'detached'} at ${head.slice(0, 10)}, ${changedPaths.length} changed`]);
  }
  if (session.manifest) rows.push(...lastAnswer(session.manifest));
  const removed = session.manifest?.removed ?? [];
  if (removed.length > 0) rows.push(['Removed', `${removed.length} of the quotations: ${[...new Set(removed.map(({ reason }) => reason))].join(', ')}`]);
  for (const reason of status?.reasons ?? []) rows.push(['Note', reason]);
  const next = nextStep(session, status);
  if (next) rows.push(['Next', next]);
  return rows.map(([name, text]) => `${name.padEnd(8)} ${text}`).join('\n');
}

function project(session: Session, status: Status | undefined): string {
  if (!session.isOn) return 'off, by the settings';
  if (!session.trusted) return 'not trusted: nothing of it is read';
  if (!status) return `not active: ${session.failure ?? 'the project is not open yet'}`;
  return `${status.revision?.projectPath ?? ''} (${session.settings.mode}, trusted: ${status.trustSource ?? 'host'})`;
}

function lastAnswer({ projectSnippets, estimatedTokens, budgetTokens, timings, completeness }: Manifest): [string, string][] {
  const total = timings.total === undefined ? '' : `, ${Math.round(timings.total)} ms`;
  const partial = completeness.complete ? '' : `, ${completeness.looked} of ${completeness.listed} files looked at`;
  const rows: [string, string][] = [
    [
      'Answer',
      `${projectSnippets.length} ${projectSnippets.length === 1 ? 'snippet' : 'snippets'}, ${short(estimatedTokens)} of ${short(budgetTokens)} tokens${total}${partial}`,
    ],
  ];
  for (const { path, startLine, endLine, modified } of projectSnippets) {
    rows.push(['', `${path}:${startLine}-${endLine}${modified ? ' (modified)' : ''}`]);
  }
  return rows;
}

function nextStep(session: Session, status: Status | undefined): string | undefined {
  if (!session.isOn) return 'set contextEngine.project.enabled to true and contextEngine.mode to "managed"';
  if (!session.trusted) return 'trust the project with /trust, then start Pi again';
  if (!status) return session.failure && 'install pi-context-engine again, without omitting optional dependencies';
  if (status.status === 'refused') return 'start Pi in a project folder, below your home directory';
  if (status.status === 'failed') return 'send a prompt to try again';
  return undefined;
}

function short(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${(tokens / 1_000).toFixed(1)}k`;
}
