/**
 * The tables a timeline is drawn from: struct of arrays, payload-free, so that they cross thread and frame borders as
 * plain ArrayBuffers (design.md §3). One schema per table; the worker builds them, the webview only reads them.
 *
 * Conventions: times are epoch milliseconds (Float64, wall clock, may go backwards), `NaN` = unknown; seqs, indexes and
 * counts are Uint32, `NONE` = absent; string columns are indexes into `TimelineStrings`.
 */
export const NONE = 0xffffffff;

/** Units kept of an event type or a tool's name. */
export const LONGEST_NAME = 200;

export type ColumnKind = 'u8' | 'u16' | 'u32' | 'f32' | 'f64';
export type ColumnArray<K extends ColumnKind> = K extends 'u8'
  ? Uint8Array
  : K extends 'u16'
    ? Uint16Array
    : K extends 'u32'
      ? Uint32Array
      : K extends 'f32'
        ? Float32Array
        : Float64Array;

export type Schema = Readonly<Record<string, ColumnKind>>;
export type Table<S extends Schema> = { readonly length: number } & {
  readonly columns: { readonly [K in keyof S]: ColumnArray<S[K]> };
};

/** One list entry: an event, or the run of stream chunks of one attempt folded into one (v0/v1). In log order. */
const entries = {
  seq: 'u32', //        first seq
  count: 'u32', //      events folded into this entry (1, or the chunks of one attempt)
  time: 'f64', //       of the first event
  duration: 'f32', //   ms, NaN where the entry is an instant or still open
  type: 'u16', //       -> strings.types
  family: 'u8', //      FAMILY
  turn: 'u32', //       index into turns, NONE between turns
  step: 'u32', //       index into steps, NONE outside steps
  shadowedBy: 'u32', // seq of the replacement that shadowed this node, NONE = never
  pair: 'u32', //       entry index of the other half (call <-> result), NONE
  flags: 'u16', //      ENTRY_FLAG bits
} as const satisfies Schema;

/** One turn, also an implied one where the log lacks its start. Entry ranges are half open. */
const turns = {
  number: 'u32',
  firstSeq: 'u32', //   seq of turn/start (or of the first event of an implied turn)
  lastSeq: 'u32', //    seq of turn/end, or the last event so far
  start: 'f64',
  end: 'f64', //        NaN while open
  firstEntry: 'u32',
  endEntry: 'u32',
  firstStep: 'u32', //  steps of this turn are consecutive
  endStep: 'u32',
  calls: 'u32', //      top-level tool calls
  outcome: 'u8', //     OUTCOME
} as const satisfies Schema;

const steps = {
  turn: 'u32', //       index into turns
  number: 'u32',
  firstSeq: 'u32',
  lastSeq: 'u32',
  start: 'f64',
  end: 'f64',
  firstEntry: 'u32',
  endEntry: 'u32',
  outcome: 'u8', //     OUTCOME (its turn's when that stopped in it, else its last attempt's)
} as const satisfies Schema;

/** One model attempt of a step: request dispatched, first token, end; with its usage (one figure per attempt). */
const attempts = {
  step: 'u32', //       index into steps
  number: 'u32', //     1-based within the step
  seq: 'u32', //        the settling assistant/message or assistant/attempt, else the first chunk, else NONE
  entry: 'u32',
  requestEnd: 'u32', // its request is the fold of the events before this seq
  start: 'f64', //      dispatch (last event before the first chunk of the attempt: header, step start, retry-started)
  firstToken: 'f64', // NaN unknown
  end: 'f64', //        NaN while open
  outcome: 'u8', //     OUTCOME: completed, error (discarded, retried), interrupted, open
  input: 'u32', //      uncached input tokens
  cacheRead: 'u32',
  cacheWrite: 'u32',
  output: 'u32', //     includes reasoning
  reasoning: 'u32',
  hasUsage: 'u8', //    0/1; without usage the five figures are 0
} as const satisfies Schema;

/** One tool call or sub-call of a code tool, stacked so that overlapping ones never share a lane. */
const calls = {
  seq: 'u32', //        tool/call (or dispatch-start); for an advertised but never started call the assistant message
  result: 'u32', //     seq of its result, NONE while open
  entry: 'u32',
  step: 'u32', //       index into steps, NONE
  name: 'u32', //       -> strings.names
  start: 'f64',
  end: 'f64', //        NaN while open
  lane: 'u16',
  parent: 'u32', //     index into calls of the parent of a sub-call, NONE
  outcome: 'u8', //     OUTCOME
} as const satisfies Schema;

/** One surface replacement. `shadowed` seqs lie in `shadowedSeqs` (flat), [from, to). */
const replacements = {
  seq: 'u32', //        the replacing event
  kind: 'u8', //        REPLACEMENT
  from: 'u32', //       into shadowedSeqs
  to: 'u32',
  firstSeq: 'u32', //   smallest shadowed seq
  lastSeq: 'u32', //    largest shadowed seq
  tokensBefore: 'f64', // shadowedTokenCount of the compaction or prune record, NaN unknown
  tokensAfter: 'f64', //  output tokens of the summary's usage (≈), NaN unknown
} as const satisfies Schema;

/** A session started from this log: a subagent or a workflow's agent, under the call that ran when it was announced. */
const children = {
  seq: 'u32', //        subagent/catalog or tool-workflow/agent-start
  entry: 'u32',
  call: 'u32', //       index into calls, NONE
  child: 'u32', //      -> strings.children, the child's session id
  time: 'f64',
} as const satisfies Schema;

const shadowedSeqs = { seq: 'u32' } as const satisfies Schema;

/** One compaction bracket, whether it replaced anything or not. */
const compactions = {
  startSeq: 'u32',
  summarySeq: 'u32', // NONE
  replacement: 'u32', // index into replacements, NONE
  endSeq: 'u32', //     NONE while open or abandoned
  start: 'f64',
  end: 'f64',
  outcome: 'u8', //     OUTCOME: completed, error, open, abandoned (dropped at an end-seed)
} as const satisfies Schema;

/** session/end-seed events and the cut (decisions.md "Two dividers"). */
const dividers = { seq: 'u32', time: 'f64', kind: 'u8' } as const satisfies Schema;

/** Points worth a mark on the overview. */
const marks = { seq: 'u32', entry: 'u32', time: 'f64', kind: 'u8' } as const satisfies Schema;

/** Context size after each answered request: billed input + output tokens, and the recorded window (0 unknown). */
const context = { seq: 'u32', time: 'f64', tokens: 'f32', window: 'f32' } as const satisfies Schema;

/** Ordinary fork boundaries (legal without closers), as inclusive seq runs (decisions.md "Marks"). */
const boundaries = { first: 'u32', last: 'u32' } as const satisfies Schema;

export const TABLES = {
  entries,
  turns,
  steps,
  attempts,
  calls,
  replacements,
  shadowedSeqs,
  compactions,
  dividers,
  marks,
  context,
  boundaries,
  children,
} as const;

export type TableName = keyof typeof TABLES;
export type TableOf<N extends TableName> = Table<(typeof TABLES)[N]>;
export type TimelineTables = { readonly [N in TableName]: TableOf<N> };

/** String tables: event types, tool names and ids of child sessions, in first-seen order. */
export interface TimelineStrings {
  readonly types: readonly string[];
  readonly names: readonly string[];
  readonly children: readonly string[];
}

export const FAMILY = { structure: 0, conversation: 1, settings: 2, context: 3, state: 4, unknown: 5 } as const;

export const ENTRY_FLAG = {
  surface: 1, //       on the surface when it landed (append or replace); otherwise log-only
  replace: 2, //       a replacement
  human: 4, //         user/message with source.kind user
  error: 8,
  inherited: 16, //    before the cut
  uncommitted: 32, //  recovered from a torn tail
  finding: 64, //      some damage names this event
  refused: 128, //     at or after the first event that stops deriving
  headOf: 256, //      turn/start or step/start: drawn as the group head, not as a row of its own
  invalid: 512, //     invalid surface event: no effect on the surface
  streamed: 1024, //   a folded run of chunks (count > 1 possible)
  interrupted: 2048, // interrupted answer or an attempt without a message
} as const;

export const OUTCOME = {
  open: 0,
  completed: 1,
  error: 2,
  aborted: 3,
  interrupted: 4,
  maxTokens: 5,
  blocked: 6,
  forked: 7,
  abandoned: 8,
  other: 9,
} as const;

export const REPLACEMENT = { compaction: 0, prune: 1, system: 2, other: 3 } as const;
export const DIVIDER = { cut: 0, lifecycle: 1 } as const;
export const MARK = { error: 0, retry: 1, approval: 2, prompt: 3, damage: 4 } as const;
