// What is the case: overview, project, health, privacy, model.
import type { ExtensionCommandContext } from '@earendil-works/pi-coding-agent';
import type { Manifest, Project, SemanticStatus, Status } from '../../index.js';
import { budgetOf, modelKey } from '../budget.ts';
import { samplesOf } from '../calibration.ts';
import { destinationOf } from '../destination.ts';
import { sendsOneMessage } from '../placement.ts';
import { counted, indexing, short, size } from '../present.ts';
import type { Session } from '../session.ts';
import { failure, type Line, type Report } from './report.ts';

/** What a subcommand may look at. */
export interface Asked {
  session: Session;
  ctx: ExtensionCommandContext;
  /** The open project, if it can be had. */
  open: Project | undefined;
  status: Status | undefined;
}

/** `/context`: understood in ten seconds, with the next step when something is wrong. */
export function overview({ session, status }: Asked): Report {
  const problems = problemsOf(session, status);
  const lines: Line[] = [{ label: 'Project', text: stateOf(session, status) }];
  if (status?.counts) lines.push({ label: 'Index', text: indexOf(status) });
  const manifest = session.manifest;
  if (manifest) lines.push(...lastAnswer(manifest));
  const { ledger } = session;
  if (ledger.files > 0) lines.push({ label: 'Live', text: `${counted(ledger.files, 'file')} quoted in this conversation, ${short(ledger.tokens)} tokens` });
  if (manifest && problems.length === 0) lines.push({ label: 'More', text: '/context explain says why, at what cost', tone: 'muted' });
  for (const { text, next } of problems) lines.push({ label: 'Note', text, tone: 'warning' }, { label: 'Next', text: next });
  const data = {
    status: session.isOn ? (status?.status ?? 'failed') : 'disabled',
    state: stateOf(session, status),
    mode: session.settings.mode,
    trusted: session.trusted,
    trustSource: status?.trustSource,
    counts: status?.counts,
    progress: status?.progress,
    live: { files: ledger.files, tokens: ledger.tokens },
    lastAnswer: manifest && { id: manifest.id, snippets: manifest.projectSnippets, tokens: manifest.estimatedTokens, budgetTokens: manifest.budgetTokens },
    problems,
  };
  return { view: '', lines, data };
}

/** `/context project`. */
export function project({ session, status }: Asked): Report {
  const lines: Line[] = [{ label: 'Project', text: stateOf(session, status) }];
  if (status?.revision) {
    const { branch, head, changedPaths, gitRoot, indexedAt } = status.revision;
    lines.push({
      label: 'Git',
      text: gitRoot ? `${branch ?? 'detached'} at ${head?.slice(0, 10) ?? 'no commit'}, ${counted(changedPaths.length, 'changed file')}` : 'none',
    });
    lines.push({ label: 'Indexed', text: indexedAt > 0 ? new Date(indexedAt).toISOString() : 'not yet' });
  }
  if (status?.counts) {
    lines.push({ label: 'Index', text: indexOf(status) });
    lines.push({ label: 'Text', text: size(status.counts.textBytes) });
  }
  if (status?.semantic) lines.push(...meaning(status.semantic));
  else if (session.settings['retrieval.semantic']) lines.push({ label: 'Meaning', text: 'off: see the problem in the settings', tone: 'warning' });
  if (status?.store) lines.push({ label: 'Store', text: `${status.store.path}, ${size(status.store.bytes)}` });
  for (const reason of status?.reasons ?? []) lines.push({ label: 'Note', text: reason });
  for (const sentence of status?.limitations ?? []) lines.push({ label: 'Platform', text: sentence, tone: 'muted' });
  return { view: 'project', lines, data: { state: stateOf(session, status), ...status } };
}

/** The vectors: whose they are, how many there are, whether they are current, and why they are not used. */
function meaning({ provider, model, dimensions, destination, counts, fresh, fallbackReason }: SemanticStatus): Line[] {
  const withheld = counts.withheld > 0 ? `, ${counts.withheld} withheld` : '';
  const lines: Line[] = [
    { label: 'Meaning', text: `${provider}/${model}, ${dimensions} dimensions, ${destination}` },
    { label: 'Vectors', text: `${counts.embedded} of ${counted(counts.chunks, 'chunk')}${withheld} · ${fresh ? 'current' : 'not current'}` },
  ];
  if (fallbackReason) lines.push({ label: 'Note', text: `requests are answered by their words alone: ${fallbackReason}`, tone: 'warning' });
  return lines;
}

/** `/context health`: what needs attention only. */
export function health({ session, status }: Asked): Report {
  const problems = problemsOf(session, status);
  const lines: Line[] = problems.flatMap(({ text, next }) => [
    { label: 'Note', text, tone: 'warning' as const },
    { label: 'Next', text: next },
  ]);
  return { view: 'health', lines: lines.length > 0 ? lines : [{ text: 'Nothing needs attention.', tone: 'success' }], data: { problems } };
}

/** `/context privacy`. */
export function privacy({ session, ctx }: Asked): Report {
  const { settings, manifest } = session;
  const destination = destinationOf(ctx.model?.baseUrl);
  const enabled = settings['privacy.enabled'];
  const may = destination === 'local' || !enabled ? 'all classes of text' : `text of class ${settings['privacy.remoteAllow'].join(', ') || 'none'}`;
  const gate = manifest?.gate;
  const removed = manifest?.removed ?? [];
  const lines: Line[] = [
    { label: 'Model', text: `${destination}: it may have ${may}` },
    { label: 'Classes', text: enabled ? 'decide' : 'are recorded, and keep nothing back (privacy.enabled is false)' },
    { label: 'Secrets', text: settings['privacy.secrets'] === 'exclude' ? 'files that hold one are kept out' : 'markers stand in their place' },
  ];
  if (gate)
    lines.push({
      label: 'Checks',
      text: `${counted(gate.requests, 'request')}, ${counted(gate.blocks, 'quotation')}, ${gate.removed} taken out, ${gate.failures} failed`,
    });
  for (const { path, classification, reason } of removed) lines.push({ label: 'Removed', text: `${path} (${classification}): ${reason}` });
  const data = { destination, enabled, remoteAllow: settings['privacy.remoteAllow'], secrets: settings['privacy.secrets'], gate, removed };
  return { view: 'privacy', lines, data };
}

/** `/context model`. */
export function model({ session, ctx }: Asked): Report {
  if (!ctx.model) return failure('model', 'No model is chosen.');
  const { live, room, calibration } = budgetOf(session.settings, ctx);
  const key = modelKey(ctx.model);
  const samples = samplesOf(key).length;
  const oneMessage = sendsOneMessage(session.settings['context.oneMessage'], ctx.model.api);
  const lines: Line[] = [
    { label: 'Model', text: `${key}, window of ${short(ctx.model.contextWindow)} tokens` },
    { label: 'Budget', text: `${short(live)} tokens for all quotations, ${short(session.ledger.tokens)} in use` },
    { label: 'Room', text: room === undefined ? 'not known yet' : `${short(Math.max(0, room))} tokens beside the conversation and its answer` },
    { label: 'Factor', text: `${calibration.toFixed(2)} of our estimate, from ${counted(samples, 'reply').replace('replys', 'replies')}` },
    { label: 'Form', text: oneMessage ? 'all quotations in one message' : 'one message for each quotation' },
  ];
  return {
    view: 'model',
    lines,
    data: { model: key, contextWindow: ctx.model.contextWindow, budgetTokens: live, roomTokens: room, calibration, samples, oneMessage },
  };
}

function stateOf(session: Session, status: Status | undefined): string {
  if (!session.isOn) return 'off, by the settings';
  if (session.wantsConsent) return 'not read: your consent is asked for';
  if (session.consent === false && session.settings['project.consent'] === 'ask') return 'not read: you said no';
  if (!session.trusted && !session.failure) return 'not trusted: nothing of it is read';
  if (!status) return `not active: ${session.failure ?? 'the project is not open yet'}`;
  if (status.status === 'refused') return `refused: ${status.reasons[0] ?? 'it is never indexed'}`;
  const source = status.trustSource ?? 'host';
  return `${status.revision?.projectPath ?? ''} (${session.settings.mode}, trusted by ${source === 'host' ? 'Pi' : `the ${source}`})`;
}

function indexOf({ status, counts, progress }: Status): string {
  if (!counts) return status;
  const { files, symbols, refused, staleFiles } = counts;
  const extra = [refused > 0 ? `${refused} left out` : '', staleFiles > 0 ? `${staleFiles} stale` : '', (progress && indexing(progress)) ?? ''].filter(Boolean);
  return [status, counted(files, 'file'), counted(symbols, 'symbol'), ...extra].join(' · ');
}

function lastAnswer({ projectSnippets, estimatedTokens, budgetTokens, timings, completeness, mode, modeReason }: Manifest): Line[] {
  if (mode === 'fallback') return [{ label: 'Answer', text: `none: ${modeReason ?? 'it failed'}`, tone: 'warning' }];
  const total = timings.total === undefined ? '' : `, ${Math.round(timings.total)} ms`;
  const partial = completeness.complete ? '' : `, ${completeness.looked} of ${completeness.listed} files looked at`;
  return [
    { label: 'Answer', text: `${counted(projectSnippets.length, 'snippet')}, ${short(estimatedTokens)} of ${short(budgetTokens)} tokens${total}${partial}` },
    ...projectSnippets.map(({ path, startLine, endLine, modified }) => ({ text: `${path}:${startLine}-${endLine}${modified ? ' (modified)' : ''}` })),
  ];
}

/** What only the user can change, with the next step. */
function problemsOf(session: Session, status: Status | undefined): { text: string; next: string }[] {
  if (!session.isOn) return [{ text: 'It is switched off.', next: 'set contextEngine.project.enabled to true and contextEngine.mode to "managed"' }];
  if (session.wantsConsent) return [{ text: 'This project may not be read yet.', next: 'answer the question at the start of a session' }];
  if (!session.trusted && !session.failure) {
    const next = 'trust the project with /trust, then start Pi again; /context forget deletes an index of it that is still stored';
    return [{ text: 'The project is not trusted.', next }];
  }
  if (!status) return session.failure ? [{ text: session.failure, next: session.remedy }] : [];
  const reason = status.reasons[0] ?? '';
  if (status.status === 'refused') return [{ text: reason, next: 'start Pi in a project folder, below your home directory' }];
  if (status.status === 'failed') return [{ text: reason, next: 'send a prompt to try again, or /context rebuild-index' }];
  if (status.status === 'partial')
    return [{ text: `The index is partial: ${reason}.`, next: 'send a prompt, or /context rebuild-index; /context files counts what is left out' }];
  const unreadable = status.lastSync?.unreadable ?? [];
  if (unreadable.length > 0) {
    const [first] = unreadable;
    return [{ text: `${counted(unreadable.length, 'file')} could not be read, such as ${first?.path}: ${first?.reason}`, next: 'check their permissions' }];
  }
  return status.lastSync?.gitProblem ? [{ text: `Git was not used: ${status.lastSync.gitProblem}`, next: 'check the repository with git status' }] : [];
}
