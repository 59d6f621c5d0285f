import { AttemptFold } from '../attempts.ts';
import { CutFinder } from '../cut.ts';
import type { EpochHeader, RequestContext, SessionHeader, StoredEvent } from '../events.ts';
import { contextOf, headerOf } from '../request.ts';
import { sumUsage, type UsageTotals } from '../usage.ts';
import { goalProjection, type GoalState } from './goal.ts';
import { modelProjection, type ModelChoice } from './model.ts';
import { latest, latestText, type Projection } from './projection.ts';
import { titleProjection, type SessionTitle } from './title.ts';
import { todoProjection, type TodoItem } from './todo.ts';

/** What a session's events so far add up to, apart from its history. */
export interface SessionState {
  readonly title: SessionTitle | undefined;
  readonly todos: readonly TodoItem[];
  readonly goal: GoalState | undefined;
  readonly planMode: boolean;
  readonly permissionPreset: string | undefined;
  /** read-only, workspace-write or danger-full-access. */
  readonly sandboxMode: string | undefined;
  /** ask or never. */
  readonly approvalPolicy: string | undefined;
  readonly model: ModelChoice | undefined;
  /** The effective preset: the last one chosen, else the header's. format/fork-resume.md §1. */
  readonly agentPreset: string | undefined;
  /** Envelope and route of the next request. */
  readonly header: EpochHeader | undefined;
  readonly route: RequestContext | undefined;
}

type Projections = { readonly [K in keyof SessionState]: Projection<SessionState[K]> };

const PROJECTIONS: Projections = {
  title: titleProjection,
  todos: todoProjection,
  goal: goalProjection,
  planMode: latest(false, 'plan/mode', (data) => (typeof data['active'] === 'boolean' ? data['active'] : undefined)),
  permissionPreset: latestText('permission/preset', 'preset'),
  sandboxMode: latestText('sandbox/mode', 'mode'),
  approvalPolicy: latestText('approval/policy', 'policy'),
  model: modelProjection,
  agentPreset: latestText('agent-preset/selected', 'agentPreset'),
  header: {
    start: undefined,
    apply: (state, event) => (event.type === 'request/header' ? (headerOf(event) ?? state) : state),
  },
  route: {
    start: undefined,
    apply: (state, event) => (event.type === 'request/context' ? (contextOf(event) ?? state) : state),
  },
};

const NAMES = Object.keys(PROJECTIONS) as (keyof SessionState)[];

/** All state projections in one pass, one event after the other. */
export class StateFold {
  readonly #state: { -readonly [K in keyof SessionState]: SessionState[K] };
  readonly #attempts: AttemptFold;

  constructor(header: SessionHeader) {
    const start = Object.fromEntries(NAMES.map((name) => [name, PROJECTIONS[name].start]));
    // Every name of the state has its start value.
    this.#state = { ...(start as unknown as SessionState), agentPreset: header.agentPreset };
    this.#attempts = new AttemptFold(header.version);
  }

  apply(event: StoredEvent): void {
    for (const name of NAMES) this.#step(name, event);
    this.#attempts.apply(event);
  }

  /** The state so far. A copy: it stays as it is when the fold goes on. */
  get state(): SessionState {
    return { ...this.#state };
  }

  /** Token sums so far, one figure per attempt. `inheritedEventCount` is the cut between parent and own. */
  usage(inheritedEventCount: number): UsageTotals {
    return sumUsage(this.#attempts.attempts(), inheritedEventCount);
  }

  #step<K extends keyof SessionState>(name: K, event: StoredEvent): void {
    const projection: Projection<SessionState[K]> = PROJECTIONS[name];
    this.#state[name] = projection.apply(this.#state[name], event);
  }
}

/**
 * State and usage after the event at `atSeq` (inclusive; the last event when absent). Events are dense from seq 0. The cut is that of the
 * whole log, so that the usage of an inherited prefix counts as inherited at any seq.
 */
export function stateAt(
  header: SessionHeader,
  events: readonly StoredEvent[],
  atSeq = events.length - 1,
): { readonly state: SessionState; readonly usage: UsageTotals } {
  const fold = new StateFold(header);
  const cut = new CutFinder(header);
  for (const event of events) {
    if (event.seq <= atSeq) fold.apply(event);
    cut.apply(event);
  }
  return { state: fold.state, usage: fold.usage(cut.inheritedEventCount) };
}
