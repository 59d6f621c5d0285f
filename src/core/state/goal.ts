import { isRecord, type UnknownRecord } from '../json.ts';
import type { Projection } from './projection.ts';

/** The goal a session works towards. format/events.md §3. */
export interface GoalState {
  readonly id: string;
  readonly objective: string;
  /** active, paused, blocked or complete. */
  readonly phase: string;
  readonly revision: number;
  readonly roundsStarted: number;
  readonly maxGoalRounds: number | undefined;
  readonly blockedReason: string | undefined;
}

/**
 * The last `goal/change` wins; `clear` ends the goal. Before format 2 the change may travel in the source of an injected user message
 * instead. format/events.md §3, format/migrations.md §2.
 */
export const goalProjection: Projection<GoalState | undefined> = {
  start: undefined,
  apply(state, event) {
    const change = changeOf(event.type, event.data);
    if (change === undefined) return state;
    if (change['operation'] === 'clear') return undefined;
    return goalOf(change) ?? state;
  },
};

function changeOf(type: string, data: unknown): UnknownRecord | undefined {
  if (!isRecord(data)) return undefined;
  if (type === 'goal/change') return data;
  const source = type === 'user/message' ? data['source'] : undefined;
  const change = isRecord(source) && source['kind'] === 'goal' ? source['change'] : undefined;
  return isRecord(change) ? change : undefined;
}

function goalOf(change: UnknownRecord): GoalState | undefined {
  const goal = change['goal'];
  if (!isRecord(goal) || typeof goal['objective'] !== 'string' || typeof goal['phase'] !== 'string') return undefined;
  const blocked = goal['blockedReason'];
  return {
    id: typeof goal['id'] === 'string' ? goal['id'] : '',
    objective: goal['objective'],
    phase: goal['phase'],
    revision: countOf(goal['revision']) ?? 0,
    roundsStarted: countOf(change['roundsStarted']) ?? 0,
    maxGoalRounds: countOf(goal['maxGoalRounds']),
    blockedReason: isRecord(blocked) && typeof blocked['message'] === 'string' ? blocked['message'] : undefined,
  };
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
