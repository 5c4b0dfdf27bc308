// Which definitions of ctags `npm run bench:symbols` leaves out, each rule with the reason that is printed.
//
// What stands at a place is told by a bare tree of the grammar (`examples/tokens.rs`), not by what the engine found. `choices` name true
// declarations that are none for us on purpose; `mistakes` name what ctags takes for a declaration and is none. What no rule names is missed.

const words = (text) => new Set(text.trim().split(/\s+/));

/** Kinds of nodes that have locals, in all grammars. */
const FUNCTIONS = words(`
  function_definition function_declaration function_item closure_expression generator_function_declaration function_expression generator_function
  arrow_function method_definition class_static_block method_declaration func_literal constructor_declaration compact_constructor_declaration
  static_initializer lambda_expression lambda lambda_literal anonymous_method_expression anonymous_function local_function_statement
  accessor_declaration operator_declaration conversion_operator_declaration destructor_declaration method singleton_method getter setter
  secondary_constructor anonymous_initializer compound_statement`);
/** Kinds of nodes that have members. */
const CONTAINERS = words(`
  class_definition class_declaration class abstract_class_declaration interface_declaration enum_declaration object_type struct_item union_item
  enum_item trait_item impl_item mod_item struct_type interface_type class_body enum_class_body struct_specifier class_specifier union_specifier
  enum_specifier struct_declaration record_declaration trait_declaration singleton_class module`);
/** Kinds of nodes that name what other files declare, and the package of a file. */
const IMPORTS = words(`
  import_statement import_declaration import_from_statement import_header import using_directive export_clause package_clause`);
/** Fields that hold the name of what is declared, or the pattern or declarator that holds it. */
const NAME_FIELDS = words('name declarator pattern left key alias parameter');
/** Nodes whose field of such a name holds something else. */
const NAMELESS = words(`
  nested_type_identifier nested_identifier generic_type qualified_name scoped_identifier method_invocation jsx_opening_element
  jsx_self_closing_element jsx_closing_element function_call binary_expression augmented_assignment_expression type_predicate conditional_type
  type_parameter_constraint`);
/** Nodes that declare the names that they hold without a field. */
const PATTERNS = words(`
  array_pattern object_pattern rest_pattern formal_parameters variable_declaration class_parameter parameter`);
/** Kinds of tokens that name a type, and nodes around those that do. */
const TYPES = words('type_identifier primitive_type this_type predefined_type');
const IN_TYPES = words(`
  nested_type_identifier generic_type type_query type_arguments tuple_type function_type type_predicate conditional_type impl_item reference_type
  type_parameter_constraint`);
/** Kinds of tokens that are values and no names. */
const LITERALS = words(`
  string_fragment string_content string_literal number number_literal regex_flags regex_pattern true false null undefined this comment
  boolean_literal`);
/** Nodes that hold text which is no source. */
const HOLDERS = words('string_fragment string_content string_literal string heredoc_content heredoc_body regex_pattern template_string');
/** Nodes whose tokens are values, and fields of others that hold a value. */
const EXPRESSIONS = words(`
  member_expression call_expression arguments binary_expression unary_expression update_expression subscript_expression ternary_expression array
  return_statement as_expression satisfies_expression template_substitution spread_element parenthesized_expression await_expression
  computed_property_name nested_identifier argument_list pointer_expression field_expression expression_list
  navigation_expression annotation_type_element_declaration new_expression non_null_expression function_call dot_index_expression
  bracket_index_expression if_statement switch_case`);
const VALUE_FIELDS = words('value right body object function index argument condition consequence alternative');

const kindOf = (step = '') => step.split(':')[0];
const fieldOf = (step = '') => step.split(':')[1];

/** What a token is: `declared`, `keyword`, `literal`, `type`, `value`, or nothing that is known. */
function roleOf({ fixed, same, up }) {
  const around = kindOf(up[1]);
  const isName = up.slice(0, same).some((step, index) => NAME_FIELDS.has(fieldOf(step)) && !NAMELESS.has(kindOf(up[index + 1])));
  if (fixed) return 'keyword';
  if (around === 'ERROR' || around === 'destructor_name' || kindOf(up[0]) === 'destructor_name') return undefined;
  if (around === 'qualified_identifier') return fieldOf(up[1]) === 'function' ? 'value' : 'declared';
  if (up[1] === 'member_expression:left' && fieldOf(up[0]) === 'property' && kindOf(up[2]) === 'assignment_expression') return 'declared';
  if (LITERALS.has(kindOf(up[0])) && !isName) return 'literal';
  if (isName || (PATTERNS.has(around) && /identifier/.test(kindOf(up[0])))) return 'declared';
  if (TYPES.has(kindOf(up[0])) || IN_TYPES.has(around)) return 'type';
  if (EXPRESSIONS.has(around) || VALUE_FIELDS.has(fieldOf(up[0]))) return 'value';
  return undefined;
}

/** The kind of a scope: `f` of a function, `m` of members, `o` of an object, `t` of a nameless type, `i` of imports. */
function scopeOf(step, next) {
  const kind = kindOf(step);
  if (IMPORTS.has(kind)) return 'i';
  if (FUNCTIONS.has(kind)) return 'f';
  if (kind === 'object_type' && kindOf(next) !== 'type_alias_declaration') return 't';
  if (CONTAINERS.has(kind)) return 'm';
  return kind === 'object' ? 'o' : undefined;
}

/** The name of a definition without those around it. */
export function bareName(tag) {
  return tag.name.split(/::|[.:\\]/).pop();
}

/** What a line says of a name. */
function read(language, tag, { inside, tokens }, lines) {
  const line = lines[tag.line - 1] ?? '';
  const bare = bareName(tag);
  const roles = tokens.map(roleOf);
  const token = tokens[Math.max(0, roles.indexOf('declared'))];
  const up = token?.up ?? [];
  const scope = up.findIndex((step, index) => index > 0 && scopeOf(step, up[index + 1]));
  const column = token?.column ?? line.lastIndexOf(bare);
  return {
    language,
    line,
    linesBefore: lines.slice(0, tag.line - 1),
    inside,
    isWord: new RegExp(`(?<![\\w$])${bare.replace(/[^\w]/g, '\\$&')}(?![\\w$])`).test(line),
    roles,
    column,
    before: line.slice(0, Math.max(0, column)),
    after: line.slice(column + bare.length),
    is: roles.includes('declared') ? 'declared' : undefined,
    scope: scopeOf(up[scope], up[scope + 1]),
    // The nodes around the name up to the scope that it stands in.
    around: up.slice(1, scope < 0 ? undefined : scope).map(kindOf),
    holder: up[1] ?? '',
  };
}

const c = ['c', 'cpp'];
const script = ['javascript', 'typescript'];
const VARIABLES = words('variable constant local alias typealias field class property');
const isVariable = (kind) =>
  /^(variable_declarator|lexical_declaration|variable_declaration|for_in_statement|for_statement|declaration|init_declarator|property_declaration|let_declaration|using_declaration)$/.test(
    kind,
  );

/** Reason, languages (all without a list), and whether it holds for a tag and what its line says. */
const choices = [
  ['imports and package clauses', undefined, (_, at) => at.scope === 'i'],
  ['imports and package clauses', ['python'], (tag) => ['namespace', 'module', 'unknown'].includes(tag.kind)],
  ['imports and package clauses', ['java', 'kotlin', 'go', 'php'], (tag) => ['package', 'packageName'].includes(tag.kind)],
  [
    'nameless companion objects, whose members are their class’s',
    ['kotlin'],
    (tag, at) => tag.name === 'Companion' && /\bcompanion object\b(?!\s+Companion)/.test(at.line),
  ],
  ['descriptions of tests', ['ruby'], (tag) => ['describe', 'context', 'it'].includes(tag.kind)],
  ['labels of here-documents', ['bash'], (tag) => tag.kind === 'heredoc'],
  ['the name _', undefined, (tag) => tag.name === '_'],
  ['explicit instantiations', ['cpp'], (_, at) => /^\s*(extern\s+)?template\s+(?!<)/.test(at.line)],
  ['type parameters', undefined, (_, at) => at.is === 'declared' && kindOf(at.holder) === 'type_parameter'],
  [
    'parameters',
    undefined,
    (_, at) => at.is === 'declared' && at.around.some((kind) => /^(formal_parameters|parameter_list|.*_parameter|parameter)$/.test(kind)),
  ],
  [
    'locals of functions',
    undefined,
    (tag, at) =>
      at.is === 'declared' && at.scope === 'f' && (VARIABLES.has(tag.kind) || kindOf(at.holder) === 'variable_declaration') && at.around.some(isVariable),
  ],
  ['variables of loops', script, (_, at) => at.is === 'declared' && kindOf(at.holder) === 'for_in_statement'],
  ['members of nameless types', ['typescript'], (_, at) => at.is === 'declared' && at.scope === 't'],
  [
    'data in objects',
    script,
    (tag, at) =>
      ['property', 'field', 'class', 'constant'].includes(tag.kind) &&
      at.scope === 'o' &&
      /^["']?\]?\s*(:(?!\s*(async\s+)?(function\b|\(|\w+\s*=>))|,|\}|$)/.test(at.after),
  ],
];

/** The same for what is no declaration. */
const mistakes = [
  [
    'names that ctags makes up',
    undefined,
    (tag, at) => /^(__anon[0-9a-f]+|Anonymous(Function|Class)[0-9a-f]+|<lambda>|<init>)$/.test(tag.name) && at.column < 0,
  ],
  ['arrays that are given to a variable, taken for functions', ['bash'], (tag, at) => tag.kind === 'function' && /=$/.test(tag.name) && /^\(/.test(at.after)],
  ['lines that do not hold the name', undefined, (_, at) => at.column < 0],
  [
    'macros that are called where declarations stand',
    c,
    (tag, at) => tag.kind !== 'macro' && /^[A-Z][A-Z0-9_]+$/.test(bareName(tag)) && /^\s*\(/.test(at.after),
  ],
  ['types before a name in brackets', c, (tag, at) => ['prototype', 'function'].includes(tag.kind) && /^\s+\(\w+\)\s*\(/.test(at.after)],
  ['module.exports, which has the name of what it is given', ['javascript'], (tag) => bareName(tag) === 'exports'],
  [
    'variables and members of other objects that are given a value',
    script,
    (_, at) =>
      at.is === 'declared' &&
      at.scope === 'f' &&
      (/^assignment_expression/.test(at.holder) || (at.holder === 'member_expression:left' && !/\bthis\.$/.test(at.before))),
  ],
  [
    'fields that are given another value',
    script,
    (tag, at) => at.holder === 'member_expression:left' && at.linesBefore.some((line) => new RegExp(`\\bthis\\.${bareName(tag)}\\s*=[^=]`).test(line)),
  ],
  ['pieces of expressions', ['javascript', 'lua'], (tag) => /[`{}|"]/.test(tag.name)],
  ['variables that are given what a call makes, taken for functions', ['lua'], (tag, at) => tag.kind === 'function' && /^\s*=(?!\s*function\b)/.test(at.after)],
  ['parts of words and of literals', undefined, (_, at) => at.roles.length === 0 && (!at.isWord || HOLDERS.has(at.inside))],
  ['words of the language', undefined, (_, at) => at.roles.length > 0 && at.roles.every((role) => role === 'keyword')],
  ['literals', undefined, (_, at) => at.roles.length > 0 && at.roles.every((role) => ['keyword', 'literal'].includes(role))],
  ['types where they are used', undefined, (_, at) => at.roles.length > 0 && at.roles.every((role) => ['keyword', 'literal', 'type'].includes(role))],
  [
    'values where they are used',
    undefined,
    // A call that a line of C starts with may be a function that the grammar took for one.
    (_, at) =>
      at.roles.length > 0 && (at.column > 0 || !c.includes(at.language)) && at.roles.every((role) => ['keyword', 'literal', 'type', 'value'].includes(role)),
  ],
];

/** Why a definition of ctags is left out, and whether it is a mistake; `undefined` if it is missed. */
export function leftOut(language, tag, place, lines) {
  const at = read(language, tag, place, lines);
  const rule = (rules) => rules.find(([, languages, holds]) => (languages?.includes(language) ?? true) && holds(tag, at))?.[0];
  const choice = rule(choices);
  if (choice) return { why: choice, isMistake: false };
  const mistake = rule(mistakes);
  return mistake && { why: mistake, isMistake: true };
}
