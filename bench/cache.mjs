// Prompt cache: `npm run bench:cache`.
//
// A session of 20 prompts in the real Pi, with edits by the model, against a model server that records every request: without the
// engine, with it, with quotations before the latest prompt alone, and with the tools of the model. `shared` is the share of a request's bytes that are the
// beginning of the one before it, which is what a provider's prompt cache can serve; tokens are those of whole requests, by the o200k vocabulary.

import { freshPlace, removePlace, report, startRpc, untilReady } from '../__test__/pi/host.ts';
import { startProvider } from '../__test__/pi/provider.ts';
import addon from '../index.js';

const PARTS = ['price', 'stock', 'order', 'invoice', 'customer', 'basket', 'coupon'];
const PROMPTS = 20;

const source = (part) =>
  Array.from(
    { length: 12 },
    (_, at) => `/** Step ${at} of the ${part}. */\nexport function ${part}Step${at}(net: number): number {\n  return net * ${at + 1}.19;\n}\n`,
  ).join('\n');
const files = Object.fromEntries(PARTS.map((part) => [`src/${part}.ts`, source(part)]));

/** The prompt at a place of the session: three files in turn, a look back at times; by turns in names, which few quotations answer, and in words. */
function promptAt(at) {
  const part = PARTS[(at % 3 === 2 ? at - 2 : at) % PARTS.length];
  if (at % 2 === 1) return `How do the steps of the ${part} change the net amount, and where would rounding go wrong?`;
  return `What does ${part}Step${at % 12} do, and how does it differ from ${part}Step${(at + 1) % 12}?`;
}

/** Every fifth prompt has the model edit a file. A model with tools of ours looks before it answers, where nothing was quoted for it. */
function repliesTo(at, looks) {
  const look = looks ? [{ toolCalls: [{ name: 'project_search', arguments: { query: promptAt(at) } }] }] : [];
  if (at % 5 !== 4) return [...look, { text: `It multiplies (${at}).` }];
  const part = PARTS[at % PARTS.length];
  const edits = [
    { oldText: `${part}Step3(net: number): number {\n  return net * 4.19`, newText: `${part}Step3(net: number): number {\n  return net * 4.${at}` },
  ];
  return [...look, { toolCalls: [{ name: 'edit', arguments: { path: `src/${part}.ts`, edits } }] }, { text: `Changed (${at}).` }];
}

function sharedPrefix(one, other) {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

async function run(contextEngine) {
  const provider = await startProvider(addon.countTokens);
  const place = freshPlace(files);
  const pi = startRpc({ place, providerUrl: provider.url, settings: { contextEngine } });
  try {
    if (contextEngine.mode !== 'off') await untilReady(pi);
    let quoted = 0;
    for (let at = 0; at < PROMPTS; at += 1) {
      provider.play(repliesTo(at, contextEngine.delivery === 'tools'));
      await pi.prompt(promptAt(at));
      if (contextEngine.mode !== 'off') quoted += (await report(pi, '/context')).lastAnswer?.snippets.length ?? 0;
    }
    // A provider puts the tools before the messages.
    const bodies = provider.raw.map((body) => {
      const { tools, messages } = JSON.parse(body);
      return [JSON.stringify(tools), ...messages.map((message) => JSON.stringify(message))].join('\n');
    });
    const tokens = await Promise.all(bodies.map((body) => addon.countTokens(body)));
    const shared = bodies.map((body, at) => (at === 0 ? 0 : sharedPrefix(bodies[at - 1], body)));
    const fresh = await Promise.all(bodies.map((body, at) => addon.countTokens(body.slice(shared[at]))));
    const whole = bodies.slice(1).filter((body, at) => body.startsWith(bodies[at])).length;
    const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
    // The first request has none before it.
    const later = sum(bodies.slice(1).map(({ length }) => length));
    return { requests: bodies.length, tokens: sum(tokens), fresh: sum(fresh), shared: sum(shared) / later, whole, quoted };
  } finally {
    await pi.close();
    await provider.close();
    removePlace(place);
  }
}

const RUNS = [
  ['off', { mode: 'off' }],
  ['on (context.placement "keep")', {}],
  ['on (context.placement "latest")', { context: { placement: 'latest' } }],
  ['on (delivery "both")', { delivery: 'both' }],
  ['on (delivery "tools")', { delivery: 'tools' }],
];
console.log(`| engine | requests | quotations | tokens sent | of them new | shared with the request before | requests that continue the one before |`);
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |');
for (const [name, settings] of RUNS) {
  const { requests, tokens, fresh, shared, whole, quoted } = await run(settings);
  const cells = [
    name,
    requests,
    quoted,
    tokens.toLocaleString('en'),
    fresh.toLocaleString('en'),
    `${(100 * shared).toFixed(1)} %`,
    `${whole} of ${requests - 1}`,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
