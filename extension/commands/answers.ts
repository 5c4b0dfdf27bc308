// What was answered and why: manifest, included, excluded, explain, preview.
import type { ExplainedFile, Manifest, ManifestItem } from '../../index.js';
import { budgetOf } from '../budget.ts';
import { audienceOf } from '../destination.ts';
import { counted, short } from '../present.ts';
import { type Cell, columns, failure, type Line, type Report } from './report.ts';
import type { Asked } from './state.ts';

const NONE = 'No answer yet: one is made with the next prompt.';

async function newest({ session, open }: Asked): Promise<Manifest | undefined> {
  await session.recording;
  const own = session.manifest;
  const recorded = session.trusted ? ((await open?.manifests(16)) ?? []) : [];
  return (own ? recorded.find(({ id }) => id === own.id) : recorded.find(({ id }) => !session.previews.has(id))) ?? own;
}

/** `/context manifest`. */
export async function manifest(asked: Asked): Promise<Report> {
  const found = await newest(asked);
  if (!found) return failure('manifest', NONE);
  return {
    view: 'manifest',
    lines: JSON.stringify(found, null, 2)
      .split('\n')
      .map((text) => ({ text })),
    data: found,
  };
}

/** `/context included`. */
export async function included(asked: Asked): Promise<Report> {
  const found = await newest(asked);
  if (!found) return failure('included', NONE);
  return {
    view: 'included',
    lines: orNothing(taken(found), 'Nothing was quoted.'),
    data: { included: found.included, projectSnippets: found.projectSnippets },
  };
}

/** `/context excluded`. */
export async function excluded(asked: Asked): Promise<Report> {
  const found = await newest(asked);
  if (!found) return failure('excluded', NONE);
  const { excludedMore } = found;
  return { view: 'excluded', lines: orNothing(left(found), 'Nothing else was close.'), data: { excluded: found.excluded, excludedMore } };
}

/** `/context explain`: what was taken, what was close, what was left out and why, at what cost. */
export async function explain(asked: Asked): Promise<Report> {
  const found = await newest(asked);
  if (!found) return failure('explain', NONE);
  const { explained: shares } = asked.session;
  return explained('explain', found, shares?.id === found.id ? shares.files : []);
}

/** `/context preview <request>`: the same for a request that is not sent. */
export async function preview({ session, ctx, open }: Asked, text: string): Promise<Report> {
  if (!open) return failure('preview', session.failure ?? 'The project is not open.');
  const { live, room, calibration } = budgetOf(session.settings, ctx);
  const { manifest: found, explained: shares } = await open.retrieve({
    text,
    mode: 'observer',
    ephemeral: true,
    explain: true,
    ...audienceOf(session, ctx),
    maxResults: session.settings['project.maxResults'],
    maxTokens: live,
    roomTokens: room === undefined ? undefined : Math.max(0, Math.floor(room)),
    calibration,
  });
  session.previews.add(found.id);
  return explained('preview', found, shares);
}

/** Shares of one file that are shown. */
const MOST_SHARES = 4;

/** The shares in a file's score, the largest first. */
function shareLines(files: ExplainedFile[]): Line[] {
  const rows = files.map(({ path, factor, shares }) => {
    const named = shares.filter(({ points }) => points !== 0).toSorted((a, b) => b.points - a.points);
    const shown = named.slice(0, MOST_SHARES).map(({ feature, points }) => `${feature} ${points.toFixed(2)}`);
    const more = named.length > MOST_SHARES ? ', …' : '';
    return [path, `${shown.join(', ') || 'named by the request'}${more}${factor === 1 ? '' : ` · times ${factor.toFixed(2)}`}`];
  });
  return columns(rows).map((text, at) => ({ label: at === 0 ? 'Scores' : undefined, text }));
}

function explained(view: string, found: Manifest, shares: ExplainedFile[]): Report {
  const { estimatedTokens, budgetTokens, actualTokens, completeness, timings, calibration, removed } = found;
  const lines: Line[] = orNothing(
    taken(found),
    found.modeReason ? `Nothing was quoted: ${found.modeReason}` : 'Nothing was quoted: no evidence was good enough.',
  );
  const paths = new Set(found.projectSnippets.map(({ path }) => path));
  const quotedShares = shares.filter(({ path }) => paths.has(path));
  lines.push(...shareLines(quotedShares));
  const close = left(found);
  if (close.length > 0) lines.push({ label: '', text: '' }, ...close.slice(0, 12));
  if (close.length > 12) lines.push({ text: `… ${close.length - 12} more (/context excluded)`, tone: 'muted' });
  for (const { path, reason } of removed) lines.push({ label: 'Removed', text: `${path}: ${reason}` });
  const actual = actualTokens === undefined ? '' : `; the model counted ${short(actualTokens)} for the whole request`;
  lines.push({ label: 'Cost', text: `${short(estimatedTokens)} of ${short(budgetTokens)} tokens (factor ${calibration.toFixed(2)})${actual}` });
  const stages = Object.entries(timings).map(([stage, ms]) => `${stage} ${Math.round(ms * 10) / 10}`);
  if (stages.length > 0) lines.push({ label: 'Time', text: `${stages.join(', ')} ms` });
  if (!completeness.complete)
    lines.push({ label: 'Partial', text: completeness.reason ?? `${completeness.looked} of ${completeness.listed} files looked at`, tone: 'warning' });
  return { view, lines, data: { ...found, explained: quotedShares } };
}

/** What is shown of an item: score, tokens, place, reasons. */
const cellsOf = ({ score, tokens, reasons }: ManifestItem, place: string): Cell[] => [
  `score ${String(Math.round(score)).padStart(3)}`,
  [tokens, 'tokens'],
  place,
  reasons.join(', '),
];
const placeOf = ({ path, startLine, endLine }: { path?: string; startLine?: number; endLine?: number }) => `${path}:${startLine}-${endLine}`;

function taken({ included: items, projectSnippets }: Manifest): Line[] {
  const rows = items.map((item, at) => cellsOf(item, placeOf(projectSnippets[at] ?? item)));
  return columns(rows).map((text, at) => ({ label: at === 0 ? 'Taken' : undefined, text }));
}

function left({ excluded: items, excludedMore }: Manifest): Line[] {
  const lines = columns(items.map((item) => cellsOf(item, placeOf(item))));
  const more = Object.entries(excludedMore).map(([reason, count]) => `${counted(count, 'more candidate')}: ${reason}`);
  return [...lines, ...more].map((text, at) => ({ label: at === 0 ? 'Left out' : undefined, text }));
}

const orNothing = (lines: Line[], text: string): Line[] => (lines.length > 0 ? lines : [{ text }]);
