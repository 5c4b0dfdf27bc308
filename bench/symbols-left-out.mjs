// What `npm run bench:symbols` leaves out on purpose: definitions of ctags that are none for us, each rule with the reason that is printed.
//
// Where something stands is judged by a bare tree of the grammar, not by what the engine found.

/** The last rule: it could hide what a bare tree has no name field for, so the table counts it by itself. */
export const UNDECLARED = 'uses and keywords: the grammar sees nothing of that name declared on the line';

/** What has only locals inside it. */
const LOCALS = ['variable', 'constant', 'local', 'alias', 'typealias'];

/** The kind of the innermost scope around a place, and of the one around that. */
function scopesAt(file, line, column) {
  const around = file.scopes.filter(
    ([, [first, from, last, to]]) => (first < line || (first === line && from < column)) && (line < last || (line === last && column < to)),
  );
  return around.map(([kind]) => kind).reverse();
}

/** What a line says of a name. */
function read(tag, file, source) {
  const line = source[tag.line - 1] ?? '';
  const bare = tag.name.split(/::|[.:\\]/).pop();
  // Where it is given a value; else the last one, as a call of the same name may stand before it.
  const given = new RegExp(`(?<![\\w$])${bare.replace(/[^\w]/g, '\\$&')}(?=["']?\\]?\\s*[:=(](?!=))`).exec(line);
  const column = given?.index ?? line.lastIndexOf(bare);
  const is = (text) => text === bare || text === `"${bare}"` || text === `'${bare}'`;
  return {
    line,
    bare,
    column,
    before: line.slice(0, Math.max(0, column)),
    after: line.slice(column + bare.length),
    scopes: scopesAt(file, tag.line, column),
    isDeclared: file.declared.some(([at, text]) => at === tag.line && is(text)),
    isBroken: file.broken.some(([first, last]) => first <= tag.line && tag.line <= last),
  };
}

const c = ['c', 'cpp'];
const script = ['javascript', 'typescript'];

/** Reason, languages (all without a list), and whether it holds for a tag and what its line says. */
const rules = [
  [
    'names that ctags makes up',
    undefined,
    (tag, at) => /^(__anon[0-9a-f]+|Anonymous(Function|Class)[0-9a-f]+|<lambda>|<init>)$/.test(tag.name) && at.column < 0,
  ],
  [
    'nameless companion objects, whose members are their class’s',
    ['kotlin'],
    (tag, at) => tag.name === 'Companion' && /\bcompanion object\b(?!\s+Companion)/.test(at.line),
  ],
  ['imports and package clauses', undefined, (_, at) => at.scopes[0] === 'i'],
  ['imports and package clauses', ['python'], (tag) => ['namespace', 'module', 'unknown'].includes(tag.kind)],
  ['imports and package clauses', ['java', 'kotlin', 'go', 'php'], (tag) => ['package', 'packageName'].includes(tag.kind)],
  ['descriptions of tests', ['ruby'], (tag) => ['describe', 'context', 'it'].includes(tag.kind)],
  ['labels of here-documents', ['bash'], (tag) => tag.kind === 'heredoc'],
  ['assignments of arrays, which ctags takes for functions', ['bash'], (tag, at) => tag.kind === 'function' && /=$/.test(tag.name) && /^\(/.test(at.after)],
  ['the name _', undefined, (tag) => tag.name === '_'],
  ['not on that line', undefined, (_, at) => at.column < 0],
  ['explicit instantiations', ['cpp'], (_, at) => /^\s*(extern\s+)?template\s+(?!<)/.test(at.line)],
  ['names of macros that are called where declarations stand', c, (_, at) => /^[A-Z][A-Z0-9_]+$/.test(at.bare) && /^\s*\(/.test(at.after)],
  ['module.exports, which has the name of what it is given', ['javascript'], (_, at) => at.bare === 'exports'],
  ['parameters', ['csharp'], (tag, at) => tag.kind === 'field' && at.scopes[0] === 'f'],
  ['locals of functions', undefined, (tag, at) => LOCALS.includes(tag.kind) && at.scopes[0] === 'f'],
  [
    'locals of functions',
    ['javascript'],
    (tag, at) =>
      ['field', 'class', 'property'].includes(tag.kind) &&
      at.scopes[0] === 'f' &&
      (/\b(const|let|var)\s+$/.test(at.before) || (at.before.trim() === '' && /^\s*=[^=]/.test(at.after))),
  ],
  ['members of nameless types', ['typescript'], (_, at) => at.scopes[0] === 't'],
  [
    'data in objects',
    script,
    (tag, at) =>
      ['property', 'field', 'class', 'constant'].includes(tag.kind) &&
      at.scopes[0] === 'o' &&
      /^["']?\]?\s*(:(?!\s*(async\s+)?(function\b|\(|\w+\s*=>))|,|\})/.test(at.after),
  ],
  [UNDECLARED, undefined, (_, at) => !at.isDeclared && !at.isBroken],
];

/** Why a definition of ctags is left out on purpose; `undefined` if it is not. */
export function leftOut(language, tag, file, source) {
  const at = read(tag, file, source);
  return rules.find(([, languages, holds]) => (languages?.includes(language) ?? true) && holds(tag, at))?.[0];
}
