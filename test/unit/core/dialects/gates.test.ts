import { describe, expect, it } from 'vitest';
import {
  KNOWN_SESSION_EVENT_TYPES,
  SESSION_FORMAT_VERSION,
  knownSessionEventTypes,
  passesEventGate,
  sessionFormatVersionRefusal,
} from '../../../../src/core/dialects/gates.ts';
import { dialectOf } from '../../../../src/core/dialects/dialect.ts';

/** format/migrations.md §6.2, written out by hand from the page. */
const V0_EARLY =
  'agent-preset/selected, agent/inbox/spliced, approval/asked, approval/decided, approval/policy, assistant/chunk, assistant/message, command/done, command/run, compaction/end, compaction/prune, compaction/start, compaction/summary, feedback/record, goal/change, hook/invoked, hook/result, llm/retry, llm/retry-started, permission/preset, plan/mode, request/context, request/header, sandbox/mode, schedule/change, session/end-seed, session/title, session/title-llm-request, step/end, step/start, subagent/descriptor, team/member, team/message/delivered, team/message/queued, team/task, todo/write, tool-workflow/agent-end, tool-workflow/agent-start, tool-workflow/run-end, tool-workflow/run-start, tool/call, tool/code-dispatch, tool/code-dispatch-start, tool/result, turn/end, turn/start, user/message, web/deepseek-search-llm-request'.split(
    ', ',
  );
const V0_FINAL = [...V0_EARLY, 'model/selection', 'session-log-deepseek/delivery-accepted', 'subagent/model-selection-policy'];
const V2 = [
  ...V0_FINAL.filter((type) => type !== 'assistant/chunk'),
  'assistant/attempt',
  'feedback/message-put',
  'feedback/message-delete',
];
const V3 = [
  ...V2.map((type) => type.replace('tool/code-dispatch', 'tool/ptc-dispatch')),
  'system/message',
  'subagent/catalog',
  'deliverables/presented',
  'image/offload',
  'workspace/changes',
];
const LISTS = [V0_FINAL, V0_FINAL, V2, V3, [...V3, 'developer/message']];
const COUNTS = [51, 51, 53, 58, 59];

describe('known event types', () => {
  it.each([0, 1, 2, 3, 4])('of version %i', (version) => {
    const wanted = LISTS[version] ?? [];
    expect(wanted).toHaveLength(COUNTS[version] ?? -1);
    expect([...knownSessionEventTypes(version)].toSorted()).toEqual(wanted.toSorted());
  });

  it('default to the newest version and are empty beyond it', () => {
    expect(SESSION_FORMAT_VERSION).toBe(4);
    expect(KNOWN_SESSION_EVENT_TYPES).toEqual(knownSessionEventTypes(4));
    expect(knownSessionEventTypes(5).size).toBe(0);
    expect(knownSessionEventTypes(-1).size).toBe(0);
  });

  it('do not hold what a downstream fork adds', () => {
    for (const version of [0, 1, 2, 3, 4]) expect(knownSessionEventTypes(version).has('slots/dispatch')).toBe(false);
  });
});

describe('the ignorable gate', () => {
  it('lets known types pass, and unknown ones only with the literal true', () => {
    expect(passesEventGate(4, 'turn/start', undefined)).toBe(true);
    expect(passesEventGate(4, 'x/y', true)).toBe(true);
    for (const mark of [undefined, false, 1, 'true', null]) expect(passesEventGate(4, 'x/y', mark)).toBe(false);
  });

  it('knows a type by its own version', () => {
    expect(passesEventGate(0, 'assistant/chunk', undefined)).toBe(true);
    expect(passesEventGate(2, 'assistant/chunk', undefined)).toBe(false);
    expect(passesEventGate(3, 'developer/message', undefined)).toBe(false);
  });

  it('applies after legacy names are mapped, in v0 alone', () => {
    for (const type of ['steering/message', 'compact/start', 'compact/summary', 'compact/end', 'compact/prune']) {
      expect(passesEventGate(0, type, undefined)).toBe(true);
      expect(passesEventGate(1, type, undefined)).toBe(false);
    }
    for (const type of ['request/header-delta', 'mode/set']) expect(passesEventGate(0, type, undefined)).toBe(false);
  });
});

describe('the version gate', () => {
  it('names session, version and direction', () => {
    expect(sessionFormatVersionRefusal('s-1', 9)).toMatch(/s-1.*9.*newer/);
    expect(sessionFormatVersionRefusal('s-1', 2)).toMatch(/s-1.*2.*older/);
    expect(sessionFormatVersionRefusal('s-1', 0.5)).toMatch(/not a version/);
  });

  it('leaves no dialect beyond 4', () => {
    expect(() => dialectOf(5)).toThrow(RangeError);
    for (const version of [0, 1, 2, 3, 4]) expect(dialectOf(version).version).toBe(version);
  });
});
