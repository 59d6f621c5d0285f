/** A log played again: what is shown when, what it looked like at a point, and the proof (design.md §6). Nothing is run. */
import type { RowText, Section } from './session.ts';

/** Bits of a point's kind. */
export const POINT = {
  chunk: 1, // of a stream; else an event
  group: 2, // first chunk of a block of an attempt
  step: 4, // a step begins
} as const;

/** A range of the points of a whole log, in the order they happened; every column's bytes, exact size. */
export interface ReplayPoints {
  readonly generation: number;
  readonly total: number; // of the whole log; 0 where nothing can be derived
  readonly from: number;
  readonly to: number; // exclusive
  readonly seq: ArrayBuffer; //    u32: the event; of a chunk its own (v0, v1) or the one that stores it
  readonly landed: ArrayBuffer; // u32: the last event that is in the log at this point; NONE before the first
  readonly time: ArrayBuffer; //   f64: as recorded, may run backwards
  readonly kind: ArrayBuffer; //   u8: POINT bits
}

/** A block of the answer being streamed, its end when it is long. */
export interface StreamedBlock {
  readonly kind: 'text' | 'reasoning' | 'tool-call' | 'other';
  readonly name: string; // of a tool; else empty
  readonly text: string;
  readonly cut: number; // characters left out before it
}

/** An answer on its way: what its row and the inspector may show of it yet. */
export interface StreamingAnswer {
  readonly seq: number; // of its row
  readonly row: RowText;
  readonly pretty: readonly Section[];
}

export interface ReplayTodo {
  readonly text: string; // one bounded line
  readonly state: 'pending' | 'in_progress' | 'completed';
}

/** The session as it stood at a point. */
export interface ReplayMoment {
  readonly generation: number;
  readonly point: number;
  readonly blocks: readonly StreamedBlock[]; // of the attempt at the point; empty when none is under way
  readonly streaming: StreamingAnswer | undefined; // also where another event comes in between
  readonly row: RowText; // of the event at the point
  readonly todos: readonly ReplayTodo[]; // at most 100
  readonly todoCount: number;
  readonly doneCount: number;
}

/** What a replay proved (format/fork-resume.md §6). */
export interface ReplayProof {
  readonly answers: number; // with recorded chunks
  readonly disagreeing: readonly number[]; // seqs of those whose stored content differs from its chunks; at most 200
  readonly disagreeingCount: number;
  readonly historyAgrees: boolean;
  readonly differing: readonly number[]; // seqs of the messages of the history that came out otherwise; at most 200
  readonly refused: readonly number[]; // seqs the surface rules refuse: without effect; at most 200
  readonly events: number; // played
  readonly stopsAt: number | undefined; // seq of the event that stops deriving, where the play ended
}

export interface ReplayMethods {
  replayPoints(args: { readonly generation: number; readonly from: number; readonly to: number }): ReplayPoints;
  replayMoment(args: { readonly generation: number; readonly point: number }): ReplayMoment;
  verifyReplay(args: Record<never, never>): ReplayProof;
}
