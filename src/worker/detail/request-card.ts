import { text, type StoredEvent, type Text } from '../../core/index.ts';
import type { Section } from '../../protocol/index.ts';
import { compactCount, fields, items, messageOf, NONE, numberOf, stringOf, type Fields } from '../../timeline/index.ts';
import { jsonText } from '../json-text.ts';
import { line, routeLine, word } from '../labels/words.ts';
import type { LoadedLog } from '../loaded.ts';
import { code, diff, Facts, json, words } from './bounds.ts';

const TOOLS = 150;

/** Settings, changes against the request header before, system prompt and tools of a request header. */
export function requestCard(loaded: LoadedLog, event: StoredEvent): Section[] {
  return requestSections(loaded, event.seq, loaded.latestBefore(loaded.timeline.index.headers, event.seq), event.seq + 2);
}

/** The same for a request that used the header at one seq, after one that used the header at another; `end`: events it had seen. */
export function requestSections(loaded: LoadedLog, headerSeq: number, beforeSeq: number, end: number): Section[] {
  const data = fields(loaded.event(headerSeq)?.data);
  const header = fields(data['header']);
  // The route is stored right after its header.
  const route = fields(loaded.event(loaded.latestBefore(loaded.timeline.index.contexts, end))?.data);
  const inHistory = route['systemPromptUpdate'] === 'in-history';
  const system = systemText(loaded, header, end, inHistory);
  const before = fields(fields(loaded.event(beforeSeq)?.data)['header']);
  const systemBefore = beforeSeq === NONE ? undefined : systemText(loaded, before, beforeSeq + 1, inHistory);
  return [
    ...settings(header, data, route).sections(text('Settings')),
    ...(systemBefore === undefined ? [] : changes(before, header, systemBefore !== system)),
    ...systemSections(system, systemBefore),
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
  if (items(config['stop']).length > 0) facts.add(text('Stop'), line(jsonText(config['stop'])));
  const window = numberOf(route['contextWindow']);
  return facts
    .add(text('Route'), routeLine(route))
    .add(text('Context window'), window === undefined ? undefined : compactCount(window))
    .add(text('Reason'), data['reason'] === undefined ? undefined : word(line(data['reason'], 40)));
}

function changes(before: Fields, after: Fields, systemChanged: boolean): Section[] {
  const facts = new Facts();
  const was = fields(before['config']);
  const is = fields(after['config']);
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const old = was[key] === undefined ? '–' : jsonText(was[key]);
    const now = is[key] === undefined ? '–' : jsonText(is[key]);
    if (old !== now)
      facts.add(
        text('{value}', { value: line(key, 80) }),
        text('{before} → {after}', { before: line(old, 200), after: line(now, 200) }),
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
  if (systemChanged) facts.add(text('System prompt'), text('changed'));
  const sections = facts.sections(text('Changed since the request before'));
  return sections.length > 0
    ? sections
    : [{ kind: 'note', tone: 'info', text: text('Nothing changed since the request before') }];
}

function toolMap(header: Fields): Map<string, string> {
  const map = new Map<string, string>();
  for (const tool of items(header['tools'])) map.set(stringOf(fields(tool)['name']) ?? '?', jsonText(tool));
  return map;
}

/** v0–v2 keep the system prompt in the header, v3 on as nodes of the surface. format/surface.md §5. */
function systemText(loaded: LoadedLog, header: Fields, end: number, inHistory: boolean): string {
  return loaded.version < 3 ? (stringOf(header['system']) ?? '') : effectiveSystem(loaded, end, inHistory);
}

function systemSections(system: string, before: string | undefined): Section[] {
  const heading = text('System prompt');
  if (before !== undefined && before !== '' && before !== system) return [diff('', before, system, heading)];
  if (system === '') return [{ kind: 'note', tone: 'info', text: text('No system prompt') }];
  return [words(system, { heading, folded: true })];
}

/** The latest system message; on routes that update it inside the history, the latest that says something. */
function effectiveSystem(loaded: LoadedLog, end: number, inHistory: boolean): string {
  const { entries } = loaded.timeline.tables;
  const types = loaded.timeline.strings.types;
  for (let i = loaded.entryAt(Math.min(end, loaded.log.eventCount) - 1); i >= 0 && i !== NONE; i--) {
    if (types[entries.columns.type[i] ?? 0] !== 'system/message') continue;
    const event = loaded.event(entries.columns.seq[i] ?? NONE);
    if (!event) continue;
    const parts = items(messageOf(event.type, event.data)['content']).map((block) => stringOf(fields(block)['text']) ?? '');
    if (!inHistory || parts.join('') !== '') return parts.join('\n');
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
    const schema = jsonText(tool['parameters'] ?? {}, 2);
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
