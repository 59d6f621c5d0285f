import { text, type StoredEvent } from '../../core/index.ts';
import type { Section } from '../../protocol/index.ts';
import { ENTRY_FLAG, fields, isHuman, messageOf, NONE } from '../../timeline/index.ts';
import { isCheckpoint, line, producerOf } from '../labels/words.ts';
import type { LoadedLog } from '../loaded.ts';
import { attemptFacts } from './attempt-facts.ts';
import { contentSections } from './blocks.ts';
import { bounded, Facts } from './bounds.ts';
import { compactionCard } from './compaction-card.ts';
import { linkSection } from './links.ts';
import { auditCard, requestCard } from './request-card.ts';
import { stepCard, turnCard } from './span-card.ts';
import { stateCard } from './state-card.ts';
import { chunkSections, streamSections } from './stream-text.ts';
import { toolCard } from './tool-card.ts';

/** Chunks joined for one view. */
const CHUNKS = 20_000;

/** The inspector's first tab: a card made for the event's type, JSON for everything else. */
export function prettySections(loaded: LoadedLog, event: StoredEvent, entry: number): readonly Section[] {
  return bounded(cardOf(loaded, event, entry));
}

function cardOf(loaded: LoadedLog, event: StoredEvent, entry: number): Section[] {
  const data = fields(event.data);
  const { entries } = loaded.timeline.tables;
  switch (event.type) {
    case 'turn/start':
    case 'turn/end':
      return turnCard(loaded, event, entry);
    case 'step/start':
    case 'step/end':
      return stepCard(loaded, entry);
    case 'user/message':
      return userCard(loaded, event);
    case 'system/message':
    case 'developer/message':
      return messageSections(messageOf(event.type, event.data)['content']);
    case 'assistant/message':
      return answerCard(loaded, event, entry);
    case 'assistant/attempt':
      return [
        { kind: 'note', tone: 'warning', text: text('This attempt never became a message; it is not in the history') },
        ...settledFacts(loaded, entry),
        ...streamSections(data['stream']),
      ];
    case 'assistant/chunk':
      return streamCard(loaded, entry);
    case 'tool/call':
      return toolCard(event, loaded.pairOf(entry), loaded.until !== Infinity && entries.columns.pair[entry] !== NONE);
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

function messageSections(content: unknown): Section[] {
  const sections = contentSections(content, 'prose');
  return sections.length > 0 ? sections : [{ kind: 'note', tone: 'info', text: text('The message is empty') }];
}

function userCard(loaded: LoadedLog, event: StoredEvent): Section[] {
  const message = messageOf(event.type, event.data);
  const source = fields(message['source']);
  const content = messageSections(message['content']);
  if (isHuman(event.data)) return content;
  if (isCheckpoint(source) && event.surfaceOp !== 'append') return compactionCard(loaded, event);
  const facts = new Facts()
    .add(text('Written by'), producerOf(source))
    .add(text('Form'), line(source['form'], 60))
    .add(text('Summary'), line(source['summary'], 400))
    .session(text('Session'), source['senderSessionId']);
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
  return [...sections, ...content, ...settledFacts(loaded, entry)];
}

/** Times and tokens of the attempt that an entry settled or holds the chunks of. */
function settledFacts(loaded: LoadedLog, entry: number): Section[] {
  const step = loaded.timeline.tables.entries.columns.step[entry] ?? NONE;
  const { entry: entries } = loaded.timeline.tables.attempts.columns;
  const { from, to } = loaded.attemptsOf(step);
  for (let i = from; i < to; i++) if (entries[i] === entry) return attemptFacts(loaded, i);
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
  return [...sections, ...new Facts().add(text('Chunks'), members).sections(), ...settledFacts(loaded, entry)];
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
