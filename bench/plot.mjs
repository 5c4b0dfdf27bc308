// Lines over a logarithmic plane, as SVG.

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [720, 420, 64, 48, 24, 230];
const COLORS = ['#1f77b4', '#7f7f7f', '#2ca02c', '#d62728'];

/** A plot of lines, each with a name and a positive value for each of `places`; both axes are logarithmic. */
export function plot(title, unit, places, lines) {
  const all = lines.flatMap(({ values }) => values);
  const [low, high] = [Math.floor(Math.log10(Math.min(...all))), Math.ceil(Math.log10(Math.max(...all)))];
  const scale = (value, from, to, start, end) => start + ((Math.log10(value) - from) / (to - from)) * (end - start);
  const x = (value) => scale(value, Math.log10(places[0]), Math.log10(places.at(-1)), LEFT, WIDTH - RIGHT).toFixed(1);
  const y = (value) => scale(value, low, high, HEIGHT - BOTTOM, TOP).toFixed(1);
  const text = (at, down, anchor, content, color = '#333') => `<text x="${at}" y="${down}" text-anchor="${anchor}" fill="${color}">${content}</text>`;
  const grid = Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step)).flatMap((value) => [
    `<path d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}" stroke="#ddd"/>`,
    text(LEFT - 8, y(value), 'end', value >= 1 ? value.toLocaleString('en') : value),
  ]);
  const ticks = places.map((place) => text(x(place), HEIGHT - BOTTOM + 20, 'middle', place.toLocaleString('en')));
  const drawn = lines.flatMap(({ name, values }, at) => {
    const points = values.map((value, place) => `${x(places[place])} ${y(value)}`);
    const dots = points.map((point) => `<circle cx="${point.split(' ')[0]}" cy="${point.split(' ')[1]}" r="3" fill="${COLORS[at]}"/>`);
    return [
      `<path d="M${points.join('L')}" fill="none" stroke="${COLORS[at]}" stroke-width="2"/>`,
      ...dots,
      text(WIDTH - RIGHT + 12, y(values.at(-1)), 'start', name, COLORS[at]),
    ];
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12">`;
  const body = [
    `<title>${title}</title>`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...grid,
    ...ticks,
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, 'middle', unit),
    ...drawn,
  ];
  return `${[head, ...body, '</svg>'].join('\n')}\n`;
}
