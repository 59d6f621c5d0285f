import { describe, expect, it } from 'vitest';
import { knownSessionEventTypes, type StoredEvent } from '../../../src/core/index.ts';
import { rowText, type RowContext } from '../../../src/worker/labels/row-text.ts';
import { rowSaid } from './session-harness.ts';

function said(type: string, data: unknown, rest: Partial<StoredEvent> = {}, context: RowContext = {}): string {
  return rowSaid(rowText({ type, seq: 1, time: 0, data, ...rest }, context));
}

const words = (text: string): unknown[] => [{ type: 'text', text }];
const event = (type: string, data: unknown): StoredEvent => ({ type, seq: 2, time: 0, data });
const llmFailure = { message: 'Too many requests.', code: 'RATE_LIMIT', status: 429 };

/** format/events.md §2, §3: "shown as". */
const expected: readonly (readonly [
  type: string,
  data: unknown,
  row: string,
  rest?: Partial<StoredEvent>,
  context?: RowContext,
])[] = [
  ['turn/start', { turn: 3 }, 'Turn 3 started'],
  ['turn/end', { turn: 3, reason: { kind: 'completed' } }, 'Turn 3 ended | completed'],
  ['turn/end', { turn: 3, reason: { kind: 'aborted', reason: { kind: 'user' } } }, 'Turn 3 ended | aborted by user'],
  [
    'turn/end',
    { turn: 3, reason: { kind: 'aborted', reason: { kind: 'hook', reason: 'no net' } } },
    'Turn 3 ended | aborted by hook: no net',
  ],
  ['turn/end', { turn: 3, reason: { kind: 'aborted' } }, 'Turn 3 ended | aborted'],
  ['turn/end', { turn: 3, reason: { kind: 'error', error: llmFailure } }, 'Turn 3 ended | Too many requests. | error RATE_LIMIT'],
  ['turn/end', { turn: 3, reason: { kind: 'max-tokens' } }, 'Turn 3 ended | output limit reached'],
  ['turn/end', { turn: 3, reason: { kind: 'forked' } }, 'Turn 3 ended | forked here'],
  ['turn/end', { turn: 3, reason: { kind: 'teleported' } }, 'Turn 3 ended | teleported'],
  ['step/start', { turn: 3, step: 2 }, 'Step 3.2 started'],
  ['step/end', { turn: 3, step: 2 }, 'Step 3.2 ended'],
  ['user/message', { source: { kind: 'user' }, content: words('Fix\nthe  bug') }, 'You | Fix the bug'],
  ['user/message', { source: { kind: 'plugin', plugin: 'todo' }, content: words('nag') }, 'Context | todo · nag'],
  ['user/message', { source: { kind: 'time-context' }, content: [] }, 'Context | time-context'],
  ['user/message', { source: { kind: 'compact-basic' }, content: [] }, 'Checkpoint | Earlier context was compacted'],
  // As the first format wrote it, without an id (format/migrations.md §1 and §4).
  ['user/message', { source: { kind: 'plugin', plugin: 'compact' }, content: [] }, 'Checkpoint | Earlier context was compacted'],
  // As the first format wrote it, without an id (format/migrations.md §1 and §4).
  ['user/message', { source: { kind: 'plugin', plugin: 'compact' }, content: [] }, 'Checkpoint | Earlier context was compacted'],
  [
    'user/message',
    {
      source: { kind: 'agent-instructions', form: 'instructions', changes: [{ path: 'AGENTS.md' }, { path: 'sub/AGENTS.md' }] },
      content: words('long'),
    },
    'Context | agent-instructions · AGENTS.md, sub/AGENTS.md',
  ],
  [
    'user/message',
    { source: { kind: 'subagent-settled', form: 'notice', summary: 'worker is done' }, content: words('long') },
    'Context | subagent-settled · worker is done',
  ],
  [
    'user/message',
    { source: { kind: 'compact-checkpoint', compactionId: 'k' }, content: words('sum') },
    'Checkpoint | Earlier context was compacted: sum',
  ],
  [
    'user/message',
    { source: { kind: 'user' }, content: [{ type: 'image', attachment: { name: 'shot.png' } }, ...words('look')] },
    'You | [image shot.png] look',
  ],
  ['system/message', { message: { content: words('Be kind.') } }, 'System prompt | Be kind.', { surfaceOp: 'append' }],
  [
    'system/message',
    { message: { content: [] } },
    'System prompt cleared',
    { surfaceOp: { op: 'replace', startSeq: 0, endSeq: 0 } },
  ],
  [
    'developer/message',
    {
      message: {
        content: [
          { type: 'tool-addition', toolName: 'bash' },
          { type: 'tool-removal', toolName: 'read' },
        ],
      },
    },
    'Tools changed | added bash; removed read',
  ],
  ['developer/message', { message: { content: [{ type: 'tool-addition', toolName: 'bash' }] } }, 'Tools added | bash'],
  ['developer/message', { message: { content: [] } }, 'Tools changed | no content'],
  ['developer/message', { message: { content: words('Search is off.') } }, 'Tools changed | Search is off.'],
  ['assistant/chunk', {}, 'Stream | half an ans | 12 chunks', {}, { stream: { count: 12, text: 'half an ans' } }],
  ['assistant/chunk', {}, 'Stream | Too many requests. | 1 chunk', {}, { stream: { count: 1, text: '', failure: llmFailure } }],
  [
    'assistant/chunk',
    {},
    'Stream | half · Too many requests. | 2 chunks',
    {},
    { stream: { count: 2, text: 'half', failure: llmFailure } },
  ],
  ['assistant/message', { message: { content: words('Done.') } }, 'Assistant | Done.'],
  ['assistant/message', { message: { content: words('Do') }, interrupted: true }, 'Assistant | Do | interrupted'],
  [
    'assistant/message',
    {
      message: {
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'tool-call', name: 'bash' },
          { type: 'tool-call', name: 'read' },
        ],
      },
    },
    'Assistant | calls bash, read',
  ],
  ['assistant/message', { message: { content: [{ type: 'reasoning', text: 'hm' }] } }, 'Assistant | thinking: hm'],
  ['assistant/message', { message: { content: [] } }, 'Assistant | no content'],
  [
    'assistant/attempt',
    { stream: [{ type: 'chunk', time: 1, chunk: { type: 'finish', reason: { kind: 'error', failure: llmFailure } } }] },
    'Attempt discarded | Too many requests. | error RATE_LIMIT',
  ],
  [
    'assistant/attempt',
    { stream: [{ type: 'text-chunks', time0: 1, index: 0, dt: [], texts: ['ha', 'lf'] }] },
    'Attempt discarded | half',
  ],
  ['assistant/attempt', { stream: [] }, 'Attempt discarded | no content'],
  ['tool/call', { name: 'bash', arguments: '{"command":"npm test","description":"d"}' }, 'bash | npm test | open'],
  [
    'tool/call',
    { name: 'bash', arguments: '{"command":"npm test"}' },
    'bash | npm test | exit 1',
    {},
    { pair: event('tool/result', { message: { content: words('boom') }, meta: { exitCode: 1 } }) },
  ],
  // What a tool that runs nothing answers may end like that as well.
  [
    'tool/call',
    { name: 'read', arguments: '{"file_path":"run.sh"}' },
    'read | run.sh | 15 characters',
    {},
    { pair: event('tool/result', { message: { content: words('set -e\n  exit 1') } }) },
  ],
  [
    'tool/result',
    { message: { content: words('The page answered with code 404') }, meta: { code: 404 } },
    'web_fetch result | The page answered with code 404 | 31 characters',
    { surfaceOp: 'append' },
    { pair: event('tool/call', { name: 'web_fetch', arguments: '{"url":"https://a.example"}' }) },
  ],
  [
    'tool/call',
    { name: 'mcp_runner', arguments: '{"command":"make"}' },
    'mcp_runner | make | exit 2',
    {},
    { pair: event('tool/result', { message: { content: words('boom\nexit code: 2') } }) },
  ],
  [
    'tool/result',
    { message: { content: words('bg-done\n(finished, code 3)') } },
    'job_output result | bg-done (finished, code 3) | exit 3',
    { surfaceOp: 'append' },
    { pair: event('tool/call', { name: 'job_output', arguments: '{"job_id":"bash-1"}' }) },
  ],
  ['tool/call', { name: 'update_goal', arguments: '{"goal_id":"goal-1","action":"complete"}' }, 'update_goal | complete | open'],
  ['tool/call', { name: 'other', arguments: '{"thing_id":"t-1","colour":"red"}' }, 'other | red | open'],
  ['tool/call', { name: 'web_search', arguments: '{"queries":["one","two"]}' }, 'web_search | one, two | open'],
  ['tool/call', { name: 'other', arguments: '{"thing_id":"t-1"}' }, 'other | t-1 | open'],
  [
    'tool/result',
    { message: { content: words('{"goal":{"id":"g","objective":"Ship it","phase":"active"}}') } },
    'get_goal result | Ship it · active | 58 characters',
    { surfaceOp: 'append' },
    { pair: event('tool/call', { name: 'get_goal' }) },
  ],
  ['tool/call', { name: 'grep', arguments: '{"pattern":"x+","path":"src"}' }, 'grep | x+ · src | open'],
  [
    'tool/call',
    { name: 'read', arguments: '{"file_path":"a.ts","offset":40}' },
    'read | a.ts:40 | 1 line',
    {},
    { pair: event('tool/result', { message: { content: [] }, meta: { totalLines: 1 } }) },
  ],
  [
    'tool/call',
    { name: 'edit', arguments: '{"file_path":"a.ts","old_string":"x","new_string":"y"}' },
    'edit | a.ts | +2 −1 lines',
    {},
    {
      pair: event('tool/result', {
        message: { content: words('ok') },
        meta: { diffs: [{ path: 'a.ts', oldText: 'a\nx\nz', newText: 'a\ny\ny\nz' }] },
      }),
    },
  ],
  ['tool/call', { name: 'bash', arguments: '{"command": "unfin' }, 'bash | {"command": "unfin | open'],
  ['tool/result', { message: { content: words('one\ntwo') } }, 'Result | one two | 7 characters', { surfaceOp: 'append' }],
  [
    'tool/result',
    { message: { content: [{ type: 'tool-result', content: words('no'), isError: true }] }, error: { name: 'E', code: 'X_Y' } },
    'bash failed | no | X_Y',
    { surfaceOp: 'append' },
    { pair: event('tool/call', { name: 'bash' }) },
  ],
  [
    'tool/result',
    {
      message: {
        content: [
          {
            type: 'tool-result',
            content: words('✓ a fails well\n0 failed so far\n✗ dates > keeps the day\nexpected 1, got 2'),
            isError: true,
          },
        ],
      },
      meta: { exitCode: 1 },
    },
    'bash failed | … ✗ dates > keeps the day expected 1, got 2 | exit 1',
    { surfaceOp: 'append' },
    { pair: event('tool/call', { name: 'bash' }) },
  ],
  [
    'tool/result',
    { message: { content: words('compiling\nsrc/a.ts: TypeError: x'), isError: true } },
    'Tool failed | … src/a.ts: TypeError: x',
    { surfaceOp: 'append' },
  ],
  [
    'tool/result',
    { message: { content: words('\nError: no\nat b'), isError: true } },
    'Tool failed | Error: no at b',
    { surfaceOp: 'append' },
  ],
  [
    'tool/result',
    { message: { content: words('ok then\nerror: warned about') } },
    'Result | ok then error: warned about | 27 characters',
    { surfaceOp: 'append' },
  ],
  [
    'tool/result',
    { message: { content: words('o') } },
    'Shortened result | o | 1 character',
    { surfaceOp: { op: 'replace', startSeq: 0, endSeq: 0 } },
  ],
  [
    'request/header',
    { header: { config: { provider: 'p', model: 'm' }, tools: [{}, {}] }, reason: 'change' },
    'Request settings | p/m, 2 tools | changed',
  ],
  ['request/context', { provider: 'p', model: 'm', contextWindow: 128000 }, 'Route | p/m | window 128k'],
  ['session/end-seed', {}, 'Resumed here'],
  ['session/end-seed', { inherited: true }, 'Forked from parent here'],
  [
    'todo/write',
    {
      todos: [
        { content: 'a', status: 'completed' },
        { content: 'b', status: 'in_progress' },
      ],
    },
    'Todo list | b | 1 of 2 done',
  ],
  ['todo/write', { todos: [] }, 'Todo list | empty'],
  ['agent/inbox/spliced', { inserted: [{ content: words('next') }] }, 'Message queued | next'],
  ['agent/inbox/spliced', { inserted: [], removedCount: 1 }, 'Message taken | 1 message'],
  ['agent/inbox/spliced', { inserted: [], removedCount: 2, outcome: 'canceled' }, 'Message cancelled | 2 messages'],
  ['agent-preset/selected', { agentPreset: 'ptc' }, 'Preset | ptc'],
  [
    'approval/asked',
    { id: 'q', toolName: 'bash', reason: 'network' },
    'Approval asked | bash · network | rejected',
    {},
    { pair: event('approval/decided', { outcome: 'rejected' }) },
  ],
  ['approval/decided', { id: 'q', outcome: 'allowed-once' }, 'Approval | approved'],
  ['approval/policy', { policy: 'never' }, 'Approval policy | never ask'],
  ['command/run', { name: 'compact', args: 'now' }, '/compact | now | open'],
  [
    'command/done',
    { kind: 'error', text: 'no' },
    '/compact failed | no | failed',
    {},
    { pair: event('command/run', { name: 'compact' }) },
  ],
  ['command/done', { kind: 'error' }, 'Command failed |  | failed'],
  ['command/done', { kind: 'success' }, 'Command done |  | done'],
  ['compaction/start', { turn: null }, 'Compaction started | between turns'],
  [
    'compaction/summary',
    { shadowedSeqs: [1, 2], shadowedTokenCount: 41200, usage: { outputTokens: 1100 } },
    'Compaction | 2 messages summarised, 41.2k → ≈1.1k tokens',
  ],
  ['compaction/prune', { shadowedSeqs: [1], shadowedTokenCount: 300 }, 'Pruned | 1 message, 300 tokens'],
  ['compaction/end', {}, 'Compaction finished'],
  ['compaction/end', { error: { message: 'too long', code: 'X' } }, 'Compaction failed | too long | error X'],
  [
    'image/offload',
    {
      targets: [
        { seq: 1, imageIndexes: [0, 1] },
        { seq: 2, imageIndexes: [0] },
      ],
    },
    'Images removed | 3 images left the context',
  ],
  ['feedback/record', { text: 'good' }, 'Feedback | good'],
  ['feedback/message-put', { item: { rating: 'negative', note: 'slow' } }, 'Rated − | slow'],
  ['feedback/message-delete', {}, 'Rating removed'],
  ['goal/change', { operation: 'create', goal: { objective: 'ship' } }, 'Goal | ship | created'],
  ['hook/invoked', { point: 'pre-tool' }, 'Hook | pre-tool | allow', {}, { pair: event('hook/result', { decision: 'allow' }) }],
  ['hook/result', { decision: 'block', exitCode: 2 }, 'Hook result | block | exit 2'],
  ['llm/retry', { retry: 2, delayMs: 1500, failure: llmFailure }, 'Retry 2 in 1.5 s | Too many requests. | error RATE_LIMIT'],
  ['llm/retry', { retry: 1, delayMs: 90_000, failure: { message: 'No.' } }, 'Retry 1 in 1.5 min | No. | error'],
  ['llm/retry', { retry: 1, failure: { code: 'X' } }, 'Retry 1 |  | error X'],
  ['llm/retry-started', { retry: 2 }, 'Retry 2 started'],
  ['model/selection', { provider: 'p', model: 'm' }, 'Model | p/m'],
  ['permission/preset', { preset: 'read-only' }, 'Permissions | read-only'],
  ['plan/mode', { active: true }, 'Plan mode | on'],
  ['sandbox/mode', { mode: 'read-only' }, 'Sandbox | read-only'],
  ['schedule/change', { operation: 'create', schedule: { title: 'nightly', prompt: 'p' } }, 'Schedule created | nightly'],
  ['schedule/change', { operation: 'dispatch', id: 's1' }, 'Schedule fired | s1'],
  ['session/title', { title: 'New name', source: { kind: 'user' } }, 'Renamed | New name'],
  ['session/title', { title: 'New name', source: { kind: 'provider' } }, 'Title | New name'],
  ['session/title-llm-request', { route: { provider: 'p', model: 'm' } }, 'Title request | p/m'],
  ['session-log-deepseek/delivery-accepted', { throughSeq: 41 }, 'Log uploaded | through #41'],
  ['subagent/descriptor', { label: 'counter' }, 'Subagent | counter'],
  ['subagent/catalog', { childId: 'c1', label: 'counter' }, 'Started subagent | counter'],
  ['subagent/model-selection-policy', { allowedModels: [{ provider: 'p', model: 'm' }] }, 'Subagent models limited | p/m'],
  ['team/member', { member: { name: 'Ada', description: 'tests' } }, 'Team member | Ada · tests'],
  ['team/task', { task: { subject: 'port it', status: 'open' } }, 'Team task | port it | open'],
  ['team/message/queued', { message: { senderName: 'Ada', content: words('hi') } }, 'Team message | Ada · hi'],
  ['team/message/delivered', { targetId: 'bob' }, 'Team message delivered | bob'],
  ['tool/ptc-dispatch-start', { name: 'bash', arguments: { command: 'date' } }, 'Sub-call bash | date | open'],
  [
    'tool/code-dispatch-start',
    { name: 'bash', arguments: { command: 'date' } },
    'Sub-call bash | date',
    {},
    { pair: event('tool/code-dispatch', { isError: false }) },
  ],
  ['tool/ptc-dispatch', { name: 'bash', isError: true, content: words('no') }, 'bash failed | no'],
  ['tool/code-dispatch', { name: 'bash', isError: false, content: words('Monday') }, 'bash result | Monday'],
  ['tool-workflow/run-start', { name: 'review' }, 'Workflow | review'],
  ['tool-workflow/agent-start', { label: 'reader' }, 'Workflow agent | reader'],
  ['tool-workflow/agent-end', { outcome: 'failed' }, 'Workflow agent ended | failed'],
  ['tool-workflow/run-end', { stopReason: 'completed' }, 'Workflow ended | completed'],
  ['deliverables/presented', { files: [{ path: 'a.md' }, { path: 'b.csv' }] }, 'Files delivered | a.md, b.csv'],
  ['workspace/changes', { turn: 4 }, 'Files changed | in turn 4'],
  ['web/deepseek-search-llm-request', { body: { model: 'search-1' } }, 'Web search request | search-1'],
  ['acme/thing', { a: 1 }, 'acme/thing | unknown type, may be ignored', { ignorable: true }],
  ['acme/thing', 'text', 'acme/thing | unknown type'],
];

describe('one line for every event', () => {
  it.each(expected.map((line) => [line[0], line[2], line] as const))(
    '%s: %s',
    (_type, _row, [type, data, row, rest, context]) => {
      expect(said(type, data, rest, context)).toBe(row);
    },
  );

  it('knows every type of every version, and says something of an empty payload', () => {
    for (const version of [0, 1, 2, 3, 4]) {
      for (const type of knownSessionEventTypes(version)) {
        expect(said(type, {})).not.toMatch(/unknown type/);
        for (const data of [null, [], 'x', 1]) expect(said(type, data)).not.toBe('');
      }
    }
  });

  it('keeps to one bounded line whatever the words are', () => {
    const evil = `a\u202Eb\u0000c\nd\u001b[31me\ufefff${'x'.repeat(5000)}`;
    for (const type of knownSessionEventTypes(4)) {
      const row = said(type, {
        title: evil,
        name: evil,
        text: evil,
        preset: evil,
        content: words(evil),
        message: { content: words(evil) },
        source: { kind: evil },
        arguments: evil,
        toolName: evil,
        reason: evil,
        label: evil,
      });
      expect(row).not.toMatch(/[\p{Cc}\u202e\ufeff]/u);
      expect(row.length).toBeLessThan(700);
    }
  });
});
