import { text, type StoredEvent, type Text } from '../../core/index.ts';
import type { Section } from '../../protocol/index.ts';
import { durationText, fields, items, numberOf, stringOf, toolOutcomeOf, type Fields } from '../../timeline/index.ts';
import { jsonText } from '../json-text.ts';
import { argumentsOf, diffsOf, exitCodeOf, listWords, PARSE_LIMIT } from '../labels/tool-call.ts';
import { line } from '../labels/words.ts';
import { contentSections } from './blocks.ts';
import { code, diff, Facts, json, moreNote, words, wordsOf } from './bounds.ts';

/** Diffs of one card. */
const DIFFS = 50;
/** Points of one list. */
const POINTS = 500;

/**
 * A call with its result, in the shape of the tool that ran: command and exit code, file and diff, question and answer.
 * Tools are known by name and by the arguments they take; anything else shows its arguments as JSON. `isRunning`: there will be a result.
 */
export function toolCard(call: StoredEvent | undefined, result: StoredEvent | undefined, isRunning = false): Section[] {
  const data = fields(call?.data);
  const name = stringOf(data['name']) ?? '';
  const args = argumentsOf(data['arguments']);
  const meta = fields(fields(result?.data)['meta']);
  const sections = args ? argumentSections(name, args, meta) : rawArguments(data['arguments']);
  if (!result) {
    const note = isRunning ? text('The call is still running') : text('No result is recorded for this call');
    return call ? [...sections, { kind: 'note', tone: 'info', text: note }] : sections;
  }
  return [...sections, ...resultSections(result, call, name)];
}

function argumentSections(name: string, args: Fields, meta: Fields): Section[] {
  const path = stringOf(args['file_path']) ?? stringOf(args['path']) ?? '';
  const command = stringOf(args['command']);
  if (command !== undefined && path === '') return shell(command, args);
  const changes = fileChanges(args, meta, path);
  if (changes.length > 0) return changes;
  if (items(args['todos']).length > 0) return todos(args['todos'], text('Todo list'));
  const prompt = stringOf(args['prompt']);
  if (prompt !== undefined) return [...otherFacts(args, ['prompt']), words(prompt, { heading: text('Prompt'), markdown: true })];
  return isFlat(args) ? [...otherFacts(args, longOf(args)), ...longTexts(args)] : [json(args, text('Arguments'))];
}

function shell(command: string, args: Fields): Section[] {
  return [code(command, { heading: text('Command'), language: 'shellscript' }), ...otherFacts(args, ['command'])];
}

/** What a file tool changed: the diffs it kept, else what its arguments say. */
function fileChanges(args: Fields, meta: Fields, path: string): Section[] {
  const kept = diffsOf(meta);
  if (kept.length > 0) return [...fileFacts(args, path), ...someDiffs(kept, (d) => diff(d.path || path, d.before, d.after))];
  const edits = items(args['edits']).map(fields);
  if (edits.length > 0 && edits.every(isEdit))
    return [...fileFacts(args, path), ...someDiffs(edits, (edit) => replaced(edit, path))];
  if (stringOf(args['old_string']) !== undefined || stringOf(args['old_str']) !== undefined)
    return [...fileFacts(args, path), replaced(args, path)];
  const content = stringOf(args['content']) ?? stringOf(args['file_text']);
  return content !== undefined && path !== '' ? [...fileFacts(args, path), diff(path, '', content)] : [];
}

function someDiffs<T>(all: readonly T[], show: (one: T) => Section): Section[] {
  return [...all.slice(0, DIFFS).map(show), ...moreNote(all.length - DIFFS)];
}

/** Whether an edit says what it replaces or by what; anything else is shown as it was written. */
function isEdit(edit: Fields): boolean {
  return ['old_string', 'new_string', 'old_str', 'new_str'].some((key) => stringOf(edit[key]) !== undefined);
}

function replaced(edit: Fields, path: string): Section {
  const before = stringOf(edit['old_string']) ?? stringOf(edit['old_str']) ?? '';
  const after = stringOf(edit['new_string']) ?? stringOf(edit['new_str']) ?? '';
  return diff(stringOf(edit['file_path']) ?? path, before, after);
}

const CONTENT_KEYS = ['edits', 'old_string', 'new_string', 'old_str', 'new_str', 'content', 'file_text'];

function fileFacts(args: Fields, path: string): Section[] {
  const rest = otherFacts(args, [...CONTENT_KEYS, 'path', 'file_path']);
  return [...new Facts().add(text('File'), line(path, 1000)).sections(), ...rest];
}

/** Every remaining argument as a fact, by its own name. */
function otherFacts(args: Fields, without: readonly string[]): Section[] {
  const facts = new Facts();
  for (const [key, value] of Object.entries(args)) {
    if (without.includes(key)) continue;
    const shown = typeof value === 'string' ? wordsOf(value, 2000) : line(listWords(value) ?? jsonText(value), 2000);
    facts.add(text('{value}', { value: line(key, 80) }), shown);
  }
  return facts.sections();
}

/** Words, numbers and lists of words: what can be shown without JSON. */
function isFlat(args: Fields): boolean {
  return Object.values(args).every(
    (value) => typeof value !== 'object' || (Array.isArray(value) && value.every((item) => typeof item === 'string')),
  );
}

function longOf(args: Fields): string[] {
  return Object.entries(args).flatMap(([key, value]) =>
    typeof value === 'string' && (value.length > 300 || value.includes('\n')) ? [key] : [],
  );
}

/** A plan, a message, a script: each under its own name. */
function longTexts(args: Fields): Section[] {
  return longOf(args).map((key) => {
    const heading = key === 'plan' ? text('Plan') : text('{value}', { value: line(key, 80) });
    const value = stringOf(args[key]) ?? '';
    return /^(?:script|code|source|patch)$/.test(key) ? code(value, { heading }) : words(value, { heading, markdown: true });
  });
}

function rawArguments(raw: unknown): Section[] {
  if (typeof raw !== 'string') return raw === undefined ? [] : [json(raw, text('Arguments'))];
  if (raw === '') return [];
  const why =
    raw.length > PARSE_LIMIT
      ? text('The arguments are too long to be taken apart; this is the text the model produced')
      : text('The arguments are not a JSON object; this is the text the model produced');
  return [
    { kind: 'note', tone: raw.length > PARSE_LIMIT ? 'info' : 'warning', text: why },
    code(raw, { heading: text('Arguments') }),
  ];
}

/** A todo list as a checklist. */
export function todos(value: unknown, heading?: Text): Section[] {
  const all = items(value);
  const list = all.slice(0, POINTS).map(fields);
  return [
    {
      kind: 'checklist',
      ...(heading ? { heading } : {}),
      items: list.map((todo) => ({
        text: line(todo['content'] ?? todo['text'], 1000),
        state: todo['status'] === 'completed' || todo['status'] === 'in_progress' ? todo['status'] : 'pending',
      })),
    },
    ...moreNote(all.length - POINTS),
  ];
}

function resultSections(result: StoredEvent, call: StoredEvent | undefined, name: string): Section[] {
  const { content, isError, errorCode } = toolOutcomeOf(result.data);
  const data = fields(result.data);
  const meta = data['meta'];
  const error = fields(data['error']);
  const exit = exitCodeOf(meta, content, call?.data);
  const facts = new Facts()
    .add(text('Exit code'), exit)
    .add(text('Error'), errorCode === undefined ? undefined : line(`${line(error['name'], 80)} ${errorCode}`, 200))
    .add(text('Reason'), line(error['reason'], 1000))
    .add(text('Took'), call && Number.isFinite(result.time - call.time) ? durationText(result.time - call.time) : undefined)
    .add(text('Found'), numberOf(fields(meta)['total']))
    .add(text('Lines'), numberOf(fields(meta)['totalLines']));
  const failed = isError || (exit !== undefined && exit !== 0);
  const heading = failed ? text('Failed result') : text('Result');
  const shown = contentSections(content, /subagent|report/.test(name) ? 'prose' : 'output', heading).map((section) =>
    failed && section.kind === 'code' ? { ...section, tone: 'error' as const } : section,
  );
  if (shown.length === 0) shown.push({ kind: 'note', tone: 'info', text: text('The result is empty') });
  return [...facts.sections(), ...shown];
}
