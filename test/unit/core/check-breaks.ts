import type { Version } from '../../support/log-builder.ts';
import { blank, loose, nth, resultHolder, type Loose } from './check-log.ts';

export interface Break {
  readonly rule: string;
  readonly versions?: readonly Version[];
  /** Breaks the log and gives the seq the finding must name. */
  readonly mutate: (events: Loose[], version: Version) => number;
}

const dispatch = (version: Version): string => (version < 3 ? 'tool/code-dispatch' : 'tool/ptc-dispatch');
const set = (event: Loose, change: (event: Loose) => void): number => {
  change(event);
  return event.seq;
};
const setData = (event: Loose, data: Record<string, unknown>): number => set(event, () => Object.assign(event.data, data));

/** Ways to break the busy log, each by the rule it must be found under. */
export const BREAKS: Readonly<Record<string, Break>> = {
  'an entry that is no record': {
    rule: 'record',
    mutate: (events) => {
      (events as unknown[])[5] = null;
      return 5;
    },
  },
  'a seq that repeats': { rule: 'seq', mutate: (events) => set(events.at(-1) as Loose, (event) => (event.seq -= 1)) },
  'a gap in the seqs': { rule: 'seq', mutate: (events) => set(events.at(-1) as Loose, (event) => (event.seq += 5)) },
  'an unknown envelope key': {
    rule: 'envelope',
    mutate: (events) => set(nth(events, 'sandbox/mode'), (event) => Object.assign(event, { extra: 1 })),
  },
  'a fractional time': { rule: 'envelope', mutate: (events) => set(nth(events, 'step/start'), (event) => (event.time += 0.5)) },
  'an ignorable mark that is no literal true': {
    rule: 'envelope',
    mutate: (events) => set(nth(events, 'permission/preset'), (event) => (event.ignorable = 'true')),
  },
  'negative zero in a payload': {
    rule: 'lossless-json',
    mutate: (events) => setData(nth(events, 'request/context'), { contextWindow: -0 }),
  },
  'an unknown type': {
    rule: 'unknown-event',
    mutate: (events) => set(nth(events, 'permission/preset'), (event) => (event.type = 'future/thing')),
  },
  'an unknown type that may be ignored': {
    rule: 'unknown-ignorable',
    versions: [0, 1, 2],
    mutate: (events) =>
      set(nth(events, 'permission/preset'), (event) => Object.assign(event, { type: 'future/thing', ignorable: true })),
  },
  'a retired type': {
    rule: 'retired-event',
    versions: [0, 1],
    mutate: (events) => set(nth(events, 'permission/preset'), (event) => (event.type = 'mode/set')),
  },
  'the retired header reason': {
    rule: 'retired-event',
    mutate: (events) => setData(nth(events, 'request/header'), { reason: 'fallback' }),
  },
  'an end-seed with another payload': {
    rule: 'payload',
    versions: [2, 3, 4],
    mutate: (events) => setData(nth(events, 'session/end-seed'), { inherited: false }),
  },
  'a tool result that names two calls': {
    rule: 'payload',
    mutate: (events) => set(nth(events, 'tool/result'), (event) => (event.data.message.source.callId = 'other')),
  },
  'a tool error that is not marked as one': {
    rule: 'payload',
    versions: [3, 4],
    mutate: (events, version) => set(nth(events, 'tool/result', 3), (event) => (resultHolder(event, version).isError = false)),
  },
  'a tool-result block in format 4': {
    rule: 'payload',
    versions: [4],
    mutate: (events) =>
      set(nth(events, 'user/message'), (event) => (event.data['content'] = [{ type: 'tool-result', content: [] }])),
  },
  'a message without id': {
    rule: 'message-identity',
    versions: [3, 4],
    mutate: (events) => set(nth(events, 'user/message'), (event) => delete event.data['id']),
  },
  'a payload member the strict check does not know': {
    rule: 'strict-payload',
    versions: [0, 1, 2],
    mutate: (events) => setData(nth(events, 'permission/preset'), { origin: 'old' }),
  },
  'an answer that cites half its chunks': {
    rule: 'migration',
    versions: [0, 1],
    mutate: (events) => set(nth(events, 'assistant/message'), (event) => (event.sourceEventSeqs as number[]).pop()),
  },
  'an answer that still cites sources': {
    rule: 'surface',
    versions: [3, 4],
    mutate: (events) => set(nth(events, 'assistant/message'), (event) => (event.sourceEventSeqs = [0])),
  },
  'a surface event without an operation': {
    rule: 'surface',
    mutate: (events) => set(nth(events, 'user/message'), (event) => delete event.surfaceOp),
  },
  'a log-only event with an operation': {
    rule: 'surface',
    mutate: (events) => set(nth(events, 'turn/start'), (event) => (event.surfaceOp = 'append')),
  },
  'a replacement in the other spelling': {
    rule: 'surface',
    mutate: (events, version) =>
      set(nth(events, 'user/message', 1), (event) => {
        event.surfaceOp = version < 3 ? { op: 'replace', startSeq: 1, endSeq: 1 } : { op: 'replace', start: 1, end: 1 };
      }),
  },
  'a turn inside a turn': {
    rule: 'turn-start',
    mutate: (events) => (blank(nth(events, 'turn/end')), nth(events, 'turn/start', 1).seq),
  },
  'a turn number left out': { rule: 'turn-number', mutate: (events) => setData(nth(events, 'turn/start', 1), { turn: 3 }) },
  'a first turn that is not 1': { rule: 'turn-number', mutate: (events) => setData(nth(events, 'turn/start'), { turn: 2 }) },
  'the end of another turn': { rule: 'turn-end', mutate: (events) => setData(nth(events, 'turn/end'), { turn: 9 }) },
  'the end of no turn': { rule: 'turn-end', mutate: (events) => (blank(nth(events, 'turn/start')), nth(events, 'turn/end').seq) },
  'a turn that ends inside a step': {
    rule: 'turn-end-open-step',
    mutate: (events) => (blank(nth(events, 'step/end', 1)), nth(events, 'turn/end').seq),
  },
  'a turn that ends over calls': {
    rule: 'turn-end-open-calls',
    mutate: (events) => {
      // The second step of turn 2 is gone, and so are the result and the end of the first.
      blank(nth(events, 'tool/result', 3));
      blank(nth(events, 'step/end', 2));
      blank(nth(events, 'step/end', 2));
      return nth(events, 'turn/end', 1).seq;
    },
  },
  'a turn that ends over its compaction': {
    rule: 'turn-end-open-compaction',
    mutate: (events) => {
      blank(nth(events, 'session/end-seed'));
      blank(nth(events, 'compaction/end', 1));
      return nth(events, 'turn/end', 1).seq;
    },
  },
  'a step outside any turn': {
    rule: 'step-start',
    mutate: (events) => (blank(nth(events, 'turn/start', 1)), nth(events, 'step/start', 2).seq),
  },
  'a step inside a step': {
    rule: 'step-start',
    mutate: (events) => (blank(nth(events, 'step/end')), nth(events, 'step/start', 1).seq),
  },
  'a step number left out': { rule: 'step-number', mutate: (events) => setData(nth(events, 'step/start', 1), { step: 3 }) },
  'the end of another step': { rule: 'step-end', mutate: (events) => setData(nth(events, 'step/end'), { step: 7 }) },
  'the end of no step': {
    rule: 'step-end',
    mutate: (events) => (blank(nth(events, 'step/start', 1)), nth(events, 'step/end', 1).seq),
  },
  'a step that ends over a call': {
    rule: 'step-end-open-calls',
    mutate: (events) => (blank(nth(events, 'tool/result', 3)), nth(events, 'step/end', 2).seq),
  },
  'an answer of another step': {
    rule: 'outside-step',
    mutate: (events) => setData(nth(events, 'assistant/message'), { step: 2 }),
  },
  'a call of another turn': { rule: 'outside-step', mutate: (events) => setData(nth(events, 'tool/call'), { turn: 2 }) },
  'a system message of another step': {
    rule: 'outside-step',
    versions: [3, 4],
    mutate: (events) => setData(nth(events, 'system/message'), { step: 2 }),
  },
  'a result rewritten outside a turn': {
    rule: 'result-outside-turn',
    mutate: (events) => (blank(nth(events, 'turn/start')), nth(events, 'tool/result', 2).seq),
  },
  'a request header outside a turn': {
    rule: 'request-outside-turn',
    mutate: (events) => (blank(nth(events, 'turn/start')), nth(events, 'request/header').seq),
  },
  'a call id that is still pending': {
    rule: 'call-id-reused',
    mutate: (events) =>
      set(nth(events, 'assistant/message'), (event) => {
        const [first, second] = event.data.message.content.filter((block) => block.type === 'tool-call');
        if (first?.id !== undefined && second !== undefined) second.id = first.id;
      }),
  },
  'a call nobody asked for': {
    rule: 'call-not-advertised',
    mutate: (events) => setData(nth(events, 'tool/call'), { callId: 'nobody' }),
  },
  'a call that starts twice': {
    rule: 'call-started-twice',
    mutate: (events) => {
      // The first result becomes a second start of its call.
      const result = nth(events, 'tool/result');
      result.type = 'tool/call';
      result.data = loose({ ...nth(events, 'tool/call').data });
      delete result.surfaceOp;
      delete result.sourceEventSeqs;
      return result.seq;
    },
  },
  'a call with other arguments': {
    rule: 'call-differs',
    mutate: (events) => setData(nth(events, 'tool/call'), { arguments: '{}' }),
  },
  'a result for no call': {
    rule: 'result-without-call',
    mutate: (events, version) =>
      set(nth(events, 'tool/result'), (event) => {
        resultHolder(event, version).toolCallId = 'nobody';
        event.data.message.source.callId = 'nobody';
      }),
  },
  'a result for a call that never started': {
    rule: 'result-not-started',
    mutate: (events) => (blank(nth(events, 'tool/call', 2)), nth(events, 'tool/result', 3).seq),
  },
  'a retry of another step': { rule: 'retry-place', mutate: (events) => setData(nth(events, 'llm/retry'), { step: 2 }) },
  'a retry at another provider': {
    rule: 'retry-provider',
    mutate: (events) => setData(nth(events, 'llm/retry'), { provider: 'else' }),
  },
  'a retry number left out': { rule: 'retry-number', mutate: (events) => setData(nth(events, 'llm/retry', 1), { retry: 3 }) },
  'a second retry under another id': {
    rule: 'retry-number',
    mutate: (events) => setData(nth(events, 'llm/retry', 1), { retryId: 'other' }),
  },
  'a retry that begins unscheduled': {
    rule: 'retry-started',
    mutate: (events) => setData(nth(events, 'llm/retry-started', 1), { retry: 1 }),
  },
  'a sub-call that starts twice': {
    rule: 'dispatch-start',
    mutate: (events, version) => setData(nth(events, `${dispatch(version)}-start`, 1), { subCallId: 'sub-1' }),
  },
  'a sub-call under another root': {
    rule: 'dispatch-parent',
    mutate: (events, version) => setData(nth(events, `${dispatch(version)}-start`, 1), { rootCallId: 'elsewhere' }),
  },
  'a sub-call settled without a start': {
    rule: 'dispatch-settlement',
    mutate: (events, version) => setData(nth(events, dispatch(version)), { subCallId: 'never' }),
  },
  'a sub-call settled twice': {
    rule: 'dispatch-settlement',
    mutate: (events, version) => setData(nth(events, dispatch(version), 1), { ...nth(events, dispatch(version)).data }),
  },
  'a sub-call settled with other arguments': {
    rule: 'dispatch-settlement',
    mutate: (events, version) => setData(nth(events, dispatch(version)), { arguments: { path: 'z.txt' } }),
  },
  'a command run twice': {
    rule: 'command-run',
    mutate: (events) => {
      const first = nth(events, 'permission/preset');
      first.data = loose({ ...nth(events, 'command/run').data });
      first.type = 'command/run';
      return nth(events, 'command/run', 1).seq;
    },
  },
  'a command done without a run': {
    rule: 'command-done',
    mutate: (events) => (blank(nth(events, 'command/run')), nth(events, 'command/done').seq),
  },
  'a command done twice': {
    rule: 'command-done',
    mutate: (events) =>
      set(nth(events, 'compaction/end', 2), (event) => {
        event.type = 'command/done';
        event.data = loose({ commandId: nth(events, 'command/run').data['commandId'], kind: 'success' });
      }),
  },
  'a failed command that names what it produced': {
    rule: 'command-source',
    mutate: (events) => setData(nth(events, 'command/done'), { kind: 'error' }),
  },
  'a command that names a command event': {
    rule: 'command-source',
    mutate: (events) => setData(nth(events, 'command/done'), { sourceEventSeq: nth(events, 'command/run').seq }),
  },
  'a title of no prompt': {
    rule: 'title-messages',
    mutate: (events) => setData(nth(events, 'session/title'), { messageSeqs: [0] }),
  },
  'a title that names a prompt twice': {
    rule: 'title-messages',
    mutate: (events) => {
      const { seq } = nth(events, 'user/message');
      return setData(nth(events, 'session/title'), { messageSeqs: [seq, seq] });
    },
  },
  'a made title without messages': {
    rule: 'title-messages',
    mutate: (events) => setData(nth(events, 'session/title'), { messageSeqs: [] }),
  },
  'a compaction inside a compaction': {
    rule: 'compaction-start',
    mutate: (events) => (blank(nth(events, 'compaction/end')), nth(events, 'compaction/start', 1).seq),
  },
  'a compaction of another turn': {
    rule: 'compaction-start',
    mutate: (events) => setData(nth(events, 'compaction/start', 1), { turn: null }),
  },
  'a summary of no compaction': {
    rule: 'compaction-summary',
    mutate: (events) => setData(nth(events, 'compaction/summary'), { compactionId: 'else' }),
  },
  'a second summary': {
    rule: 'compaction-summary',
    mutate: (events) => {
      // The failed compaction's start becomes part of the one before it.
      const last = nth(events, 'compaction/summary', 1);
      const end = nth(events, 'compaction/end', 1);
      end.type = 'compaction/summary';
      end.data = loose({ ...last.data });
      return end.seq;
    },
  },
  'a summary that leaves a node out': {
    rule: 'compaction-span',
    mutate: (events) => set(nth(events, 'compaction/summary'), (event) => event.data.shadowedSeqs.pop()),
  },
  'a prune of what is no node': {
    rule: 'compaction-span',
    mutate: (events) => setData(nth(events, 'compaction/prune'), { shadowedSeqs: [1], shadowedRange: { start: 1, end: 1 } }),
  },
  'a summary that covers the system prompt': {
    rule: 'compaction-span',
    versions: [3, 4],
    mutate: (events) =>
      set(nth(events, 'compaction/summary'), (event) => {
        const head = nth(events, 'system/message').seq;
        event.data.shadowedSeqs.unshift(head);
        event.data.shadowedRange.start = head;
      }),
  },
  'a compaction that ends without a summary': {
    rule: 'compaction-end',
    mutate: (events) => (blank(nth(events, 'compaction/summary')), nth(events, 'compaction/end').seq),
  },
  'the end of another compaction': {
    rule: 'compaction-end',
    mutate: (events) => setData(nth(events, 'compaction/end'), { compactionId: 'else' }),
  },
  'a compaction that ends in another turn': {
    rule: 'compaction-end',
    mutate: (events) => setData(nth(events, 'compaction/end', 1), { turn: 1 }),
  },
  'an upload of another session': {
    rule: 'delivery',
    mutate: (events) => setData(nth(events, 'session-log-deepseek/delivery-accepted'), { sessionId: 'else' }),
  },
  'a subagent recorded twice': {
    rule: 'subagent-catalog',
    versions: [3, 4],
    mutate: (events) => {
      const row = { version: 0, childId: 'kid', childCreatedAt: 1, mode: 'one-shot' };
      for (const type of ['permission/preset', 'sandbox/mode']) {
        const event = nth(events, type);
        event.type = 'subagent/catalog';
        event.data = loose({ ...row });
      }
      return nth(events, 'subagent/catalog', 1).seq;
    },
  },
  'an answer without a request header': {
    rule: 'model-visible-header',
    mutate: (events, version) => {
      blank(nth(events, 'request/header'));
      return nth(events, version < 2 ? 'assistant/chunk' : 'assistant/attempt').seq;
    },
  },
  'an answer without a route': {
    rule: 'model-visible-route',
    versions: [2, 3, 4],
    mutate: (events) => {
      const route = nth(events, 'request/context');
      const late = nth(events, 'agent/inbox/spliced', 4);
      late.type = route.type;
      late.data = route.data;
      blank(route);
      return nth(events, 'assistant/attempt').seq;
    },
  },
  'an answer to nothing': {
    rule: 'model-visible-request',
    versions: [2],
    mutate: (events) => (blank(nth(events, 'user/message')), nth(events, 'assistant/attempt').seq),
  },
  'an answer after a broken surface': {
    rule: 'model-visible-request',
    versions: [2, 3, 4],
    mutate: (events) => {
      delete nth(events, 'user/message').surfaceOp;
      return nth(events, 'assistant/attempt').seq;
    },
  },
};
