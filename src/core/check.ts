import { ModelVisibleCheck } from './check-model.ts';
import { LogRelations } from './check-order.ts';
import { dshOf, findingOf, type CheckRule, type Report } from './check-rules.ts';
import { CutFinder } from './cut.ts';
import type { Finding } from './damage.ts';
import {
  SESSION_FORMAT_VERSION,
  passesEventGate,
  unknownEventText,
  versionRefusalText,
  knownSessionEventTypes,
} from './dialects/gates.ts';
import { envelopeProblem, payloadProblem } from './envelope.ts';
import type { SessionEvent, SessionHeader, StoredEvent } from './events.ts';
import { isJsonValue, isRecord, isSeq, wordOf, type UnknownRecord } from './json.ts';
import { OwnEdge } from './migrations/own-edge.ts';
import { headerProblems } from './migrations/header.ts';
import { strictPayloadProblem } from './migrations/payload/problem.ts';
import { LegacyIds } from './migrations/v0-to-v1.ts';
import { text, type Text } from './text.ts';

/** The seq of a finding about the header. */
export const HEADER_SEQ = -1;

/**
 * Every relation of a log that is broken: header, envelope, gates, payloads dsh looks at, surface, the order rules, the cut, what only a
 * migration minds, and requests that cannot be derived. Findings come by seq; one about the header has the seq -1. Tolerant: whatever the
 * input holds, it never throws; nothing is found in a healthy log. format/events.md §7, format/surface.md §3.
 */
export function checkSession(header: SessionHeader, events: Iterable<SessionEvent>): Finding[] {
  const version: unknown = isRecord(header) ? header.version : undefined;
  if (!isSeq(version)) return [findingOf('header', HEADER_SEQ, text('The header names no format version'), 'refuses')];
  if (version > SESSION_FORMAT_VERSION) {
    return [findingOf('header', HEADER_SEQ, versionRefusalText(wordOf(header.id), version), 'refuses')];
  }
  const check = new SessionCheck(header);
  for (const event of events as Iterable<unknown>) check.apply(event);
  return check.finish();
}

class SessionCheck {
  readonly #header: SessionHeader;
  readonly #findings: Finding[] = [];
  readonly #relations: LogRelations;
  readonly #model: ModelVisibleCheck;
  readonly #cut: CutFinder;
  readonly #edge: OwnEdge;
  readonly #legacy: LegacyIds | undefined;
  /** Seqs some release refuses the log over, so that the migration's own word about them is not repeated. */
  readonly #refused = new Set<number>();
  #position = 0;
  #expected = 0;

  constructor(header: SessionHeader) {
    this.#header = header;
    const { version } = header;
    const report: Report = (rule, seq, sentence) => {
      if (rule === 'surface') this.#model.noteBroken(seq);
      this.#add(rule, seq, sentence);
    };
    this.#model = new ModelVisibleCheck(version, report);
    this.#relations = new LogRelations(version, header, report);
    this.#cut = new CutFinder(header);
    this.#edge = new OwnEdge(header);
    this.#legacy = version === 0 ? new LegacyIds(wordOf(header.id)) : undefined;
    for (const problem of headerProblems(header)) {
      const dsh = problem.toleratedOnOpen ? 'refuses-on-migration' : 'refuses';
      this.#add('header', HEADER_SEQ, problem.text, dsh);
    }
  }

  apply(stored: unknown): void {
    const position = this.#position++;
    if (!isRecord(stored)) {
      this.#add('record', position, text('Entry {position} of the log is not a record', { position }));
      this.#expected++;
      return;
    }
    const isInPlace = this.#place(stored, position);
    const seq = isSeq(stored['seq']) ? stored['seq'] : position;
    const envelope = envelopeProblem(stored);
    if (envelope !== undefined) this.#add('envelope', seq, envelope);
    if (typeof stored['type'] !== 'string') return;
    // The type is a string and the rest of an envelope is looked at by whoever uses it.
    const event = (seq === stored['seq'] ? stored : { ...stored, seq }) as unknown as StoredEvent;
    if (!isJsonValue(event.data ?? null)) {
      this.#add('lossless-json', seq, text('The payload of #{seq} ({type}) is not lossless JSON', { seq, type: event.type }));
    }
    if (!this.#passesGates(event)) {
      this.#model.noteBroken(seq);
      return;
    }
    this.#edge.push(event);
    const view = this.#legacy?.view(event) ?? event;
    this.#payload(view);
    this.#cut.apply(view);
    this.#relations.apply(view, isInPlace);
    if (this.#relations.surface.nodes.length > 0) this.#model.noteNode(seq);
    this.#model.apply(view);
  }

  finish(): Finding[] {
    this.#relations.finish();
    this.#model.finish();
    const { seedLength } = this.#header;
    const { problem } = this.#cut;
    if (problem !== undefined) this.#add('cut', seqOf(problem), problem);
    if (this.#header.version <= 1 && isSeq(seedLength) && seedLength > this.#position) {
      const sentence = text('The header counts {cut} inherited events, but the log holds {count}', {
        cut: seedLength,
        count: this.#position,
      });
      this.#add('cut', HEADER_SEQ, sentence, 'refuses-on-migration');
    }
    const refusal = this.#edge.finish();
    if (refusal !== undefined && !this.#refused.has(refusal.seq ?? HEADER_SEQ)) {
      this.#add('migration', refusal.seq ?? HEADER_SEQ, refusal.text);
    }
    return this.#findings.sort((a, b) => a.seq - b.seq);
  }

  /** Whether the event stands where its seq is due. After a gap the count goes on from what was found. */
  #place(stored: UnknownRecord, position: number): boolean {
    const expected = this.#expected;
    const found = stored['seq'];
    if (found === expected) {
      this.#expected++;
      return true;
    }
    const seq = isSeq(found) ? found : position;
    this.#add(
      'seq',
      seq,
      text('Entry {position} of the log carries the seq {found}; {expected} is due', {
        position,
        found: wordOf(found),
        expected,
      }),
    );
    if (!isSeq(found)) this.#expected++;
    else if (found > expected) this.#expected = found + 1;
    return isSeq(found) && found > expected;
  }

  #passesGates(event: StoredEvent): boolean {
    const { type, seq } = event;
    const { version } = this.#header;
    const retired = payloadProblem(event, version);
    if (retired?.kind === 'retired-event') {
      this.#add('retired-event', seq, retired.text);
      return false;
    }
    if (!passesEventGate(version, type, event.ignorable)) {
      this.#add('unknown-event', seq, unknownEventText(type, seq));
      return false;
    }
    if (version <= 2 && event.ignorable === true && !passesEventGate(version, type, undefined)) {
      const sentence = text('#{seq} has the unknown type {type}; a migration refuses it even though it may be ignored', {
        seq,
        type,
      });
      this.#add('unknown-ignorable', seq, sentence);
    }
    return true;
  }

  #payload(event: StoredEvent): void {
    const { version } = this.#header;
    const problem = payloadProblem(event, version);
    if (problem !== undefined) {
      this.#add(problem.refuses ? 'payload' : 'message-identity', event.seq, problem.text);
      return;
    }
    const strict = knownSessionEventTypes(version).has(event.type) ? strictPayloadProblem(event, version) : undefined;
    if (strict !== undefined) this.#add('strict-payload', event.seq, strict);
  }

  #add(rule: CheckRule, seq: number, sentence: Text, dsh: Finding['dsh'] = dshOf(rule, this.#header.version)): void {
    if (dsh !== 'accepts') this.#refused.add(seq);
    this.#findings.push(findingOf(rule, seq, sentence, dsh));
  }
}

function seqOf(sentence: Text): number {
  const { seq } = sentence.args;
  return typeof seq === 'number' ? seq : HEADER_SEQ;
}
