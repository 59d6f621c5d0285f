import { text, type StoredEvent, type Text } from '../../core/index.ts';
import type { RowText } from '../../protocol/index.ts';
import { compactCount, fields, isHuman, items, messageOf, stringOf, toolOutcomeOf, type Fields } from '../../timeline/index.ts';
import { failureParts, finishFailure, turnReason, unanswered } from './outcomes.ts';
import { pluginRow } from './plugin-rows.ts';
import { failureCode, keyArgument, outcomeNote, resultLine } from './tool-call.ts';
import { seedTitle, type Cut } from './seed.ts';
import { contentLine, firstBlock, isCheckpoint, line, plain, producerOf, routeLine, word } from './words.ts';

/** What a row may look at beyond its own event. */
export interface RowContext {
  /** The other half: the result of a call, the call of a result. */
  readonly pair?: StoredEvent | undefined;
  /** Chunks folded into the row of a stream, their joined text, and the failure it finished with. */
  /** The lifecycle it belongs to has ended: a half that has not come never will. */
  readonly isOver?: boolean;
  /** Where the log was cut, for an end-seed. */
  readonly cut?: Cut;
  readonly stream?: { readonly count: number; readonly text: string; readonly failure?: unknown } | undefined;
}

const NO_CUT: Cut = { inheritedEventCount: 0, version: undefined };

/**
 * One line for an event of any type ("shown as" of format/events.md §2, §3). The event comes in today's shape; nothing in
 * its payload is trusted. Unknown types are shown by their name.
 */
export function rowText(event: StoredEvent, context: RowContext = {}): RowText {
  const data = fields(event.data);
  switch (event.type) {
    case 'turn/start':
      return { title: text('Turn {turn} started', { turn: shown(data['turn']) }), detail: '' };
    case 'turn/end': {
      const title = text('Turn {turn} ended', { turn: shown(data['turn']) });
      const { kind, error } = fields(data['reason']);
      return kind === 'error' ? { title, ...failureParts(error) } : { title, detail: turnReason(data['reason']) };
    }
    case 'step/start':
      return { title: text('Step {turn}.{step} started', { turn: shown(data['turn']), step: shown(data['step']) }), detail: '' };
    case 'step/end':
      return { title: text('Step {turn}.{step} ended', { turn: shown(data['turn']), step: shown(data['step']) }), detail: '' };
    case 'user/message':
      return userRow(event);
    case 'system/message':
      return systemRow(event);
    case 'developer/message':
      return toolChangeRow(event);
    case 'assistant/chunk': {
      const { count, text: words, failure } = context.stream ?? { count: 1, text: '', failure: undefined };
      const why = failure === undefined ? '' : failureParts(failure).detail;
      return {
        title: text('Stream'),
        detail: line([words, why].filter((part) => part !== '').join(' · ')),
        note: count === 1 ? text('1 chunk') : text('{count} chunks', { count: compactCount(count) }),
      };
    }
    case 'assistant/message':
      return assistantRow(event, data);
    case 'assistant/attempt': {
      const stream = items(data['stream']);
      const why = finishFailure(stream);
      const words = streamLine(stream);
      if (why !== undefined) return { title: text('Attempt discarded'), ...failureParts(why) };
      return { title: text('Attempt discarded'), detail: words === '' ? text('no content') : words };
    }
    case 'tool/call':
      return callRow(data, context);
    case 'tool/result':
      return resultRow(event, context.pair);
    case 'request/header':
      return headerRow(data);
    case 'request/context':
      return routeRow(data);
    case 'session/end-seed':
      return { title: seedTitle(event, context.cut ?? NO_CUT), detail: '' };
    default:
      return pluginRow(event, data, context) ?? unknownRow(event);
  }
}

/** Number of a turn or step as the log states it; a log may state anything. */
function shown(value: unknown): string | number {
  return typeof value === 'number' ? value : '?';
}

function userRow(event: StoredEvent): RowText {
  const message = messageOf(event.type, event.data);
  const words = contentLine(message['content']);
  if (isHuman(event.data)) return { title: text('You'), detail: words };
  const source = fields(message['source']);
  const producer = producerOf(source);
  if (isCheckpoint(source))
    return {
      title: text('Checkpoint'),
      detail: words === '' ? text('Earlier context was compacted') : text('Earlier context was compacted: {words}', { words }),
    };
  const said = contextLine(source, words);
  return { title: text('Context'), detail: said === '' ? producer : `${producer} · ${said}` };
}

/** What injected context says about itself, else its words. */
function contextLine(source: Fields, words: string): string {
  const summary = line(source['summary']);
  if (summary !== '') return summary;
  const named = [...items(source['changes']), ...items(source['sections']), ...items(source['entries'])]
    .slice(0, 8)
    .map((item) => {
      const part = fields(item);
      return line(part['path'] ?? part['name'], 60);
    });
  const names = named.filter((name) => name !== '').join(', ');
  return names === '' ? words : names;
}

function systemRow(event: StoredEvent): RowText {
  const content = messageOf(event.type, event.data)['content'];
  const words = contentLine(content);
  if (event.surfaceOp === undefined || event.surfaceOp === 'append') {
    return words === '' ? { title: text('System prompt empty'), detail: '' } : { title: text('System prompt'), detail: words };
  }
  return words === ''
    ? { title: text('System prompt cleared'), detail: '' }
    : { title: text('System prompt changed'), detail: words };
}

function toolChangeRow(event: StoredEvent): RowText {
  const added: string[] = [];
  const removed: string[] = [];
  const content = messageOf(event.type, event.data)['content'];
  for (const item of items(content)) {
    const block = fields(item);
    if (block['type'] === 'tool-addition') added.push(line(block['toolName'], 60));
    else if (block['type'] === 'tool-removal') removed.push(line(block['toolName'], 60));
  }
  const plus = line(added.join(', '), 120);
  const minus = line(removed.join(', '), 120);
  if (plus === '' && minus === '') return { title: text('Tools changed'), detail: contentLine(content) || text('no content') };
  if (minus === '') return { title: text('Tools added'), detail: plus };
  if (plus === '') return { title: text('Tools removed'), detail: minus };
  return { title: text('Tools changed'), detail: text('added {added}; removed {removed}', { added: plus, removed: minus }) };
}

function assistantRow(event: StoredEvent, data: Fields): RowText {
  const content = messageOf(event.type, event.data)['content'];
  const note = data['interrupted'] === true ? { note: text('interrupted') } : {};
  const title = text('Assistant');
  const words = contentLine(content);
  if (words !== '') return { title, detail: words, ...note };
  const calls = items(content)
    .map(fields)
    .filter((block) => block['type'] === 'tool-call')
    .map((block) => line(block['name'], 40));
  if (calls.length > 0) return { title, detail: text('calls {tools}', { tools: line(calls.join(', '), 200) }), ...note };
  const thought = line(firstBlock(content, 'reasoning')?.['text']);
  return thought === ''
    ? { title, detail: text('no content'), ...note }
    : { title, detail: text('thinking: {words}', { words: thought }), ...note };
}

function streamLine(stream: readonly unknown[]): string {
  let words = '';
  for (const item of stream) {
    for (const piece of items(fields(item)['texts'])) {
      if (words.length > 400) return line(words);
      words += stringOf(piece) ?? '';
    }
  }
  return line(words);
}

function callRow(data: Fields, context: RowContext): RowText {
  const result = context.pair;
  const name = line(data['name'], 60) || '?';
  const note =
    result === undefined ? unanswered(context) : result.type === 'tool/result' ? outcomeNote(result.data, data) : undefined;
  return { title: plain(name), detail: keyArgument(name, data['arguments']), ...(note ? { note } : {}) };
}

function resultRow(event: StoredEvent, call: StoredEvent | undefined): RowText {
  const name = line(fields(call?.data)['name'], 60);
  const { isError } = toolOutcomeOf(event.data);
  const replaced = event.surfaceOp !== undefined && event.surfaceOp !== 'append';
  const note = isError ? failureCode(event.data, call?.data) : outcomeNote(event.data, call?.data); // that it failed is in the title
  return {
    title: resultTitle(name, isError, replaced),
    detail: resultLine(event.data),
    ...(note ? { note } : {}),
  };
}

function resultTitle(name: string, isError: boolean, replaced: boolean): Text {
  if (replaced) return text('Shortened result');
  if (name === '') return isError ? text('Tool failed') : text('Result');
  return isError ? text('{tool} failed', { tool: name }) : text('{tool} result', { tool: name });
}

function headerRow(data: Fields): RowText {
  const header = fields(data['header']);
  const route = routeLine(header['config']);
  const reason = line(data['reason'], 40);
  const count = items(header['tools']).length;
  return {
    title: text('Request settings'),
    detail: count === 1 ? text('{route}, 1 tool', { route }) : text('{route}, {count} tools', { route, count }),
    ...(reason === '' ? {} : { note: word(reason) }),
  };
}

function routeRow(data: Fields): RowText {
  const window = data['contextWindow'];
  return {
    title: text('Route'),
    detail: routeLine(data),
    ...(typeof window === 'number' ? { note: text('window {tokens}', { tokens: compactCount(window) }) } : {}),
  };
}

function unknownRow(event: StoredEvent): RowText {
  const title = plain(line(event.type, 80) || '?');
  return event.ignorable === true
    ? { title, detail: text('unknown type, may be ignored') }
    : { title, detail: text('unknown type') };
}
