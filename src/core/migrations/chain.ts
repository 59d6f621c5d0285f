import { CutFinder } from '../cut.ts';
import { SESSION_FORMAT_VERSION, versionRefusalText } from '../dialects/gates.ts';
import { envelopeProblem } from '../envelope.ts';
import type { SessionEvent, SessionHeader, StoredEvent } from '../events.ts';
import { isRecord, type UnknownRecord } from '../json.ts';
import { text } from '../text.ts';
import { ArtifactCheck } from './artifact-check.ts';
import type { ChildFacts } from './catalog.ts';
import { refuse, type Edge, type Sink } from './edge.ts';
import { headerProblem } from './header.ts';
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
 * Migrates a log to a newer format by adjacent edges, streaming, as dsh does when it opens an older log; nothing is written.
 * `children`: the subagent sessions of the same root that name this one as their parent (v3→v4). Throws SessionMigrationRefusedError
 * with the version of the refusing edge and the seq in that version's numbering; RangeError when `toVersion` is older than the log or
 * not a known format. format/migrations.md.
 */
export function migrateSession(
  input: MigrateInput,
  toVersion: number,
  options: { children?: readonly ChildFacts[] } = {},
): MigratedSession {
  const { header } = input;
  const { version } = header;
  if (!Number.isSafeInteger(version) || version < 0 || version > SESSION_FORMAT_VERSION) {
    refuse(version, undefined, versionRefusalText(String(header.id), version));
  }
  if (!Number.isSafeInteger(toVersion) || toVersion < version || toVersion > SESSION_FORMAT_VERSION) {
    throw new RangeError(`there is no migration from format ${version} to ${toVersion}`);
  }
  const problem = headerProblem(header);
  if (problem !== undefined) refuse(version, undefined, problem);

  const events: StoredEvent[] = [];
  const stages = buildStages(header, toVersion, options.children ?? [], (event) => events.push(event));
  const first = stages[0]?.edge;
  const entry = new Entrance(header);
  for (const stored of input.events as Iterable<StoredEvent>) {
    entry.check(stored);
    if (first === undefined) events.push(stored);
    else first.push(stored);
  }
  entry.finish();
  for (const { edge } of stages) edge.finish();
  for (const { check } of stages) check.finish();

  const last = stages.at(-1)?.edge;
  return {
    header: last?.header ?? header,
    // Every edge has put its events into the shape of its target version.
    events: events as SessionEvent[],
    inheritedEventCount: last?.inheritedEventCount ?? entry.inheritedEventCount,
    seqMap: (seq) => seqThrough(stages, seq, entry.count),
  };
}

function seqThrough(stages: readonly Stage[], seq: number, count: number): number | undefined {
  let target: number | undefined = Number.isSafeInteger(seq) && seq >= 0 && seq < count ? seq : undefined;
  for (const { edge } of stages) if (target !== undefined) target = edge.seqs.get(target);
  return target;
}

/** An edge and the check of what comes out of it. */
interface Stage {
  readonly edge: Edge;
  readonly check: ArtifactCheck;
}

/** The stages in order, each feeding the next, its output checked as a log of its target version on the way. */
function buildStages(header: SessionHeader, to: number, children: readonly ChildFacts[], output: Sink): Stage[] {
  const stages: Stage[] = [];
  let current = header;
  for (let from = header.version; from < to; from++) {
    const at = stages.length;
    // Events flow only after all stages exist, so a stage can look its successor up late.
    const sink: Sink = (event, origin) => {
      stages[at]?.check.push(event, origin);
      const next = stages[at + 1];
      if (next === undefined) output(event, origin);
      else next.edge.push(event);
    };
    const edge = makeEdge(from, current, sink, children);
    stages.push({ edge, check: new ArtifactCheck(edge) });
    current = edge.header;
  }
  return stages;
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
    this.#seedLength = header.version <= 1 ? header.seedLength : undefined;
    this.#cut = new CutFinder(header);
  }

  get inheritedEventCount(): number {
    return this.#cut.inheritedEventCount;
  }

  check(stored: StoredEvent): void {
    const version = this.#version;
    const expected = this.count++;
    if (!isRecord(stored)) refuse(version, expected, text('Event {seq} is not a record', { seq: expected }));
    if (stored.seq !== expected) {
      const found = String(stored.seq);
      refuse(version, expected, text('Event {expected} carries the seq {found}', { expected, found }));
    }
    const problem = envelopeProblem(stored as unknown as UnknownRecord);
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
