import {
  all,
  boolean,
  count,
  id,
  list,
  literal,
  number,
  opaque,
  openRecord,
  opt,
  record,
  string,
  tagged,
  type Rule,
} from './rules.ts';

/** Messages, blocks, sources and usage of v0–v2 as the migrations check them. format/events.md §5, §6; format/migrations.md §1. */

const imageAttachment = record({
  attachmentId: string,
  mediaType: literal('image/png', 'image/jpeg', 'image/webp', 'image/gif'),
  width: count,
  height: count,
  bytes: count,
  name: opt(string),
  originalDimensions: opt(record({ width: count, height: count })),
});

const sharedBlocks = {
  text: record({ type: string, text: string }),
  reasoning: record({ type: string, text: string }),
  image: record({ type: string, attachment: imageAttachment, offloaded: opt(literal(true)) }),
};

const file = record({ type: string, attachment: record({ attachmentId: string, name: string, bytes: count }) });
const toolCall = record({ type: string, id, name: string, arguments: string });

/** Blocks of a prompt, a tool's answer or a summary; files came with v2. */
export function contentBlocks(version: number): Rule {
  return list(tagged('type', version < 2 ? sharedBlocks : { ...sharedBlocks, file }));
}

const answerBlocks = (version: number): Rule =>
  list(tagged('type', { ...sharedBlocks, ...(version < 2 ? {} : { file }), 'tool-call': toolCall }));

const resultBlocks = (version: number): Rule =>
  all(
    list(
      tagged('type', {
        'tool-result': record({ type: string, toolCallId: id, content: contentBlocks(version), isError: opt(boolean) }),
      }),
    ),
    (value, path) => (Array.isArray(value) && value.length === 1 ? undefined : { kind: 'value', path }),
  );

const form = literal('instructions', 'catalog', 'snapshot', 'notice', 'relay', 'recall');

/** A summary goes with the form `notice`, or with no form at all (older writers). */
const summaryNeedsNotice: Rule = (value, path) => {
  const source = value as Readonly<Record<string, unknown>>;
  const broken = Object.hasOwn(source, 'summary') && Object.hasOwn(source, 'form') && source['form'] !== 'notice';
  return broken ? { kind: 'value', path: `${path}.form` } : undefined;
};

const named = openRecord({ kind: string });

/** Source kinds of v0–v3. Of most only the name is known; a name that is not listed is refused. */
const sources: Readonly<Record<string, Rule>> = {
  user: record({ kind: string, rpcId: opt(opaque), clientTimeZone: opt(opaque) }),
  plugin: all(openRecord({ kind: string, plugin: id, form: opt(form), summary: opt(string) }), summaryNeedsNotice),
  model: record({ kind: string, provider: string, model: string, replayState: opt(opaque) }),
  tool: record({ kind: string, callId: id }),
  'agent-instructions': named,
  'session-reference': named,
  'team-message': named,
  goal: named,
  'skill-invocation': named,
  'skill-catalog': named,
  coordinator: named,
  'subagent-report': named,
  'subagent-settled': named,
  webhook: named,
  'agent-message': openRecord({ kind: string, senderSessionId: string }),
};

const anySource = tagged('kind', sources);

export function userMessage(version: number): Rule {
  return record({ id, role: literal('user'), content: contentBlocks(version), source: anySource });
}

export function answerMessage(version: number): Rule {
  return record({
    id,
    role: literal('assistant'),
    content: answerBlocks(version),
    source: tagged('kind', { model: sources['model'] ?? named }),
  });
}

export function resultMessage(version: number): Rule {
  return record({
    id,
    role: literal('user'),
    content: resultBlocks(version),
    source: tagged('kind', { tool: sources['tool'] ?? named }),
  });
}

/** Messages of a captured title request; of a role that never occurred there nothing is known. */
export function capturedMessage(version: number): Rule {
  return tagged('role', { user: userMessage(version), assistant: answerMessage(version) }, openRecord({ role: string }));
}

export const usage = record({
  inputTokens: number,
  outputTokens: number,
  cacheReadTokens: opt(number),
  cacheWriteTokens: opt(number),
  reasoningTokens: opt(number),
  totalTokens: opt(number),
});

export const failure = record({
  message: string,
  code: string,
  status: opt(number),
  providerRetryAfterMs: opt(number),
  requestId: opt(string),
  offloadImages: opt(opaque),
});
