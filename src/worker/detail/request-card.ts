import { text, type StoredEvent, type Text } from '../../core/index.ts';
import type { Section } from '../../protocol/index.ts';
import { fields, items, messageOf, NONE, numberOf, stringOf, type Fields } from '../../timeline/index.ts';
import { compactCount } from '../labels/numbers.ts';
import { line, routeLine } from '../labels/words.ts';
import type { LoadedLog } from '../loaded.ts';
import { code, Facts, json, words } from './bounds.ts';

const TOOLS = 150;

/** Settings, changes against the request before, system prompt and tools of a request header. */
export function requestCard(loaded: LoadedLog, event: StoredEvent): Section[] {
  const header = fields(fields(event.data)['header']);
  const { index } = loaded.timeline;
  const before = fields(fields(loaded.event(loaded.latestBefore(index.headers, event.seq))?.data)['header']);
  const hasBefore = loaded.latestBefore(index.headers, event.seq) !== NONE;
  const route = fields(loaded.event(loaded.latestBefore(index.contexts, event.seq + 2))?.data);
  return [
    ...settings(header, fields(event.data), route).sections(text('Settings')),
    ...(hasBefore ? changes(before, header) : []),
    ...systemPrompt(loaded, header, event.seq),
    ...toolSections(header),
  ];
}

function settings(header: Fields, data: Fields, route: Fields): Facts {
  const config = fields(header['config']);
  const defaults = fields(header['adapterDefaults']);
  const from = (key: string, value: string): Text | string =>
    defaults[key] === true ? text('{value} (adapter default)', { value }) : value;
  const facts = new Facts().add(text('Provider'), line(config['provider'])).add(text('Model'), line(config['model']));
  const effort = line(config['reasoningEffort'], 40);
  if (effort !== '') facts.add(text('Reasoning effort'), from('reasoningEffort', effort));
  const limit = numberOf(config['maxTokens']);
  if (limit !== undefined) facts.add(text('Output limit'), from('maxTokens', String(limit)));
  facts.add(text('Temperature'), numberOf(config['temperature']));
  if (items(config['stop']).length > 0) facts.add(text('Stop'), line(JSON.stringify(config['stop'])));
  const window = numberOf(route['contextWindow']);
  return facts
    .add(text('Route'), routeLine(route))
    .add(text('Context window'), window === undefined ? undefined : compactCount(window))
    .add(text('Reason'), line(data['reason'], 40));
}

function changes(before: Fields, after: Fields): Section[] {
  const facts = new Facts();
  const was = fields(before['config']);
  const is = fields(after['config']);
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const old = JSON.stringify(was[key]);
    const now = JSON.stringify(is[key]);
    if (old !== now)
      facts.add(
        text('{value}', { value: line(key, 80) }),
        text('{before} → {after}', { before: line(old ?? '–', 200), after: line(now ?? '–', 200) }),
      );
  }
  const oldTools = toolMap(before);
  const newTools = toolMap(after);
  const added = [...newTools.keys()].filter((name) => !oldTools.has(name));
  const removed = [...oldTools.keys()].filter((name) => !newTools.has(name));
  const altered = [...newTools.keys()].filter((name) => oldTools.has(name) && oldTools.get(name) !== newTools.get(name));
  facts
    .add(text('Tools added'), line(added.join(', '), 2000))
    .add(text('Tools removed'), line(removed.join(', '), 2000))
    .add(text('Tools changed'), line(altered.join(', '), 2000));
  const systemChanged = (before['system'] ?? '') !== (after['system'] ?? '');
  if (systemChanged) facts.add(text('System prompt'), text('changed'));
  const sections = facts.sections(text('Changed since the request before'));
  return sections.length > 0
    ? sections
    : [{ kind: 'note', tone: 'info', text: text('Nothing changed since the request before') }];
}

function toolMap(header: Fields): Map<string, string> {
  const map = new Map<string, string>();
  for (const tool of items(header['tools'])) map.set(stringOf(fields(tool)['name']) ?? '?', JSON.stringify(tool));
  return map;
}

/** v0–v2 keep the system prompt in the header, v3 on as nodes of the surface. format/surface.md §5. */
function systemPrompt(loaded: LoadedLog, header: Fields, seq: number): Section[] {
  const heading = text('System prompt');
  const stored = stringOf(header['system']);
  if (stored !== undefined) return stored === '' ? [] : [words(stored, { heading, folded: true })];
  if (loaded.version < 3) return [{ kind: 'note', tone: 'info', text: text('No system prompt') }];
  const content = effectiveSystem(loaded, seq);
  return content === ''
    ? [{ kind: 'note', tone: 'info', text: text('No system prompt') }]
    : [words(content, { heading, folded: true })];
}

function effectiveSystem(loaded: LoadedLog, seq: number): string {
  const { entries } = loaded.timeline.tables;
  const types = loaded.timeline.strings.types;
  for (let i = loaded.entryAt(seq); i >= 0 && i !== NONE; i--) {
    if (types[entries.columns.type[i] ?? 0] !== 'system/message') continue;
    const event = loaded.event(entries.columns.seq[i] ?? NONE);
    if (!event) continue;
    const parts = items(messageOf(event.type, event.data)['content']).map((block) => stringOf(fields(block)['text']) ?? '');
    if (parts.join('') !== '') return parts.join('\n');
  }
  return '';
}

function toolSections(header: Fields): Section[] {
  const tools = items(header['tools']).map(fields);
  if (tools.length === 0) return [];
  const sections: Section[] = [{ kind: 'note', tone: 'info', text: text('Tools: {count}', { count: tools.length }) }];
  for (const tool of tools.slice(0, TOOLS)) {
    const heading = text('Tool {name}', { name: line(tool['name'], 80) });
    const description = stringOf(tool['description']) ?? '';
    const schema = JSON.stringify(tool['parameters'] ?? {}, null, 2);
    sections.push(words(`${description}\n\n${schema}`, { heading, folded: true }));
  }
  return sections;
}

/** A title or web-search request kept for audit: route, system text, messages. */
export function auditCard(data: Fields): Section[] {
  const sections: Section[] = [
    ...new Facts().add(text('Route'), routeLine(data['route'])).add(text('Output limit'), numberOf(data['maxTokens'])).sections(),
  ];
  const system = stringOf(data['system']);
  if (system !== undefined) sections.push(code(system, { heading: text('System prompt') }));
  sections.push(json(data['messages'] ?? data['body'], text('Messages')));
  return sections;
}
