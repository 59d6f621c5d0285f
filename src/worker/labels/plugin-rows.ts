import { text, type StoredEvent, type Text } from '../../core/index.ts';
import type { RowText } from '../../protocol/index.ts';
import { compactCount, countOf, fields, items, numberOf, oneDecimal, type Fields } from '../../timeline/index.ts';
import { failureParts, unanswered } from './outcomes.ts';
import { keyArgument } from './tool-call.ts';
import { contentLine, line, plain, routeLine, word } from './words.ts';

const row = (title: Text, detail: Text | string = '', note?: Text): RowText =>
  note ? { title, detail, note } : { title, detail };

/** The other half of an event, and whether one can still come. */
interface Halves {
  readonly pair?: StoredEvent | undefined;
  readonly isOver?: boolean;
}

/** Rows of the plugin event types (format/events.md §3) and the remaining core ones; undefined = unknown type. */
export function pluginRow(event: StoredEvent, data: Fields, context: Halves): RowText | undefined {
  const { pair } = context;
  switch (event.type) {
    case 'todo/write':
      return todoRow(data);
    case 'agent/inbox/spliced':
      return inboxRow(data);
    case 'agent-preset/selected':
      return row(text('Preset'), line(data['agentPreset']));
    case 'approval/asked':
      return row(text('Approval asked'), approvalLine(data), pair ? decision(fields(pair.data)['outcome']) : unanswered(context));
    case 'approval/decided':
      return row(text('Approval'), decision(data['outcome']));
    case 'approval/policy':
      return row(text('Approval policy'), word(line(data['policy'])));
    case 'command/run':
      return row(
        plain(`/${line(data['name'], 60)}`),
        line(data['args']),
        pair ? commandEnd(fields(pair.data)) : unanswered(context),
      );
    case 'command/done':
      return row(commandTitle(data, line(fields(pair?.data)['name'], 60)), line(data['text']), commandEnd(data));
    case 'permission/preset':
      return row(text('Permissions'), line(data['preset']));
    case 'plan/mode':
      return row(text('Plan mode'), data['active'] === true ? text('on') : text('off'));
    case 'sandbox/mode':
      return row(text('Sandbox'), line(data['mode']));
    case 'model/selection':
      return row(text('Model'), routeLine(data));
    case 'goal/change':
      return goalRow(data);
    case 'schedule/change':
      return scheduleRow(data);
    case 'session/title':
      return row(fields(data['source'])['kind'] === 'user' ? text('Renamed') : text('Title'), line(data['title']));
    case 'session/title-llm-request':
      return row(text('Title request'), routeLine(data['route']));
    case 'feedback/record':
      return row(text('Feedback'), line(data['text']) || line(data['category']));
    case 'feedback/message-put': {
      const item = fields(data['item']);
      return row(item['rating'] === 'positive' ? text('Rated +') : text('Rated −'), line(item['note']));
    }
    case 'feedback/message-delete':
      return row(text('Rating removed'));
    case 'session-log-deepseek/delivery-accepted':
      return row(text('Log uploaded'), text('through #{seq}', { seq: countOf(data['throughSeq']) ?? '?' }));
    case 'deliverables/presented':
      return row(
        text('Files delivered'),
        line(
          items(data['files'])
            .map((file) => line(fields(file)['path'], 120))
            .join(', '),
        ),
      );
    case 'workspace/changes':
      return row(text('Files changed'), text('in turn {turn}', { turn: countOf(data['turn']) ?? '?' }));
    case 'web/deepseek-search-llm-request':
      return row(text('Web search request'), line(fields(data['body'])['model']));
    default:
      return contextRow(event, data) ?? runRow(event, data, context);
  }
}

function contextRow(event: StoredEvent, data: Fields): RowText | undefined {
  switch (event.type) {
    case 'compaction/start':
      return row(text('Compaction started'), data['turn'] === null ? text('between turns') : '');
    case 'compaction/summary': {
      const before = numberOf(data['shadowedTokenCount']);
      const count = items(data['shadowedSeqs']).length;
      const after = numberOf(fields(data['usage'])['outputTokens']);
      const detail = before === undefined ? summarised(count) : summarisedTokens(count, before, after);
      return row(text('Compaction'), detail);
    }
    case 'compaction/prune': {
      const before = numberOf(data['shadowedTokenCount']);
      const count = items(data['shadowedSeqs']).length;
      return row(text('Pruned'), before === undefined ? messages(count) : messagesOf(count, compactCount(before)));
    }
    case 'compaction/end':
      return data['error'] === undefined
        ? row(text('Compaction finished'))
        : failed(text('Compaction failed'), typeof data['error'] === 'string' ? { message: data['error'] } : data['error']);
    case 'image/offload': {
      let count = 0;
      for (const target of items(data['targets'])) count += items(fields(target)['imageIndexes']).length;
      const left = count === 1 ? text('1 image left the context') : text('{count} images left the context', { count });
      return row(text('Images removed'), left);
    }
    default:
      return undefined;
  }
}

function runRow(event: StoredEvent, data: Fields, context: Halves): RowText | undefined {
  const { pair } = context;
  switch (event.type) {
    case 'hook/invoked':
      return row(text('Hook'), line(data['point']), pair ? plain(line(fields(pair.data)['decision'], 60)) : undefined);
    case 'hook/result':
      return row(text('Hook result'), line(data['decision']), exit(data));
    case 'llm/retry':
      return failed(retryTitle(data), data['failure']);
    case 'llm/retry-started':
      return row(text('Retry {retry} started', { retry: countOf(data['retry']) ?? '?' }));
    case 'subagent/descriptor':
      return row(text('Subagent'), line(data['label']) || line(data['provider']));
    case 'subagent/catalog':
      return row(text('Started subagent'), line(data['label']) || line(data['childId']));
    case 'subagent/model-selection-policy':
      return row(text('Subagent models limited'), line(items(data['allowedModels']).map(routeLine).join(', ')));
    case 'tool/code-dispatch-start':
    case 'tool/ptc-dispatch-start': {
      const name = line(data['name'], 60);
      const note = pair === undefined ? unanswered(context) : fields(pair.data)['isError'] === true ? text('failed') : undefined;
      return row(text('Sub-call {tool}', { tool: name }), keyArgument(name, data['arguments']), note);
    }
    case 'tool/code-dispatch':
    case 'tool/ptc-dispatch': {
      const tool = line(data['name'], 60);
      const title = data['isError'] === true ? text('{tool} failed', { tool }) : text('{tool} result', { tool });
      return row(title, contentLine(data['content']));
    }
    case 'tool-workflow/run-start':
      return row(text('Workflow'), line(data['name']));
    case 'tool-workflow/agent-start':
      return row(text('Workflow agent'), line(data['label']));
    case 'tool-workflow/agent-end':
      return row(text('Workflow agent ended'), word(line(data['outcome'])));
    case 'tool-workflow/run-end':
      return row(text('Workflow ended'), word(line(data['stopReason'])));
    case 'team/member':
      return row(text('Team member'), named(data['member']));
    case 'team/task':
      return row(text('Team task'), line(fields(data['task'])['subject']), plain(line(fields(data['task'])['status'], 40)));
    case 'team/message/queued': {
      const message = fields(data['message']);
      return row(text('Team message'), `${line(message['senderName'], 60)} · ${contentLine(message['content'])}`);
    }
    case 'team/message/delivered':
      return row(text('Team message delivered'), line(data['targetId']));
    default:
      return undefined;
  }
}

function failed(title: Text, error: unknown): RowText {
  const { detail, note } = failureParts(error);
  return { title, detail, note };
}

/** A sentence a unit, since a unit has no place of its own in a translated sentence. */
function retryTitle(data: Fields): Text {
  const retry = countOf(data['retry']) ?? '?';
  const ms = numberOf(data['delayMs']);
  if (ms === undefined || !(ms >= 0)) return text('Retry {retry}', { retry });
  if (ms < 999.5) return text('Retry {retry} in {n} ms', { retry, n: Math.round(ms) });
  if (ms < 59_950) return text('Retry {retry} in {n} s', { retry, n: oneDecimal(ms / 1000) });
  return text('Retry {retry} in {minutes} min', { retry, minutes: oneDecimal(ms / 60_000) });
}

function todoRow(data: Fields): RowText {
  const todos = items(data['todos']).map(fields);
  const done = todos.filter((todo) => todo['status'] === 'completed').length;
  const current = todos.find((todo) => todo['status'] === 'in_progress');
  if (todos.length === 0) return row(text('Todo list'), text('empty'));
  return row(text('Todo list'), line(current?.['content']), text('{done} of {total} done', { done, total: todos.length }));
}

function inboxRow(data: Fields): RowText {
  const inserted = items(data['inserted']);
  const removed = countOf(data['removedCount']) ?? 0;
  if (inserted.length > 0) return row(text('Message queued'), contentLine(fields(inserted[0])['content']));
  return row(data['outcome'] === 'canceled' ? text('Message cancelled') : text('Message taken'), messages(removed));
}

function summarised(count: number): Text {
  return count === 1 ? text('1 message summarised') : text('{count} messages summarised', { count });
}

function summarisedTokens(count: number, from: number, to: number | undefined): Text {
  const before = compactCount(from);
  if (to === undefined) {
    return count === 1
      ? text('1 message summarised, {before} tokens', { before })
      : text('{count} messages summarised, {before} tokens', { count, before });
  }
  const after = compactCount(to);
  return count === 1
    ? text('1 message summarised, {before} → ≈{after} tokens', { before, after })
    : text('{count} messages summarised, {before} → ≈{after} tokens', { count, before, after });
}

function messagesOf(count: number, tokens: string): Text {
  return count === 1
    ? text('1 message, {tokens} tokens', { tokens })
    : text('{count} messages, {tokens} tokens', { count, tokens });
}

function messages(count: number): Text {
  return count === 1 ? text('1 message') : text('{count} messages', { count });
}

function approvalLine(data: Fields): string {
  const reason = line(data['reason'], 160);
  const tool = line(data['toolName'], 60);
  return reason === '' ? tool : `${tool} · ${reason}`;
}

/** How an approval was decided. */
export function decision(outcome: unknown): Text {
  switch (outcome) {
    case 'allowed-once':
      return text('approved');
    case 'rejected':
      return text('rejected');
    case 'cancelled':
      return text('cancelled');
    case 'unavailable':
      return text('nobody to ask');
    default:
      return plain(line(outcome, 40) || '?');
  }
}

function commandTitle(data: Fields, name: string): Text {
  if (data['kind'] === 'error') return name === '' ? text('Command failed') : text('/{name} failed', { name });
  return name === '' ? text('Command done') : text('/{name} done', { name });
}

function commandEnd(data: Fields): Text {
  return data['kind'] === 'error' ? text('failed') : text('done');
}

function goalRow(data: Fields): RowText {
  const goal = fields(data['goal']);
  const operation = line(data['operation'], 40);
  return row(text('Goal'), line(goal['objective']), word(operation));
}

function scheduleRow(data: Fields): RowText {
  const schedule = fields(data['schedule']);
  const words = line(schedule['title']) || line(schedule['prompt']) || line(data['id']);
  switch (data['operation']) {
    case 'create':
      return row(text('Schedule created'), words);
    case 'delete':
      return row(text('Schedule deleted'), words);
    default:
      return row(text('Schedule fired'), words);
  }
}

function exit(data: Fields): Text | undefined {
  const code = numberOf(data['exitCode']);
  return code === undefined ? undefined : text('exit {code}', { code });
}

function named(value: unknown): string {
  const { name, description } = fields(value);
  const words = line(description, 160);
  return words === '' ? line(name, 60) : `${line(name, 60)} · ${words}`;
}
