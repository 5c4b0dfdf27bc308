// The files of the project: files, why, symbols.
import type { Files } from '../../index.js';
import { counted, noun, size } from '../present.ts';
import { type Cell, columns, failure, type Line, type Report } from './report.ts';
import type { Asked } from './state.ts';

/** Paths of one rule that are shown. */
const MOST_PATHS = 3;

/** `/context files`: by language, and by the rule that leaves them out; with a rule, the paths that it leaves out. */
export async function files({ session, open }: Asked, rule: string): Promise<Report> {
  if (!open || !session.trusted) return failure('files', session.failure ?? 'The project is not open.');
  if (rule) return leftOut(await open.files({ rule }), rule);
  const found = await open.files();
  const kinds = found.languages.map(({ language, files, lines, symbols, bytes }) => {
    const cells: Cell[] = [[files, noun(files, 'file')], [lines, noun(lines, 'line')], [symbols, noun(symbols, 'symbol')], size(bytes)];
    return { label: language ?? 'other text', cells };
  });
  const texts = columns(kinds.map(({ cells }) => cells));
  const lines: Line[] = kinds.map(({ label }, at) => ({ label, text: texts[at] ?? '' }));
  if (lines.length === 0) lines.push({ text: 'No file is indexed yet.' });
  const rules = found.excluded
    .toSorted((a, b) => b.files - a.files)
    .map(({ rule, files, paths }): Cell[] => [[files, rule], `${paths.slice(0, MOST_PATHS).join(', ')}${files > MOST_PATHS ? ', …' : ''}`]);
  lines.push(...columns(rules).map((text, at) => ({ label: at === 0 ? 'left out' : undefined, text, tone: 'muted' as const })));
  for (const { path, reason } of found.unreadable) lines.push({ label: 'unread', text: `${path}: ${reason}`, tone: 'warning' });
  if (found.cutAt) lines.push({ label: 'cut', text: `the walk stopped at ${counted(found.cutAt, 'name')}`, tone: 'warning' });
  return { view: 'files', lines, data: found };
}

function leftOut(found: Files, rule: string): Report {
  const { files = 0, paths = [] } = found.excluded[0] ?? {};
  const lines: Line[] = [{ label: rule, text: `leaves out ${counted(files, 'file')}` }, ...paths.map((text) => ({ text }))];
  if (files > paths.length) lines.push({ text: `and ${files - paths.length} more`, tone: 'muted' });
  return { view: 'files', lines, data: found };
}

/** `/context why <path>`. */
export async function why({ session, open }: Asked, path: string): Promise<Report> {
  if (!open || !session.trusted) return failure('why', session.failure ?? 'The project is not open.');
  const found = await open.explainPath(path);
  const { state, reason, rule, hash, language, lines: count, tracked, generated } = found;
  const lines: Line[] = [
    { label: 'File', text: `${found.path}: ${state}`, tone: state === 'indexed' ? 'success' : undefined },
    { label: 'Why', text: reason },
  ];
  if (rule) lines.push({ label: 'Rule', text: rule });
  if (hash) {
    const facts = [language ?? 'other text', counted(count ?? 0, 'line'), tracked ? 'tracked' : 'untracked', ...(generated ? ['generated'] : [])];
    lines.push({ label: 'Index', text: `${facts.join(', ')}, sha256 ${hash.slice(0, 12)}` });
  }
  return { view: 'why', lines, data: found };
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
