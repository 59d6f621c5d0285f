import { text, type Text } from '../../core/index.ts';
import { compactCount, fields, items, numberOf, stringOf, toolOutcomeOf, type Fields } from '../../timeline/index.ts';
import { jsonText } from '../json-text.ts';
import { contentLine, line, plain, textLength } from './words.ts';

export const PARSE_LIMIT = 1_000_000; // longer arguments are shown as they are

/** The arguments of a call as an object: parsed when they are a JSON object, undefined when they are not. */
export function argumentsOf(raw: unknown): Fields | undefined {
  if (typeof raw !== 'string') return typeof raw === 'object' && raw !== null ? fields(raw) : undefined;
  if (raw.length > PARSE_LIMIT) return undefined;
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined; // an object
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // models produce broken JSON; the text itself is shown then
    throw error;
  }
}

/** Arguments that say what a call is about, most telling first. */
const TELLING = [
  'command',
  'cmd',
  'file_path',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'objective',
  'action',
  'message',
  'name',
  'job_id',
  'id',
];

/** The one argument worth a line: the command, path, pattern or question of a call. */
export function keyArgument(name: string, raw: unknown): string {
  const args = argumentsOf(raw);
  if (!args) return line(typeof raw === 'string' ? raw : '');
  const path = stringOf(args['file_path']) ?? stringOf(args['path']);
  if (name === 'str_replace_editor' && path !== undefined) return line(`${stringOf(args['command']) ?? ''} ${path}`);
  const pattern = stringOf(args['pattern']);
  if (pattern !== undefined && path !== undefined) return line(`${pattern} · ${path}`);
  const offset = numberOf(args['offset']);
  if (path !== undefined && offset !== undefined) return line(`${path}:${offset}`);
  const todos = items(args['todos']);
  if (todos.length > 0) return line(stringOf(fields(currentTodo(todos))['content']) ?? '');
  for (const key of TELLING) {
    const value = args[key];
    if (typeof value === 'string' && value !== '') return line(value);
  }
  for (const value of Object.values(args)) {
    const list = listWords(value);
    if (list !== undefined) return line(list);
  }
  const others = Object.entries(args).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  const [, other] = others.find(([key]) => !/(?:^|_)id$/.test(key)) ?? others[0] ?? []; // an id says little
  if (other !== undefined) return line(other);
  return Object.keys(args).length === 0 ? '' : line(typeof raw === 'string' ? raw : jsonText(args));
}

/** A list of words as one; undefined for anything else. */
export function listWords(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every((item) => typeof item === 'string')) return undefined;
  return value.slice(0, 100).join(', ');
}

/** The item being worked on, else the first. */
function currentTodo(todos: readonly unknown[]): unknown {
  return todos.find((todo) => fields(todo)['status'] === 'in_progress') ?? todos[0];
}

/** Tools that run a program, whatever else their name says. */
const SHELLS = /(?:^|[^a-z])(?:bash|sh|zsh|shell|powershell|pwsh|cmd|command|terminal|exec|process|job|run)(?:$|[^a-z])/i;

/**
 * Whether a call, by the payload of its `tool/call`, runs a program, so that a code at the end of its output is an exit code. The text of
 * any other tool may end in whatever it was asked for: a script that is read ends in `exit 1`, a page that is fetched in `code 404`.
 */
function runsProgram(call: unknown): boolean {
  const { name, arguments: raw } = fields(call);
  if (SHELLS.test(stringOf(name) ?? '')) return true;
  const args = argumentsOf(raw) ?? {};
  const isFile = stringOf(args['file_path']) !== undefined || stringOf(args['path']) !== undefined;
  return !isFile && (stringOf(args['command']) ?? stringOf(args['cmd'])) !== undefined;
}

/** Exit code of a shell call: from the private data of its result, else from the notice at the end of its output. */
export function exitCodeOf(meta: unknown, content: readonly unknown[], call: unknown): number | undefined {
  const data = fields(meta);
  const stored = numberOf(data['exitCode']);
  if (stored !== undefined) return stored;
  if (!runsProgram(call)) return undefined;
  const code = numberOf(data['code']);
  if (code !== undefined) return code;
  const last = stringOf(fields(content[content.length - 1])['text']);
  const found =
    last === undefined
      ? null
      : /\b(?:exit(?:ed)?(?: with)?(?: code| status)?|code):? (-?\d+)\b[^\n]{0,20}\s*$/i.exec(last.slice(-120));
  return found ? Number(found[1]) : undefined;
}

/** The diffs a file tool keeps in its private data. */
export function diffsOf(meta: unknown): { readonly path: string; readonly before: string; readonly after: string }[] {
  return items(fields(meta)['diffs']).flatMap((item) => {
    const diff = fields(item);
    const before = stringOf(diff['oldText']);
    const after = stringOf(diff['newText']);
    if (before === undefined && after === undefined) return [];
    return [{ path: stringOf(diff['path']) ?? '', before: before ?? '', after: after ?? '' }];
  });
}

/** How a call ended, in two words. `data` is the payload of its result, `call` that of the call. */
export function outcomeNote(data: unknown, call: unknown): Text | undefined {
  const { content, isError, errorCode } = toolOutcomeOf(data);
  const meta = fields(data)['meta'];
  const exit = exitCodeOf(meta, content, call);
  if (exit !== undefined && exit !== 0) return text('exit {code}', { code: exit });
  if (isError) return errorCode === undefined ? text('failed') : text('failed: {code}', { code: line(errorCode, 60) });
  if (exit === 0) return text('exit {code}', { code: exit });
  return resultSize(data);
}

/** What a failed result says of the kind of its failure, if it does. */
export function failureCode(data: unknown, call: unknown): Text | undefined {
  const { content, errorCode } = toolOutcomeOf(data);
  const exit = exitCodeOf(fields(data)['meta'], content, call);
  if (exit !== undefined && exit !== 0) return text('exit {code}', { code: exit });
  return errorCode === undefined ? undefined : plain(line(errorCode, 60));
}

function resultSize(data: unknown): Text | undefined {
  const meta = fields(fields(data)['meta']);
  const total = numberOf(meta['total']);
  if (total !== undefined) return text('{count} found', { count: compactCount(total) });
  const lines = numberOf(meta['totalLines']);
  if (lines !== undefined) return lines === 1 ? text('1 line') : text('{count} lines', { count: compactCount(lines) });
  const changed = changedLines(meta);
  if (changed)
    return text('+{added} −{removed} lines', { added: compactCount(changed.added), removed: compactCount(changed.removed) });
  const size = textLength(toolOutcomeOf(data).content);
  if (size === 0) return undefined;
  return size === 1 ? text('1 character') : text('{count} characters', { count: compactCount(size) });
}

/** Lines a file tool added and removed, by its diffs without their common beginning and end. */
function changedLines(meta: Fields): { readonly added: number; readonly removed: number } | undefined {
  let added = 0;
  let removed = 0;
  const diffs = diffsOf(meta);
  for (const { before, after } of diffs) {
    if (before.length + after.length > PARSE_LIMIT) return undefined;
    const old = before === '' ? [] : before.split('\n');
    const now = after === '' ? [] : after.split('\n');
    let start = 0;
    while (start < old.length && start < now.length && old[start] === now[start]) start++;
    let end = 0;
    while (end < old.length - start && end < now.length - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
    added += now.length - start - end;
    removed += old.length - start - end;
  }
  return diffs.length === 0 ? undefined : { added, removed };
}

/** Lines that tell of a failure in the words tools and test runners use, and those that only seem to. */
const FAILING = /^\s*[✗✘✖×]|(?:error|exception|fail(?:ed|ing|ure)?|panic(?:ked)?|fatal|denied)\b|no such file|not found/i;
const PASSING = /^\s*(?:[✓✔√]|ok\b|pass(?:ed)?\b)|\b(?:0|no) (?:error|fail)/i;
/** Characters of a result in which the telling line is looked for. */
const TELLING_LENGTH = 100_000;

/** A failed result from its first line that says what failed, which is seldom the first of all; undefined where that is it, or none. */
function failingWords(content: readonly unknown[]): string | undefined {
  for (const item of content) {
    const words = (stringOf(fields(item)['text']) ?? '').slice(0, TELLING_LENGTH);
    let from = 0;
    for (const row of words.split('\n')) {
      if (FAILING.test(row.slice(0, 1000)) && !PASSING.test(row.slice(0, 1000)))
        return words.slice(0, from).trim() === '' ? undefined : `… ${line(words.slice(from, from + 2000))}`;
      from += row.length + 1;
    }
  }
  return undefined;
}

/** First words of what a tool answered, of a failure those that tell of it; of a goal tool, what the goal is, not the JSON around it. */
export function resultLine(data: unknown): string {
  const { content, isError } = toolOutcomeOf(data);
  const failing = isError ? failingWords(content) : undefined;
  if (failing !== undefined) return failing;
  const goal = fields(argumentsOf(content.length === 1 ? stringOf(fields(content[0])['text']) : undefined)?.['goal']);
  const objective = line(goal['objective']);
  if (objective === '') return contentLine(content);
  const phase = line(goal['phase'], 40);
  return phase === '' ? objective : line(`${objective} · ${phase}`);
}
