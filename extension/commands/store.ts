// The stored index: rebuild-index, forget.
import { counted } from '../present.ts';
import { failure, type Report } from './report.ts';
import type { Asked } from './state.ts';

/** `/context rebuild-index`. */
export async function rebuildIndex({ session, open }: Asked): Promise<Report> {
  if (!open || !session.trusted) return failure('rebuild-index', session.failure ?? 'The project is not open.');
  await session.rebuild();
  const { counts, status } = await open.status();
  const lines = [{ label: 'Index', text: `${status}, ${counted(counts?.files ?? 0, 'file')} read again` }];
  return { view: 'rebuild-index', lines, data: { status, counts } };
}

/** `/context forget`: asks first, as the index has to be made again. */
export async function forget({ session, ctx }: Asked): Promise<Report> {
  const isSure =
    !ctx.hasUI || (await ctx.ui.confirm('Delete the stored index?', `All that is stored of ${session.cwd} goes. It is made again with the next session.`));
  if (!isSure) return { view: 'forget', lines: [{ text: 'Nothing was deleted.' }], data: { deleted: false } };
  const deleted = await session.forget();
  return { view: 'forget', lines: [{ text: deleted ? 'The stored index is deleted.' : 'No index is stored.' }], data: { deleted } };
}
