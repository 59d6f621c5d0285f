import { text, type StoredEvent, type Text } from '../../core/index.ts';
import type { Section } from '../../protocol/index.ts';
import { compactCount, countOf, durationText, fields, items, numberOf, type Fields } from '../../timeline/index.ts';
import { failure, unanswered } from '../labels/outcomes.ts';
import { decision } from '../labels/plugin-rows.ts';
import { seedSentence } from '../labels/seed.ts';
import { line, plain, routeLine, word } from '../labels/words.ts';
import type { LoadedLog } from '../loaded.ts';
import { contentSections } from './blocks.ts';
import { Facts, json, moreNote, wordsOf } from './bounds.ts';
import { linkSection } from './links.ts';
import { todos } from './tool-card.ts';

/** Delivered files of one card. */
const FILES = 200;
/** Largest distance from the epoch that a date can have, in milliseconds. */
const LATEST_TIME = 8.64e15;

/** State and audit events: what they say in facts, and the payload as it is stored. */
export function stateCard(loaded: LoadedLog, event: StoredEvent, data: Fields, entry: number): Section[] {
  switch (event.type) {
    case 'todo/write':
      return items(data['todos']).length > 0
        ? todos(data['todos'])
        : [{ kind: 'note', tone: 'info', text: text('The todo list is empty') }];
    case 'approval/asked':
    case 'approval/decided': {
      const other = fields(loaded.pairOf(entry)?.data);
      const asked = event.type === 'approval/asked' ? data : other;
      const decided = event.type === 'approval/asked' ? other : data;
      return new Facts()
        .add(text('Tool'), line(asked['toolName'], 120))
        .add(text('Reason'), line(asked['reason'], 1000))
        .add(
          text('Decision'),
          decided['outcome'] === undefined ? unanswered({ isOver: loaded.isOver(event.seq) }) : decision(decided['outcome']),
        )
        .add(text('Call'), line(asked['callId'], 200))
        .sections();
    }
    case 'llm/retry':
      return [
        { kind: 'note', tone: 'error', text: failure(data['failure']) },
        ...new Facts()
          .add(text('Retry'), numberOf(data['retry']))
          .add(text('Delay'), typeof data['delayMs'] === 'number' ? durationText(data['delayMs']) : undefined)
          .add(text('Retry limit'), numberOf(data['maxRetries']))
          .add(text('Provider'), line(data['provider'], 120))
          .add(text('Status'), numberOf(fields(data['failure'])['status']))
          .sections(),
      ];
    case 'request/context': {
      const window = numberOf(data['contextWindow']);
      const card = new Facts()
        .add(text('Route'), routeLine(data))
        .add(text('Context window'), window === undefined ? undefined : compactCount(window))
        .add(text('System prompt updates'), line(data['systemPromptUpdate'], 40))
        .sections();
      return card.length > 0 ? card : payloadCard(event.data);
    }
    case 'agent/inbox/spliced': {
      const inserted = items(data['inserted']);
      const content = inserted.flatMap((message) => contentSections(fields(message)['content'], 'prose'));
      return [...content, json(event.data, text('Payload'))];
    }
    case 'subagent/catalog':
    case 'tool-workflow/agent-start':
      return [
        ...new Facts().add(text('Label'), line(data['label'], 200)).session(text('Session'), data['childId']).sections(),
        json(event.data, text('Payload')),
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
    default: {
      const card = recordCard(loaded, event, data, fields(loaded.pairOf(entry)?.data));
      return card.length > 0 ? card : payloadCard(event.data);
    }
  }
}

/** What some events of plugins record (format/events.md §3), by the names of their members; nothing for any other. */
function recordCard(loaded: LoadedLog, event: StoredEvent, data: Fields, other: Fields): Section[] {
  switch (event.type) {
    case 'session/end-seed':
      return [
        {
          kind: 'note',
          tone: 'info',
          text: seedSentence(event, loaded.cut),
        },
      ];
    case 'session/title':
      return [...titleFacts(data), ...linkSection(loaded, text('Made from'), seqsOf(data['messageSeqs']))];
    case 'command/run':
    case 'command/done': {
      const command = { ...other, ...data }; // what was typed, and what came of it
      return new Facts()
        .add(text('Command'), typeof command['name'] === 'string' ? `/${line(command['name'], 60)}` : undefined)
        .add(text('Arguments'), line(command['args'], 2000))
        .add(
          text('Outcome'),
          command['kind'] === undefined ? undefined : command['kind'] === 'error' ? text('failed') : text('done'),
        )
        .add(text('Answer'), line(command['text'], 4000))
        .sections();
    }
    case 'goal/change':
      return goalFacts(data);
    case 'schedule/change': {
      const schedule = fields(data['schedule']);
      return new Facts()
        .add(text('Operation'), operationOf(data))
        .add(text('Title'), line(schedule['title'], 400))
        .add(text('Prompt'), line(schedule['prompt'], 4000))
        .add(text('Kind'), line(schedule['kind'], 40))
        .add(text('Delay'), secondsOf(schedule['afterSeconds']))
        .add(text('Repeated every'), secondsOf(schedule['everySeconds']))
        .add(text('Due'), momentOf(schedule['scheduledAt']))
        .add(text('Schedule'), line(data['id'] ?? schedule['id'], 200))
        .sections();
    }
    case 'deliverables/presented': {
      const facts = new Facts();
      const files = items(data['files']);
      for (const item of files.slice(0, FILES)) {
        const file = fields(item);
        facts.add(plain(line(file['path'], 400)), line(file['description'], 1000) || text('no description'));
      }
      return [...facts.sections(text('Files')), ...moreNote(files.length - FILES)];
    }
    case 'image/offload':
      return linkSection(
        loaded,
        text('Images left the context of'),
        items(data['targets']).flatMap((target) => seqsOf([fields(target)['seq']])),
      );
    case 'feedback/message-put': {
      const item = fields(data['item']);
      return new Facts()
        .add(text('Rating'), item['rating'] === 'positive' ? text('positive') : text('negative'))
        .add(text('Note'), line(item['note'], 4000))
        .add(text('Category'), line(item['category'], 120))
        .add(text('Message'), line(item['messageId'], 200))
        .sections();
    }
    case 'subagent/descriptor': {
      const filter = fields(data['toolFilter']);
      return new Facts()
        .add(text('Label'), line(data['label'], 400))
        .add(text('Mode'), line(data['mode'], 60))
        .add(text('Provider'), line(data['provider'], 120))
        .add(text('Model'), routeLine({ provider: data['agentProvider'], model: data['agentModel'] }))
        .add(text('Reasoning effort'), line(data['agentReasoningEffort'], 60))
        .add(text('Tools allowed'), namesOf(filter['allow']))
        .add(text('Tools denied'), namesOf(filter['deny']))
        .add(text('Persona'), line(data['persona'], 4000))
        .sections();
    }
    case 'plan/mode':
      return new Facts().add(text('Plan mode'), data['active'] === true ? text('on') : text('off')).sections();
    default:
      return [];
  }
}

function operationOf(data: Fields): Text | undefined {
  const operation = line(data['operation'], 40);
  return operation === '' ? undefined : word(operation);
}

function secondsOf(value: unknown): Text | undefined {
  const seconds = numberOf(value);
  return seconds === undefined ? undefined : durationText(seconds * 1000);
}

/** A time as it can be told without the reader's clock: in UTC. */
function momentOf(value: unknown): string | undefined {
  const time = numberOf(value);
  return time === undefined || Math.abs(time) > LATEST_TIME ? undefined : new Date(time).toISOString();
}

function titleFacts(data: Fields): Section[] {
  const source = fields(data['source']);
  const by =
    source['kind'] === 'user'
      ? text('the user')
      : source['kind'] === 'fallback'
        ? text('the first prompt')
        : source['kind'] === 'provider'
          ? text('a model')
          : plain(line(source['kind'], 60));
  return new Facts()
    .add(text('Title'), line(data['title'], 400))
    .add(text('Given by'), source['kind'] === undefined ? undefined : by)
    .add(text('Model'), routeLine(source['model']))
    .sections();
}

function goalFacts(data: Fields): Section[] {
  const goal = fields(data['goal']);
  return new Facts()
    .add(text('Operation'), operationOf(data))
    .add(text('Objective'), line(goal['objective'], 4000))
    .add(text('Phase'), line(goal['phase'], 60))
    .add(text('Rounds'), roundsOf(data, goal))
    .add(text('Blocked because'), line(fields(goal['blockedReason'])['message'], 1000))
    .add(text('Goal'), line(goal['id'] ?? fields(data['cleared'])['id'], 200))
    .sections();
}

function roundsOf(data: Fields, goal: Fields): Text | undefined {
  const [started, most] = [numberOf(data['roundsStarted']), numberOf(goal['maxGoalRounds'])];
  if (started === undefined) return undefined;
  return most === undefined ? plain(String(started)) : text('{done} of {total}', { done: started, total: most });
}

function namesOf(value: unknown): string {
  return line(
    items(value)
      .map((name) => line(name, 80))
      .join(', '),
    2000,
  );
}

function seqsOf(value: unknown): number[] {
  return items(value).filter((seq): seq is number => countOf(seq) !== undefined);
}

/** Any other payload: its members as facts where they are short and flat, as JSON otherwise. */
function payloadCard(payload: unknown): Section[] {
  const members = Object.entries(fields(payload));
  const flat = members.every(([, value]) => typeof value !== 'object' && !(typeof value === 'string' && value.length > 200));
  if (!flat || members.length === 0) return [json(payload)];
  const facts = new Facts();
  for (const [key, value] of members) facts.add(plain(line(key, 80)), wordsOf(String(value), 200));
  return facts.sections();
}
