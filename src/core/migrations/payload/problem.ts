import type { StoredEvent } from '../../events.ts';
import { isRecord, wordOf } from '../../json.ts';
import { text, type Text } from '../../text.ts';
import { payloadRules } from './event-rules.ts';
import type { PayloadProblem } from './rules.ts';

/**
 * What the strict payload check of a migration from `version` (0–2) says about an event in the shape of that version (v0: already in
 * v1's). Types without a rule pass. format/migrations.md §1.
 */
export function strictPayloadProblem(event: StoredEvent, version: number): Text | undefined {
  const rules = payloadRules(version);
  const rule = rules !== undefined && Object.hasOwn(rules, event.type) ? rules[event.type] : undefined;
  const problem = rule?.(event.data, '');
  return problem === undefined ? undefined : describe(event, problem);
}

function describe(event: StoredEvent, problem: PayloadProblem): Text {
  const { seq, type, data } = event;
  if (type === 'subagent/descriptor' && problem.path === 'version' && problem.kind === 'value') {
    const version = isRecord(data) ? wordOf(data['version']) : '';
    return text('#{seq} (subagent/descriptor) has version {version}; only version 3 is migrated', { seq, version });
  }
  const place = { seq, type, path: problem.path === '' ? 'data' : problem.path };
  switch (problem.kind) {
    case 'missing':
      return text('#{seq} ({type}) lacks the member "{path}"', place);
    case 'unknown':
      return text('#{seq} ({type}) has the member "{path}", which the strict check does not know', place);
    case 'value':
      return text('#{seq} ({type}): the value of "{path}" is not one the strict check accepts', place);
  }
}
