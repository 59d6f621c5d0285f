import { text, type StoredEvent } from '../../core/index.ts';
import type { Section } from '../../protocol/index.ts';
import { ENTRY_FLAG, fields, isHuman, items, messageOf, NONE, numberOf, type Fields } from '../../timeline/index.ts';
import { compactCount, compactDuration } from '../labels/numbers.ts';
import { failure, turnReason } from '../labels/outcomes.ts';
import { isCheckpoint, line, producerOf, routeLine } from '../labels/words.ts';
import type { LoadedLog } from '../loaded.ts';
import { contentSections } from './blocks.ts';
import { bounded, Facts, json } from './bounds.ts';
import { compactionCard } from './compaction-card.ts';
import { linkSection } from './links.ts';
import { auditCard, requestCard } from './request-card.ts';
import { chunkSections, streamSections } from './stream-text.ts';
import { todos, toolCard } from './tool-card.ts';

/** Chunks joined for one view. */
const CHUNKS = 20_000;

/** The inspector's first tab: a card made for the event's type, JSON for everything else. */
export function prettySections(loaded: LoadedLog, event: StoredEvent, entry: number): readonly Section[] {
  return bounded(cardOf(loaded, event, entry));
}

function cardOf(loaded: LoadedLog, event: StoredEvent, entry: number): Section[] {
  const data = fields(event.data);
  switch (event.type) {
    case 'user/message':
      return userCard(loaded, event);
    case 'system/message':
    case 'developer/message': {
      const sections = contentSections(messageOf(event.type, event.data)['content'], 'prose');
      return sections.length > 0 ? sections : [{ kind: 'note', tone: 'info', text: text('The message is empty') }];
    }
    case 'assistant/message':
      return answerCard(loaded, event, entry);
    case 'assistant/attempt':
      return [
        { kind: 'note', tone: 'warning', text: text('This attempt never became a message; it is not in the history') },
        ...attemptFacts(loaded, entry),
        ...streamSections(data['stream']),
      ];
    case 'assistant/chunk':
      return streamCard(loaded, entry);
    case 'tool/call':
      return toolCard(event, loaded.pairOf(entry));
    case 'tool/result':
      return resultCard(loaded, event, entry);
    case 'request/header':
      return requestCard(loaded, event);
    case 'compaction/start':
    case 'compaction/summary':
    case 'compaction/prune':
    case 'compaction/end':
      return compactionCard(loaded, event);
    case 'session/title-llm-request':
    case 'web/deepseek-search-llm-request':
      return auditCard(data);
    default:
      return stateCard(loaded, event, data, entry);
  }
}

function userCard(loaded: LoadedLog, event: StoredEvent): Section[] {
  const message = messageOf(event.type, event.data);
  const source = fields(message['source']);
  const content = contentSections(message['content'], 'prose');
  if (isHuman(event.data)) return content;
  if (isCheckpoint(source) && event.surfaceOp !== 'append') return compactionCard(loaded, event);
  const facts = new Facts()
    .add(text('Written by'), producerOf(source))
    .add(text('Form'), line(source['form'], 60))
    .add(text('Summary'), line(source['summary'], 400))
    .add(text('Session'), line(source['senderSessionId'], 200));
  return [
    { kind: 'note', tone: 'info', text: text('Injected context, not written by a human') },
    ...facts.sections(),
    ...content,
  ];
}

function answerCard(loaded: LoadedLog, event: StoredEvent, entry: number): Section[] {
  const data = fields(event.data);
  const sections: Section[] = [];
  if (data['interrupted'] === true) sections.push({ kind: 'note', tone: 'warning', text: text('This answer was interrupted') });
  const content = contentSections(messageOf(event.type, event.data)['content'], 'prose');
  if (content.length === 0)
    sections.push({ kind: 'note', tone: 'info', text: text('This answer has no content; it is not in the history') });
  return [...sections, ...content, ...attemptFacts(loaded, entry)];
}

/** Times and tokens of the attempt that an entry settled. */
function attemptFacts(loaded: LoadedLog, entry: number): Section[] {
  const { length, columns: a } = loaded.timeline.tables.attempts;
  for (let i = 0; i < length; i++) {
    if (a.entry[i] !== entry) continue;
    const first = (a.firstToken[i] ?? NaN) - (a.start[i] ?? NaN);
    const whole = (a.end[i] ?? NaN) - (a.start[i] ?? NaN);
    const facts = new Facts()
      .add(text('Attempt'), a.number[i])
      .add(text('First token after'), Number.isFinite(first) ? compactDuration(first) : undefined)
      .add(text('Took'), Number.isFinite(whole) ? compactDuration(whole) : undefined);
    if (a.hasUsage[i]) {
      facts
        .add(text('Input tokens'), compactCount(a.input[i] ?? 0))
        .add(text('Cache read'), compactCount(a.cacheRead[i] ?? 0))
        .add(text('Cache write'), a.cacheWrite[i] ? compactCount(a.cacheWrite[i] ?? 0) : undefined)
        .add(text('Output tokens'), compactCount(a.output[i] ?? 0))
        .add(text('Reasoning tokens'), a.reasoning[i] ? compactCount(a.reasoning[i] ?? 0) : undefined);
    }
    return facts.sections(text('Request'));
  }
  return [];
}

function streamCard(loaded: LoadedLog, entry: number): Section[] {
  const { seq, count, flags } = loaded.timeline.tables.entries.columns;
  const from = seq[entry] ?? 0;
  const members = count[entry] ?? 1;
  const sections = chunkSections(loaded.log.events(from, from + Math.min(members, CHUNKS)));
  if ((flags[entry] ?? 0) & ENTRY_FLAG.interrupted) {
    sections.unshift({
      kind: 'note',
      tone: 'warning',
      text: text('This attempt never became a message; it is not in the history'),
    });
  }
  return [...sections, ...new Facts().add(text('Chunks'), members).sections(), ...attemptFacts(loaded, entry)];
}

function resultCard(loaded: LoadedLog, event: StoredEvent, entry: number): Section[] {
  const card = toolCard(loaded.pairOf(entry), event);
  if (event.surfaceOp === 'append' || event.surfaceOp === undefined) return card;
  const { replacements, shadowedSeqs } = loaded.timeline.tables;
  for (let i = 0; i < replacements.length; i++) {
    if (replacements.columns.seq[i] !== event.seq) continue;
    const original = shadowedSeqs.columns.seq[replacements.columns.from[i] ?? 0] ?? NONE;
    return [
      { kind: 'note', tone: 'info', text: text('A shortened copy that stands in for an earlier result') },
      ...linkSection(loaded, text('The original'), [original], { sizes: true }),
      ...card,
    ];
  }
  return card;
}

/** State and audit events: what they say in facts, and the payload as it is stored. */
function stateCard(loaded: LoadedLog, event: StoredEvent, data: Fields, entry: number): Section[] {
  switch (event.type) {
    case 'todo/write':
      return todos(data['todos']);
    case 'turn/end':
      return [
        ...new Facts().add(text('Turn'), numberOf(data['turn'])).add(text('Ended'), turnReason(data['reason'])).sections(),
        json(event.data),
      ];
    case 'approval/asked':
    case 'approval/decided': {
      const other = fields(loaded.pairOf(entry)?.data);
      const asked = event.type === 'approval/asked' ? data : other;
      const decided = event.type === 'approval/asked' ? other : data;
      return new Facts()
        .add(text('Tool'), line(asked['toolName'], 120))
        .add(text('Reason'), line(asked['reason'], 1000))
        .add(text('Decision'), decided['outcome'] === undefined ? text('open') : line(decided['outcome'], 60))
        .add(text('Call'), line(asked['callId'], 200))
        .sections();
    }
    case 'llm/retry':
      return [
        { kind: 'note', tone: 'error', text: failure(data['failure']) },
        ...new Facts()
          .add(text('Retry'), numberOf(data['retry']))
          .add(text('Delay'), typeof data['delayMs'] === 'number' ? compactDuration(data['delayMs']) : undefined)
          .add(text('Retry limit'), numberOf(data['maxRetries']))
          .add(text('Provider'), line(data['provider'], 120))
          .add(text('Status'), numberOf(fields(data['failure'])['status']))
          .sections(),
      ];
    case 'request/context': {
      const window = numberOf(data['contextWindow']);
      return new Facts()
        .add(text('Route'), routeLine(data))
        .add(text('Context window'), window === undefined ? undefined : compactCount(window))
        .add(text('System prompt updates'), line(data['systemPromptUpdate'], 40))
        .sections();
    }
    case 'agent/inbox/spliced': {
      const inserted = items(data['inserted']);
      const content = inserted.flatMap((message) => contentSections(fields(message)['content'], 'prose'));
      return [...content, json(event.data, text('Payload'))];
    }
    case 'subagent/catalog':
      return [
        ...new Facts().add(text('Label'), line(data['label'], 200)).add(text('Session'), line(data['childId'], 200)).sections(),
        json(event.data),
      ];
    case 'tool/code-dispatch-start':
    case 'tool/ptc-dispatch-start':
      return [
        json(data['arguments'], text('Arguments')),
        ...contentSections(fields(loaded.pairOf(entry)?.data)['content'], 'output', text('Result')),
      ];
    case 'tool/code-dispatch':
    case 'tool/ptc-dispatch':
      return [json(data['arguments'], text('Arguments')), ...contentSections(data['content'], 'output', text('Result'))];
    default:
      return [json(event.data)];
  }
}
