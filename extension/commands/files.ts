// The files of the project: files, why, symbols.
import { counted, size } from '../present.ts';
import { failure, type Line, type Report } from './report.ts';
import type { Asked } from './state.ts';

/** `/context files`. */
export function files({ session, status }: Asked): Report {
  const report = status?.lastSync;
  if (!status?.counts) return failure('files', session.failure ?? 'The project is not open.');
  const lines: Line[] = [{ label: 'Read', text: `${counted(status.counts.files, 'file')}, ${size(status.counts.textBytes)}` }];
  const rules = Object.entries(report?.excluded ?? {}).sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  lines.push(...rules.map(([rule, count], at) => ({ label: at === 0 ? 'Left out' : undefined, text: `${count.toLocaleString('en').padStart(7)} ${rule}` })));
  for (const { path, reason } of report?.unreadable ?? []) lines.push({ label: 'Unread', text: `${path}: ${reason}`, tone: 'warning' });
  if (report?.cutAt) lines.push({ label: 'Cut', text: `the walk stopped at ${counted(report.cutAt, 'name')}`, tone: 'warning' });
  return {
    view: 'files',
    lines,
    data: { counts: status.counts, excluded: report?.excluded ?? {}, unreadable: report?.unreadable ?? [], cutAt: report?.cutAt },
  };
}

/** `/context why <path>`. */
export async function why({ session, open }: Asked, path: string): Promise<Report> {
  if (!open) return failure('why', session.failure ?? 'The project is not open.');
  try {
    const { hash, totalLines, classification } = await open.read({ path, startLine: 1, endLine: 1 });
    const { parser, symbols: found } = await open.outline(path);
    const lines: Line[] = [
      { label: 'File', text: `${path} is read: ${counted(totalLines, 'line')}, sha256 ${hash.slice(0, 12)}`, tone: 'success' },
      { label: 'Parser', text: `${parser}, ${counted(found.length, 'symbol')}` },
    ];
    if (classification !== 'normal') lines.push({ label: 'Class', text: classification });
    return { view: 'why', lines, data: { path, read: true, hash, totalLines, parser, symbols: found.length, classification } };
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    if (code !== 'E_EXCLUDED' && code !== 'E_NOT_FOUND') throw error;
    return { view: 'why', lines: [{ label: 'File', text: message ?? `${path} is not read` }], data: { path, read: false, code, reason: message } };
  }
}

/** `/context symbols <file or name>`: a file's declarations, or else those of a name. */
export async function symbols({ session, open }: Asked, asked: string): Promise<Report> {
  if (!open) return failure('symbols', session.failure ?? 'The project is not open.');
  const outline = await open.outline(asked).catch(() => undefined);
  if (outline) {
    const lines = outline.symbols.map(({ kind, qualifiedName, startLine, endLine }) => ({
      label: `${startLine}-${endLine}`,
      text: `${kind} ${qualifiedName}`,
    }));
    return { view: 'symbols', lines: lines.length > 0 ? lines : [{ text: `${asked} declares nothing.` }], data: outline };
  }
  const found = await open.definitions(asked);
  const lines = found.map(({ path, symbol }) => ({ text: `${path}:${symbol.startLine}-${symbol.endLine} ${symbol.kind} ${symbol.qualifiedName}` }));
  return { view: 'symbols', lines: lines.length > 0 ? lines : [{ text: `No file and no declaration is named ${asked}.` }], data: { definitions: found } };
}
