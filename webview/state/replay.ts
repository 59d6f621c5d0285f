/** A log played again: where the playhead is, what is known of the session there, and the proof at the end. Nothing is run. */
import { POINT, type DocumentRef, type ReplayMoment, type ReplayProof, type StreamingAnswer } from '../../src/protocol/index.ts';
import { NONE } from '../../src/timeline/index.ts';
import { lowerBound, toUnit, upperBound, type Axis } from '../../src/timeline/layout/axis.ts';
import {
  PlayClock,
  pointAt,
  runningChunk,
  scheduleOf,
  stepFrom,
  type Schedule,
  type StepUnit,
} from '../../src/timeline/layout/replay-clock.ts';
import { entryOfSeq } from '../../src/timeline/layout/rows.ts';
import { isObsolete } from '../api/session-client.ts';
import { t } from '../l10n/strings.ts';
import { loadPlan, type ReplayPlan } from './load-plan.ts';
import type { TimelineModel } from './model.ts';

/** Milliseconds between two selections that follow the playhead, and between two looks at the session's state. */
const followEvery = 100;
/** With reduced motion the playhead moves in leaps, this many milliseconds apart. */
const leapEvery = 400;

/**
 * `replay`: what has been played changed, or whether anything is; `playhead`: anything the bar or the line on the canvases shows; `stream`:
 * what is shown of the answer under way.
 */
export type ReplayTopic = 'replay' | 'playhead' | 'stream';

/** The context at the playhead, as far as it was recorded. */
export interface ContextThere {
  /** Its size after the last answered request so far; NaN before the first. */
  readonly tokens: number;
  /** 0 unknown. */
  readonly window: number;
  /** Seq of the last replacement since that request: how large the context is now is not recorded. NONE. */
  readonly outdatedBy: number;
}

export class ReplayState {
  /** Whether the bar is there. */
  isOpen = false;
  plan: ReplayPlan | undefined;
  schedule: Schedule | undefined;
  /** Point at the playhead. */
  at = 0;
  moment: ReplayMoment | undefined;
  /** Row of the entries table whose answer is under way at the playhead; NONE. */
  streamingEntry = NONE;
  proof: ReplayProof | undefined;
  isVerifying = false;

  readonly #model: TimelineModel;
  readonly #clock = new PlayClock(() => performance.now());
  #loading: AbortController | undefined;
  #frame: number | undefined;
  #drawn = 0;
  #followed = 0;
  #shownSeq = NONE;
  #isAsking = false;
  /** Where the bar was opened, until the points are here. */
  #wanted: number | undefined;

  constructor(model: TimelineModel) {
    this.#model = model;
    model.subscribe((topic) => {
      if (topic === 'data' && this.isOpen && model.tables && this.plan?.generation !== model.overview?.generation) {
        void this.#load(this.plan ? this.seq : undefined);
      }
    });
  }

  /** Seq before which everything is in the log at the playhead; undefined while nothing is replayed. */
  get playedTo(): number | undefined {
    if (!this.isOpen || !this.plan || this.plan.length === 0) return undefined;
    const landed = this.plan.landed[this.at]!;
    return landed === NONE ? 0 : landed + 1;
  }

  /**
   * Seq before which events tell what is known of one of them at the playhead; undefined: all of the log does, also of what lies ahead. An
   * answer that streams is known as it will be when it has.
   */
  knownUntil(seq: number): number | undefined {
    const { tables, overview } = this.#model;
    const end = this.playedTo;
    if (end === undefined || !tables || !overview || end >= overview.eventCount) return undefined;
    const { seq: seqs, count } = tables.entries.columns;
    const entry = this.streamingEntry;
    if (entry !== NONE && seqs[entry] === seq) return Math.max(end, seq + Math.max(1, count[entry]!));
    return seq < end ? end : undefined;
  }

  /** Event at the playhead; of a chunk the one that holds it. */
  get seq(): number {
    return this.plan?.seq[this.at] ?? 0;
  }

  /** Recorded time at the playhead, epoch ms. */
  get time(): number {
    return this.schedule?.at[this.at] ?? NaN;
  }

  /** The playhead on an axis, in units; NaN without a replay. */
  unitOn(axis: Axis): number {
    const end = this.playedTo;
    if (end === undefined) return NaN;
    return axis.kind === 'seq' ? end : toUnit(axis, this.time);
  }

  get lastSeq(): number {
    const { plan } = this;
    return plan && plan.length > 0 ? plan.seq[plan.length - 1]! : 0;
  }

  /** Whether what is selected is what the playhead is at, and not something chosen since. */
  get isFollowed(): boolean {
    return this.isOpen && this.#shownSeq !== NONE && this.#shownSeq === this.#model.selected;
  }

  get isPlaying(): boolean {
    return this.#clock.isPlaying;
  }

  get isAtEnd(): boolean {
    return this.plan !== undefined && this.at >= this.plan.length - 1;
  }

  get speed(): number {
    return this.#clock.speed;
  }

  /** Share of the way, by replay time. */
  get share(): number {
    const { schedule } = this;
    if (!schedule || schedule.due.length === 0) return 0;
    const all = schedule.due[schedule.due.length - 1]!;
    return all === 0 ? (this.isAtEnd ? 1 : 0) : schedule.due[this.at]! / all;
  }

  get context(): ContextThere {
    const { tables } = this.#model;
    const end = this.playedTo;
    const none = { tokens: NaN, window: 0, outdatedBy: NONE };
    if (!tables || end === undefined) return none;
    const { seq, tokens, window } = tables.context.columns;
    const row = lowerBound(seq, end) - 1;
    if (row < 0) return none;
    const replaced = tables.replacements.columns.seq;
    const last = lowerBound(replaced, end) - 1;
    const outdatedBy = last >= 0 && replaced[last]! > seq[row]! ? replaced[last]! : NONE;
    return { tokens: tokens[row]!, window: window[row]!, outdatedBy };
  }

  /** Opens the bar with the playhead at an event: of an answer, at the first chunk of it. */
  async open(seq: number): Promise<void> {
    this.pause();
    this.isOpen = true;
    this.#shownSeq = NONE; // also what is selected already is brought into sight
    this.#wanted = seq;
    this.#model.emit('layout');
    if (this.plan && this.plan.generation === this.#model.overview?.generation) this.#goSeq(seq);
    else await this.#load(seq);
  }

  close(): void {
    this.pause();
    this.#loading?.abort();
    this.isOpen = false;
    this.plan = undefined;
    this.schedule = undefined;
    this.moment = undefined;
    this.streamingEntry = NONE;
    this.proof = undefined;
    this.#model.setPlayhead(undefined);
    this.#model.refreshDetail();
    this.#model.emit('layout');
    this.#model.emit('replay');
    this.#model.emit('stream');
  }

  async #load(seq: number | undefined): Promise<void> {
    const { overview, client } = this.#model;
    this.#loading?.abort();
    if (!overview || !this.#model.tables) return; // the tables come with the "data" topic, which loads
    const controller = new AbortController();
    this.#loading = controller;
    try {
      const plan = await loadPlan(client, overview.generation, controller.signal);
      this.plan = plan;
      this.schedule = scheduleOf(plan.time);
      this.#clock.setLength(this.schedule.due[plan.length - 1] ?? 0);
      this.proof = undefined;
      if (plan.length === 0) {
        this.close();
        this.#model.fail(new Error(t('This log has no events that can be played.')));
        return;
      }
      this.#goSeq(seq ?? this.#wanted ?? 0);
    } catch (error) {
      if (isObsolete(error)) return;
      this.close();
      this.#model.fail(error);
    }
  }

  #goSeq(seq: number): void {
    const { plan } = this;
    if (!plan) return;
    let point = plan.seq.indexOf(seq);
    // What the log does not hold is past its playable end.
    if (point < 0) point = plan.length - 1;
    this.seek(point);
  }

  play(): void {
    if (!this.plan || this.isPlaying) return;
    if (this.isAtEnd) this.seek(0);
    this.#clock.play();
    this.#tick();
    this.#model.emit('playhead');
  }

  pause(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    if (!this.isPlaying) return;
    this.#clock.pause();
    this.#follow(true);
    this.#model.emit('playhead');
  }

  toggle(): void {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  setSpeed(speed: number): void {
    this.#clock.setSpeed(speed);
    this.#model.emit('playhead');
  }

  step(unit: StepUnit, direction: 1 | -1): void {
    if (!this.plan) return;
    this.pause();
    this.seek(stepFrom(this.plan.kind, POINT, this.at, unit, direction));
  }

  seek(point: number): void {
    const { plan, schedule } = this;
    if (!plan || !schedule) return;
    const at = Math.min(plan.length - 1, Math.max(0, point));
    this.#clock.seek(schedule.due[at]!);
    this.#moveTo(at, true);
  }

  /** To a share of the way, 0 to 1. */
  seekShare(share: number): void {
    const { schedule } = this;
    if (!schedule || schedule.due.length === 0) return;
    this.seek(pointAt(schedule.due, Math.min(1, Math.max(0, share)) * schedule.due[schedule.due.length - 1]!));
  }

  readonly #tick = (): void => {
    this.#frame = undefined;
    const { schedule } = this;
    if (!schedule || !this.isPlaying) return;
    const now = performance.now();
    const isDue = !this.#isCalm || now - this.#drawn >= leapEvery || this.#clock.isAtEnd;
    if (isDue) {
      this.#drawn = now;
      this.#moveTo(pointAt(schedule.due, this.#clock.offset), false);
    }
    if (this.isAtEnd) {
      this.pause();
      void this.verify();
      return;
    }
    this.#frame = requestAnimationFrame(this.#tick);
  };

  get #isCalm(): boolean {
    return this.#model.boot?.reducedMotion === true || matchMedia('(prefers-reduced-motion: reduce)').matches;
  }

  #moveTo(at: number, isLeap: boolean): void {
    const before = this.playedTo;
    const isSame = at === this.at && this.moment !== undefined;
    this.at = at;
    if (isSame && !isLeap) return;
    this.#findStream();
    this.#follow(isLeap);
    if (isLeap || before !== this.playedTo) this.#model.emit('replay');
    this.#model.emit('playhead');
    void this.#look();
  }

  #findStream(): void {
    const { tables } = this.#model;
    const chunk = this.plan ? runningChunk(this.plan, POINT, this.at) : -1;
    const entry = chunk < 0 || !tables ? NONE : entryOfSeq(tables.entries, this.plan!.seq[chunk]!);
    if (entry === this.streamingEntry) return;
    this.streamingEntry = entry;
    this.#model.emit('stream');
  }

  /** What is known of the answer under way, as far as it has streamed; undefined where none is or it is not known yet. */
  get streaming(): StreamingAnswer | undefined {
    const { tables } = this.#model;
    const { streaming } = this.moment ?? {};
    if (!tables || !streaming || this.streamingEntry === NONE) return undefined;
    return tables.entries.columns.seq[this.streamingEntry] === streaming.seq ? streaming : undefined;
  }

  /** The selection goes where the playhead is, at most ten times a second while playing. */
  #follow(isFinal: boolean): void {
    const { tables, rows } = this.#model;
    const now = performance.now();
    if (!tables || !this.plan || (!isFinal && now - this.#followed < followEvery)) return;
    const entry = entryOfSeq(tables.entries, this.seq);
    if (entry === NONE) return;
    const shown = tables.entries.columns.seq[entry]!;
    this.#model.setPlayhead(this.seq);
    if (shown === this.#shownSeq && shown === this.#model.selected) {
      this.#model.refreshDetail();
      return;
    }
    this.#followed = now;
    this.#shownSeq = shown;
    // A filter that leaves the event out stays: the playhead is no reason to drop it.
    this.#model.select(shown, { unfold: rows?.rowOfEntry[entry] !== NONE, isFollowing: true });
  }

  /** Asks what the session looks like at the playhead; one question at a time, the last one for where it rests. */
  async #look(): Promise<void> {
    const { overview, client } = this.#model;
    if (this.#isAsking || !overview) return;
    this.#isAsking = true;
    try {
      while (this.isOpen && this.plan && this.moment?.point !== this.at) {
        this.moment = await client.call('replayMoment', { generation: this.plan.generation, point: this.at });
        this.#model.emit('playhead');
        if (this.moment.streaming !== undefined) this.#model.emit('stream');
        if (this.isPlaying) await new Promise((resolve) => setTimeout(resolve, followEvery));
      }
    } catch (error) {
      if (!isObsolete(error)) this.#model.fail(error);
    } finally {
      this.#isAsking = false;
    }
  }

  async verify(): Promise<void> {
    if (this.isVerifying) return;
    this.isVerifying = true;
    this.#model.emit('playhead');
    try {
      this.proof = await this.#model.client.call('verifyReplay', {});
    } catch (error) {
      if (!isObsolete(error)) this.#model.fail(error);
    } finally {
      this.isVerifying = false;
      this.#model.emit('playhead');
    }
  }

  /** Opens what the chunks of an answer make beside the stored one. */
  showDifference(seq: number): Promise<void> {
    return this.#compare({ kind: 'answer', seq, side: 'chunks' }, { kind: 'answer', seq, side: 'stored' });
  }

  /** Opens the history as the proven replay made it beside the one derived at once. */
  async showHistoryDifference(): Promise<void> {
    if (!this.proof || this.proof.events === 0) return;
    const seq = this.proof.events - 1;
    await this.#compare({ kind: 'replayed', seq }, { kind: 'history', seq });
  }

  async #compare(left: DocumentRef, right: DocumentRef): Promise<void> {
    try {
      await this.#model.client.call('compare', { left, right });
    } catch (error) {
      this.#model.fail(error);
    }
  }

  /** Row of the table of compactions whose replacement is the last thing that happened; used to say so. */
  get foldedBy(): number {
    const { tables } = this.#model;
    const end = this.playedTo;
    if (!tables || end === undefined || end === 0) return NONE;
    const { seq } = tables.replacements.columns;
    const row = upperBound(seq, end - 1) - 1;
    return row >= 0 && seq[row] === end - 1 ? row : NONE;
  }
}
