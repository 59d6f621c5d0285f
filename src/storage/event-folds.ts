import {
  AttemptFold,
  CutFinder,
  LogOrder,
  SurfaceFold,
  TurnEdges,
  dshOf,
  english,
  envelopeProblem,
  isRecord,
  normaliseEvent,
  passesEventGate,
  payloadProblem,
  rawMessageOf,
  text,
  unknownEventText,
  wordOf,
  type Damage,
  type DamageKind,
  type LegacyContext,
  type PackedChunkRow,
  type Refusal,
  type SessionHeader,
  type StoredEvent,
  type Text,
  type UnknownRecord,
} from '../core/index.ts';
import { ACCEPTS, REFUSES, makeDamage } from './damage-list.ts';

/** Findings on single events that are listed one by one; the rest is counted. */
const MAX_LISTED = 1000;
/** Releases before check the order when they migrate: that belongs to `checkSession` and the preview. */
const ORDER_CHECKED_FROM = 4;

/**
 * Everything that needs each event of a log once, in order: gates, event checks, surface, attempts, turn edges and cut. A finding never
 * ends the reading; the first event the gate stops at ends deriving.
 */
export class EventFolds {
  readonly damage: Damage[] = [];
  readonly surface: SurfaceFold;
  readonly attempts: AttemptFold;
  readonly cut: CutFinder;
  readonly edges = new TurnEdges();
  /** The preset last selected, as stored. */
  selectedPreset: unknown;
  refusal: (Refusal & { readonly seq: number }) | undefined;
  /** First seq a fork may not reach: the refusal's, or that of the first event dsh would refuse. */
  unsafeSeq = Infinity;
  /** Why the cut cannot be told; then no fork is legal anywhere. */
  cutProblem: Text | undefined;

  readonly #version: number;
  /** Present where dsh checks the order on every open. */
  readonly #order: LogOrder | undefined;
  readonly #legacy: LegacyContext;
  /** Ids that legacy tool results took over from what they replace. */
  readonly #legacyIds = new Map<number, string>();
  readonly #eventAt: (seq: number) => StoredEvent;
  #findings = 0;
  /** Whether dsh minds any of those beyond the listed ones. */
  #unlistedRefuse = false;
  #place = { line: 0, seq: -1 };

  constructor(header: SessionHeader, eventAt: (seq: number) => StoredEvent) {
    this.#version = header.version;
    this.#eventAt = eventAt;
    this.#legacy = { sessionId: wordOf(header.id), messageIdAt: (seq) => this.#messageIdAt(seq) };
    this.surface = new SurfaceFold(header.version, (seq) => this.viewAt(seq));
    this.attempts = new AttemptFold(header.version);
    this.cut = new CutFinder(header);
    if (header.version < ORDER_CHECKED_FROM) return;
    const lookup = (seq: number): StoredEvent => this.viewAt(seq);
    this.#order = new LogOrder(header.version, header, this.surface, lookup, (rule, seq, sentence) => {
      if (dshOf(rule, header.version) === 'refuses')
        this.#found('order', sentence, true, seq === this.#place.seq ? this.#place : { seq });
    });
  }

  /** The event at a seq in today's shape of its version. */
  viewAt(seq: number): StoredEvent {
    return normaliseEvent(this.#eventAt(seq), this.#version, this.#legacy);
  }

  applyPacked(row: PackedChunkRow): void {
    this.attempts.applyPacked(row);
  }

  /** `line` counts from 1. The value has the right seq; nothing else about it is known. */
  apply(value: UnknownRecord, line: number): void {
    const stored = value as unknown as StoredEvent;
    const place = { line, seq: stored.seq };
    const envelope = envelopeProblem(value);
    if (envelope !== undefined) this.#found('envelope', envelope, true, place);
    if (typeof stored.type !== 'string') return;
    this.#gate(stored);
    const event = normaliseEvent(stored, this.#version, this.#legacy);
    if (event !== stored && event.type === 'tool/result') this.#rememberId(event);
    const payload = payloadProblem(event, this.#version);
    if (payload !== undefined) this.#found(payload.kind, payload.text, payload.refuses, place);
    if (event.type === 'agent-preset/selected' && isRecord(event.data)) this.selectedPreset = event.data['agentPreset'];
    this.edges.apply(event);
    this.cut.apply(event);
    this.attempts.apply(event);
    if (this.refusal !== undefined) return;
    this.#place = place;
    this.#order?.apply(event);
    const surface = this.surface.apply(event);
    if (surface !== undefined) this.#found('surface', surface, true, place);
  }

  /** No fork may hold the event at `seq` or what follows it. */
  distrust(seq: number): void {
    this.unsafeSeq = Math.min(this.unsafeSeq, seq);
  }

  finish(): void {
    this.#order?.finish();
    this.cutProblem = this.cut.problem;
    if (this.cutProblem !== undefined) this.damage.push(makeDamage('wrong-cut', this.cutProblem, REFUSES));
    const unlisted = this.#findings - MAX_LISTED;
    if (unlisted > 0) {
      const sentence = text('{count} more findings are not listed', { count: unlisted });
      this.damage.push(makeDamage('order', sentence, this.#unlistedRefuse ? REFUSES : ACCEPTS));
    }
  }

  #gate(event: StoredEvent): void {
    if (this.refusal !== undefined || passesEventGate(this.#version, event.type, event.ignorable)) return;
    const { seq } = event;
    const sentence = unknownEventText(event.type, seq);
    this.refusal = { kind: 'unknown-event', message: english(sentence), text: sentence, seq };
    this.unsafeSeq = Math.min(this.unsafeSeq, seq);
  }

  #found(kind: DamageKind, sentence: Text, refuses: boolean, place: { line?: number; seq: number }): void {
    this.unsafeSeq = Math.min(this.unsafeSeq, place.seq);
    if (++this.#findings > MAX_LISTED) {
      this.#unlistedRefuse ||= refuses;
      return;
    }
    this.damage.push(makeDamage(kind, sentence, refuses ? REFUSES : ACCEPTS, place));
  }

  #rememberId(event: StoredEvent): void {
    const id = rawMessageOf(event)?.['id'];
    if (typeof id === 'string') this.#legacyIds.set(event.seq, id);
  }

  /** Legacy tool results were remembered as they came, so no chain of replacements is ever walked. */
  #messageIdAt(seq: number): string | undefined {
    const known = this.#legacyIds.get(seq);
    if (known !== undefined) return known;
    const event = this.#eventAt(seq);
    if (event.type === 'tool/result' && rawMessageOf(event) === undefined) return undefined;
    const id = rawMessageOf(normaliseEvent(event, this.#version))?.['id'];
    return typeof id === 'string' ? id : undefined;
  }
}
