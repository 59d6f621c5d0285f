import { CutFinder, seedCount } from '../cut.ts';
import { SESSION_FORMAT_VERSION, versionRefusalText } from '../dialects/gates.ts';
import { envelopeProblem } from '../envelope.ts';
import type { SessionEvent, SessionHeader, StoredEvent } from '../events.ts';
import { isRecord, isSeq, wordOf } from '../json.ts';
import { text } from '../text.ts';
import { ArtifactCheck } from './artifact-check.ts';
import type { ChildFacts } from './catalog.ts';
import { refuse, type Edge, type Sink } from './edge.ts';
import { headerProblems } from './header.ts';
import { strictPayloadProblem } from './payload/problem.ts';
import { V0ToV1, refuseUnknownType } from './v0-to-v1.ts';
import { V1ToV2 } from './v1-to-v2.ts';
import { V2ToV3 } from './v2-to-v3.ts';
import { V3ToV4 } from './v3-to-v4.ts';

/** A migrated log, in memory only. `seqMap` takes a source seq; an event that has no successor of its own has no target. */
export interface MigratedSession {
  readonly header: SessionHeader;
  readonly events: SessionEvent[];
  readonly inheritedEventCount: number;
  readonly seqMap: (seq: number) => number | undefined;
}

export interface MigrateInput {
  readonly header: SessionHeader;
  /** In log order, packed rows and cited ranges expanded. */
  readonly events: Iterable<SessionEvent>;
}

/**
 * Migrates a log to a newer format by adjacent edges, streaming, as dsh does when it opens an older log; nothing is written. The events
 * share with the source whatever did not change. `children`: the subagent sessions of the same root that name this one as their parent
 * (v3→v4). Throws SessionMigrationRefusedError with the version of the refusing edge and the seq in that version's numbering; RangeError
 * when `toVersion` is older than the log or not a known format. format/migrations.md.
 */
export function migrateSession(
  input: MigrateInput,
  toVersion: number,
  options: { children?: readonly ChildFacts[] } = {},
): MigratedSession {
  const events: StoredEvent[] = [];
  const run = new MigrationRun(input.header, toVersion, options.children ?? [], (event) => events.push(event));
  for (const stored of input.events as Iterable<StoredEvent>) run.push(stored);
  run.finish();
  return {
    header: run.header,
    // Every edge has put its events into the shape of its target version.
    events: events as SessionEvent[],
    inheritedEventCount: run.inheritedEventCount,
    seqMap: (seq) => run.targetOf(seq),
  };
}

/** An edge and the check of what comes out of it. */
interface Stage {
  readonly edge: Edge;
  readonly check: ArtifactCheck;
}

/** One pass of a log through the edges, each feeding the next, each output checked as a log of its target version on the way. */
export class MigrationRun {
  readonly #entrance: Entrance;
  readonly #stages: Stage[] = [];
  readonly #source: SessionHeader;
  readonly #output: Sink;

  /** Throws as {@link migrateSession} does when the header or the target cannot be migrated. */
  constructor(header: SessionHeader, toVersion: number, children: readonly ChildFacts[], output: Sink) {
    const { version } = header;
    if (!Number.isSafeInteger(version) || version < 0 || version > SESSION_FORMAT_VERSION) {
      refuse(version, undefined, versionRefusalText(wordOf(header.id), version));
    }
    if (!Number.isSafeInteger(toVersion) || toVersion < version || toVersion > SESSION_FORMAT_VERSION) {
      throw new RangeError(`there is no migration from format ${version} to ${toVersion}`);
    }
    const [problem] = headerProblems(header);
    if (problem !== undefined) refuse(version, undefined, problem.text);
    this.#source = header;
    this.#output = output;
    this.#entrance = new Entrance(header);
    let current = header;
    for (let from = version; from < toVersion; from++) {
      const edge = makeEdge(from, current, this.#sinkAfter(this.#stages.length), children);
      this.#stages.push({ edge, check: new ArtifactCheck(edge) });
      current = edge.header;
    }
  }

  get header(): SessionHeader {
    return this.#stages.at(-1)?.edge.header ?? this.#source;
  }

  /** Final after {@link finish}. */
  get inheritedEventCount(): number {
    return (this.#stages.at(-1)?.edge ?? this.#entrance).inheritedEventCount;
  }

  push(stored: StoredEvent): void {
    this.#entrance.check(stored);
    const [first] = this.#stages;
    if (first === undefined) this.#output(stored, stored.seq);
    else first.edge.push(stored);
  }

  finish(): void {
    this.#entrance.finish();
    for (const { edge } of this.#stages) edge.finish();
    for (const { check } of this.#stages) check.finish();
  }

  /** Where a source seq went, undefined when its event has no successor of its own. */
  targetOf(seq: number): number | undefined {
    let target: number | undefined = isSeq(seq) && seq < this.#entrance.count ? seq : undefined;
    for (const { edge } of this.#stages) if (target !== undefined) target = edge.seqs.get(target);
    return target;
  }

  /** The source event behind a seq in the numbering of version `from`: the one mapped there, or the nearest before it. */
  sourceOf(from: number, seq: number): number {
    let source = seq;
    for (const { edge } of this.#stages.toReversed()) if (edge.from < from) source = edge.seqs.sourceOf(source);
    return source;
  }

  /** Events flow only after all stages exist, so a stage can look its successor up late. */
  #sinkAfter(at: number): Sink {
    return (event, origin) => {
      this.#stages[at]?.check.push(event, origin);
      const next = this.#stages[at + 1];
      if (next === undefined) this.#output(event, origin);
      else next.edge.push(event);
    };
  }
}

function makeEdge(from: number, header: SessionHeader, sink: Sink, children: readonly ChildFacts[]): Edge {
  switch (from) {
    case 0:
      return new V0ToV1(header, sink);
    case 1:
      return new V1ToV2(header, sink);
    case 2:
      return new V2ToV3(header, sink);
    default:
      return new V3ToV4(header, sink, children);
  }
}

/** What every event of the source must satisfy before an edge looks at it, and what its cut must be. */
class Entrance {
  readonly #version: number;
  readonly #seedLength: number | undefined;
  readonly #cut: CutFinder;
  count = 0;

  constructor(header: SessionHeader) {
    this.#version = header.version;
    this.#seedLength = header.version <= 1 ? seedCount(header) : undefined;
    this.#cut = new CutFinder(header);
  }

  get inheritedEventCount(): number {
    return this.#cut.inheritedEventCount;
  }

  check(stored: StoredEvent): void {
    const version = this.#version;
    const expected = this.count++;
    if (!isRecord(stored)) refuse(version, expected, text('#{seq} is not a record', { seq: expected }));
    if (stored.seq !== expected) {
      const found = wordOf(stored.seq);
      refuse(version, expected, text('#{expected} carries the seq {found}', { expected, found }));
    }
    const problem = envelopeProblem(stored);
    if (problem !== undefined) refuse(version, expected, problem);
    if (version === 1 || version === 2) {
      refuseUnknownType(stored, version);
      const payload = strictPayloadProblem(stored, version);
      if (payload !== undefined) refuse(version, expected, payload);
    }
    this.#cut.apply(stored);
  }

  finish(): void {
    const cut = this.#seedLength;
    if (cut !== undefined && cut > this.count) {
      const sentence = text('The header counts {cut} inherited events, but the log holds {count}', { cut, count: this.count });
      refuse(this.#version, undefined, sentence);
    }
    const problem = this.#cut.problem;
    if (problem !== undefined) refuse(this.#version, undefined, problem);
  }
}
