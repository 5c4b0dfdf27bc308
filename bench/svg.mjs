// A terminal's screen as a picture: text with the escape sequences of its colours in, SVG out.

const BASIC = ['#282c34', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#abb2bf'];
const BRIGHT = ['#5c6370', '#ef7a85', '#a9d488', '#f0cf8a', '#74bbf5', '#d48ae8', '#66c9d6', '#ffffff'];
const PAPER = '#1e2127';
const INK = '#d7dae0';
const [WIDTH, HEIGHT, MARGIN] = [8.4, 18, 14];

/** A colour of the 256: 16 named, a cube of six levels, and 24 greys. */
function indexed(at) {
  if (at < 8) return BASIC[at];
  if (at < 16) return BRIGHT[at - 8];
  const levels =
    at < 232
      ? [Math.floor((at - 16) / 36), Math.floor((at - 16) / 6) % 6, (at - 16) % 6].map((level) => (level ? 55 + level * 40 : 0))
      : Array(3).fill(8 + (at - 232) * 10);
  return hex(levels);
}
const hex = (parts) => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

/** Applies one sequence of display attributes. */
function restyle(style, codes) {
  const next = { ...style };
  const queue = codes.length > 0 ? [...codes] : [0];
  while (queue.length > 0) {
    const code = queue.shift();
    if (code === 0) for (const key of Object.keys(next)) delete next[key];
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 7) next.inverse = true;
    else if (code === 22) next.bold = next.dim = false;
    else if (code === 23) next.italic = false;
    else if (code === 24) next.underline = false;
    else if (code === 27) next.inverse = false;
    else if (code === 39) next.ink = undefined;
    else if (code === 49) next.paper = undefined;
    else if (code === 38 || code === 48) next[code === 38 ? 'ink' : 'paper'] = queue.shift() === 5 ? indexed(queue.shift()) : hex(queue.splice(0, 3));
    else if (code >= 30 && code <= 37) next.ink = BASIC[code - 30];
    else if (code >= 40 && code <= 47) next.paper = BASIC[code - 40];
    else if (code >= 90 && code <= 97) next.ink = BRIGHT[code - 90];
    else if (code >= 100 && code <= 107) next.paper = BRIGHT[code - 100];
  }
  return next;
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** One line as runs of one style each. */
function runsOf(line, before) {
  const runs = [];
  let style = before;
  let column = 0;
  for (const [at, part] of line.split('\u001b[').entries()) {
    const [, codes, text] = at === 0 ? [undefined, undefined, part] : (/^([\d;]*)m(.*)$/.exec(part) ?? []);
    if (codes !== undefined) style = restyle(style, codes.split(';').filter(Boolean).map(Number));
    if (text) runs.push({ column, text, style });
    column += [...(text ?? '')].length;
  }
  return { runs, style, columns: column };
}

/** The picture of a screen, with a title for who cannot see it. Empty lines at its end are left out. */
export function toSvg(screen, title) {
  const lines = screen.trimEnd().split('\n');
  let style = {};
  let columns = 0;
  const drawn = lines.flatMap((line, row) => {
    const read = runsOf(line, style);
    style = read.style;
    columns = Math.max(columns, read.columns);
    return read.runs.map(({ column, text, style: { inverse, ...at } }) => {
      const [ink, paper] = inverse ? [at.paper ?? PAPER, at.ink ?? INK] : [at.ink ?? INK, at.paper];
      const [x, y, width] = [MARGIN + column * WIDTH, MARGIN + row * HEIGHT, [...text].length * WIDTH].map((value) => Number(value.toFixed(1)));
      const look = [
        ink === INK ? '' : ` fill="${ink}"`,
        at.bold ? ' font-weight="bold"' : '',
        at.italic ? ' font-style="italic"' : '',
        at.underline ? ' text-decoration="underline"' : '',
        at.dim ? ' opacity="0.7"' : '',
      ].join('');
      const back = paper ? `<rect x="${x}" y="${y}" width="${width}" height="${HEIGHT}" fill="${paper}"/>` : '';
      const words = text.trim() ? `<text x="${x}" y="${y + 13}" textLength="${width}"${look}>${escaped(text)}</text>` : '';
      return back + words;
    });
  });
  const [width, height] = [Math.ceil(columns * WIDTH + 2 * MARGIN), lines.length * HEIGHT + 2 * MARGIN];
  const font = 'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14" xml:space="preserve"';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>`,
    `<g ${font} fill="${INK}">`,
    ...drawn.filter(Boolean),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}
