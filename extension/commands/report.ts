// How a report reaches whoever asked: a screen to scroll in the terminal, an object in rpc mode, and nothing but a failure in print and json mode.
import type { ExtensionCommandContext, Theme } from '@earendil-works/pi-coding-agent';
import { visible } from '../present.ts';

/** One line of a report. */
export interface Line {
  /** What it is about; lines without a label continue the one above. */
  label?: string;
  text: string;
  tone?: 'muted' | 'warning' | 'success';
}

export interface Report {
  /** The subcommand. */
  view: string;
  lines: Line[];
  /** The same for programs. */
  data: unknown;
  /** The command could not do what it was asked for; the first line says why. */
  failed?: boolean;
}

/** A report of a failure. */
export function failure(view: string, error: unknown): Report {
  const { message, code } = (typeof error === 'string' ? { message: error } : error) as { message?: string; code?: string };
  const text = message ?? String(error);
  return { view, lines: [{ text, tone: 'warning' }], data: { error: text, code }, failed: true };
}

/** Shows a report in the way of the host's mode. */
export async function show(ctx: ExtensionCommandContext, report: Report): Promise<void> {
  if (ctx.mode === 'tui') return page(ctx, report);
  const { view, data, failed } = report;
  if (ctx.hasUI) ctx.ui.notify(JSON.stringify({ view: `/context${view && ` ${view}`}`, data }), failed ? 'warning' : 'info');
  else if (failed) console.error(`pi-context-engine: ${visible(report.lines[0]?.text ?? 'it failed')}`);
}

/** Rows that the screen has beside the report: the host's own and our head and foot. */
const OTHER_ROWS = 8;

async function page(ctx: ExtensionCommandContext, report: Report): Promise<void> {
  const { matchesKey, truncateToWidth, wrapTextWithAnsi } = await import('@earendil-works/pi-tui');
  await ctx.ui.custom<void>((tui, theme, keys, done) => {
    let top = 0;
    let most = 0;
    let rows = 1;
    const step = (by: number) => {
      top = Math.min(most, Math.max(0, top + by));
      tui.requestRender();
    };
    return {
      render(width: number): string[] {
        const body = lay(report.lines, width, theme, wrapTextWithAnsi);
        rows = Math.max(3, tui.terminal.rows - OTHER_ROWS);
        most = Math.max(0, body.length - rows);
        top = Math.min(top, most);
        const place = most > 0 ? `lines ${top + 1}-${Math.min(body.length, top + rows)} of ${body.length} · arrows and space scroll · ` : '';
        const head = theme.fg('accent', theme.bold(`/context${report.view && ` ${report.view}`}`));
        return [head, ...body.slice(top, top + rows), theme.fg('dim', `${place}escape closes`)].map((line) => truncateToWidth(line, width));
      },
      handleInput(data: string): void {
        if (keys.matches(data, 'tui.select.cancel') || keys.matches(data, 'tui.select.confirm')) done();
        else if (keys.matches(data, 'tui.select.up')) step(-1);
        else if (keys.matches(data, 'tui.select.down')) step(1);
        else if (keys.matches(data, 'tui.editor.pageUp')) step(-rows);
        else if (keys.matches(data, 'tui.editor.pageDown') || matchesKey(data, 'space')) step(rows);
      },
      invalidate() {},
    };
  });
}

/** The widest that a column is padded to; a longer cell stands out rather than push the next one off the screen. */
const MOST_PADDED = 48;

/** A text, or a number with its unit. */
export type Cell = string | [number, string];

/** Rows as texts whose cells stand below each other; numbers stand to the right. */
export function columns(rows: Cell[][]): string[] {
  const widest = (at: number, of: (cell: Cell) => string) => Math.min(MOST_PADDED, Math.max(...rows.map((row) => of(row[at] ?? '').length)));
  const numbers = (rows[0] ?? []).map((_, at) => widest(at, (cell) => numberOf(cell)));
  const texts = (rows[0] ?? []).map((_, at) => widest(at, (cell) => textOf(cell)));
  const shown = (cell: Cell, at: number) => {
    const text = textOf(cell).padEnd(texts[at] ?? 0);
    return typeof cell === 'string' ? text : `${numberOf(cell).padStart(numbers[at] ?? 0)} ${text}`;
  };
  return rows.map((row) => row.map(shown).join('  ').trimEnd());
}

const textOf = (cell: Cell) => (typeof cell === 'string' ? cell : cell[1]);
const numberOf = (cell: Cell) => (typeof cell === 'string' ? '' : cell[0].toLocaleString('en'));

type Paint = Pick<Theme, 'fg'>;

/** Lines in two columns, none wider than the screen. What comes of a project cannot drive the terminal. */
export function lay(lines: Line[], width: number, theme: Paint, wrap: (text: string, width: number) => string[]): string[] {
  const column = Math.min(Math.max(0, ...lines.map(({ label }) => label?.length ?? 0)), Math.floor(width / 3));
  const indent = column > 0 ? column + 1 : 0;
  return lines.flatMap(({ label = '', text, tone }) =>
    wrap(visible(text), Math.max(1, width - indent)).map((piece, at) => {
      const head = at === 0 ? label.slice(0, column).padEnd(column) : ' '.repeat(column);
      return `${indent > 0 ? `${theme.fg('muted', head)} ` : ''}${tone ? theme.fg(tone, piece) : piece}`;
    }),
  );
}
