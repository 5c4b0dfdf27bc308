// What a commit's message asks for, and whether it asks for anything.

const MAX_CHARACTERS = 600;

/** The pictures that some projects begin a subject with, as `:name:` or as themselves, are no words of a request. */
const withoutPicture = (subject) => subject.replace(/^(?::\w+:|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F|\u200D|\s)+/u, '');

/** A merge, or the squash of one, is named after a branch. */
const isMerge = (subject) => /^(?:\w+: )?merge\b/i.test(subject);
/** A revert says what was done, not what to do. */
const isRevert = (subject) => /^(?:\w+: )?revert\b/i.test(subject);
/** A release or a version changes numbers and lists of changes. */
const isRelease = (subject) => /^(?:\w+: )?(?:release|prepare|bump|version)\b|version packages|\bchangelog\b|\bv?\d+\.\d+\.\d+\b|🔖|:bookmark:/iu.test(subject);
/** An update of dependencies is made by a tool. */
const isDependencies = (subject) => /^(?:upgrade|update dep|chore)|^\w+: upgrade\b|dependabot|⬆|:arrow_up:/iu.test(subject);
/** A format touches lines for their look. */
const isFormat = (subject) => /^(?:style|format)\b|\b(?:black|isort|prettier|rustfmt)\b|🎨|:art:/iu.test(subject);
/** A lint touches whatever lines a tool names. */
const isLint = (subject) => /\blint(?:s|ing|er)?\b|\b(?:clippy|eslint|flake8|pep8|pre-commit)\b|🚨|:rotating_light:/iu.test(subject);
/** Documentation in a source file changes nothing that the file does. */
const isDocs = (subject) => /\bdoc(?:s|strings?|ument\w*)?\b|\btypos?\b|📝|:memo:/iu.test(subject);
/** Tests are no source that the truth may hold. */
const isTests = (subject) => /^tests?\b|\btests?:|✅|:white_check_mark:/iu.test(subject);
/** What builds and checks a project is not its source. */
const isBuild = (subject) => /^(?:ci|build)\b|\bci:/i.test(subject);

const KINDS = [isMerge, isRevert, isRelease, isDependencies, isFormat, isLint, isDocs, isTests, isBuild];

/** Whether a subject tells of a change of what the source does. */
export const isChange = (subject) => !KINDS.some((is) => is(subject) || is(withoutPicture(subject)));

/** A trailer, or a line that only names what it closes, is for tools. */
const isTrailer = (line) => /^\s*(?:[\w-]+-by: .*|(?:fix|clos|resolv|ref|see)\w*:? +(?:(?:[\w./-]*#\d+|https?:\S+)[\s,.]*)+)$/i.test(line);
/** A list is of the commits that were squashed or of what the author must tick, and a heading is the template's. */
const isForm = (paragraph) => /^(?:\* |- \[|#+ )/.test(paragraph.trim());
/** A link leads out of the project. */
const withoutLinks = (text) => text.replace(/https?:\/\/\S+/g, '');
/** A number of an issue is in no source. */
const withoutNumbers = (text) => text.replace(/[\s,;(]*(?:\b(?:fix|clos|resolv|ref|see)\w*:? +)?[\w./-]*#\d+\)?/gi, '');
/** A name of a person says nothing of the change; `@scope/package` is no person. */
const withoutNames = (text) => text.replace(/(?<![\w`@])@[\w-]+(?![\w/-])/g, '');
/** A path of a file would be the answer. */
const withoutPaths = (text) => text.replace(/[\w.@-]*(?:\/[\w.-]+)+\.[a-z]{1,4}\b/gi, '');

/** The subject and the first paragraph of a message, cleaned of what no developer would ask with. */
export function requestOf(subject, body) {
  const lines = body.split('\n').filter((line) => !isTrailer(line));
  const paragraphs = lines.join('\n').split(/\n\s*\n/);
  const first = paragraphs.find((paragraph) => paragraph.trim() && !isForm(paragraph)) ?? '';
  const text = withoutPaths(withoutNames(withoutNumbers(withoutLinks(`${withoutPicture(subject)} ${first}`))));
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_CHARACTERS);
}

/** Fewer than three words say nothing; Han text has no spaces between them. */
export const isEnough = (request) => request.split(' ').length >= 3 || /\p{sc=Han}{4}/u.test(request);
