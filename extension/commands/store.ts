// The stored indexes: indexes, rebuild-index, forget.
import { loadAddon } from '../addon.ts';
import { counted, size, visible } from '../present.ts';
import { type Cell, columns, failure, type Report } from './report.ts';
import type { Asked } from './state.ts';

/** `/context rebuild-index`. */
export async function rebuildIndex({ session, open }: Asked): Promise<Report> {
  if (!open || !session.trusted) return failure('rebuild-index', session.failure ?? 'The project is not open.');
  await session.rebuild();
  const { counts, status } = await open.status();
  const lines = [{ label: 'Index', text: `${status}, ${counted(counts?.files ?? 0, 'file')} read again` }];
  return { view: 'rebuild-index', lines, data: { status, counts } };
}

/** `/context indexes`: what is stored of which project, the largest first; those whose folder is gone, with what removes them. */
export async function indexes(): Promise<Report> {
  const found = (await loadAddon().listIndexes()).toSorted((a, b) => b.bytes - a.bytes);
  const rows = found.map(({ bytes, indexedAt, project }): Cell[] => [
    size(bytes),
    indexedAt > 0 ? new Date(indexedAt).toISOString().slice(0, 10) : 'never',
    project,
  ]);
  const lines = columns(rows).map((text, at) => ({ text, tone: found[at]?.orphaned ? ('warning' as const) : undefined }));
  const next = found.filter(({ orphaned }) => orphaned).map(({ project }) => ({ label: 'Next', text: `its folder is gone: /context forget ${project}` }));
  return { view: 'indexes', lines: lines.length > 0 ? [...lines, ...next] : [{ text: 'No index is stored.' }], data: { indexes: found } };
}

/** `/context forget [project]`: asks first, as the index has to be made again. */
export async function forget({ session, ctx }: Asked, other: string): Promise<Report> {
  if (other !== '' && other !== session.cwd) return forgetOther(ctx, other);
  const isSure =
    !ctx.hasUI || (await ctx.ui.confirm('Delete the stored index?', `All that is stored of ${session.cwd} goes. It is made again with the next session.`));
  if (!isSure) return { view: 'forget', lines: [{ text: 'Nothing was deleted.' }], data: { deleted: false } };
  const deleted = await session.forget();
  return { view: 'forget', lines: [{ text: deleted ? 'The stored index is deleted.' : 'No index is stored.' }], data: { deleted } };
}

async function forgetOther(ctx: Asked['ctx'], project: string): Promise<Report> {
  if (ctx.hasUI && !(await ctx.ui.confirm('Delete the stored index?', `All that is stored of ${visible(project)} goes.`))) {
    return { view: 'forget', lines: [{ text: 'Nothing was deleted.' }], data: { deleted: false } };
  }
  const deleted = await loadAddon().removeIndex(project);
  return { view: 'forget', lines: [{ text: deleted ? 'The stored index is deleted.' : 'No index of that name is stored.' }], data: { deleted } };
}
