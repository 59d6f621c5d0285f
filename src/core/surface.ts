import { parseSourceRuns, sourceLookup, type SourceRuns } from './codec/source-ranges.ts';
import { dialectOf, type Dialect } from './dialects/dialect.ts';
import { SESSION_FORMAT_VERSION, knownSessionEventTypes } from './dialects/gates.ts';
import { messageOf } from './derive.ts';
import type { SessionEvent, StoredEvent } from './events.ts';
import { isRecord, isSeq } from './json.ts';
import type { Message } from './messages.ts';
import { offloadProblem, offloadTargets, withOffloadedImages } from './projections.ts';
import { developerProblem, toolRewriteProblem } from './surface-rules.ts';
import { NodeOrder } from './surface-order.ts';
import { english, text, type Text } from './text.ts';

/** One landed replacement. `start` and `end` are the seqs it names; `shadowedSeqs` the nodes it removed, in surface order. */
export interface SurfaceReplacement {
  readonly seq: number;
  readonly start: number;
  readonly end: number;
  readonly shadowedSeqs: number[];
}

/** The state of an event as a node. `log-only`: it never stood on the surface, or not yet. */
export type NodeState = 'current' | 'log-only' | { readonly shadowedBy: number };

/** How the fold reads earlier events again; it keeps seqs only. Events come in today's shape of their version (see legacy.ts). */
export type EventLookup = (seq: number) => StoredEvent | undefined;

/**
 * The incremental surface fold: one event after the other, each validated in full before it takes effect (format/surface.md §2, §3, §6).
 * An event that fails is reported and changes nothing. State at any earlier seq stays available: node state in constant time, node lists
 * in time linear in the number of surface events.
 */
export class SurfaceFold {
  readonly dialect: Dialect;
  readonly #lookup: EventLookup;
  readonly #nodes: number[] = [];
  readonly #order = new NodeOrder();
  readonly #replacements: SurfaceReplacement[] = [];
  /** Seqs of the `image/offload` events that took effect. */
  readonly #projections: number[] = [];

  constructor(version: number, lookup: EventLookup) {
    this.dialect = dialectOf(version);
    this.#lookup = lookup;
  }

  /** Seqs of the current nodes in surface order. Live; copy before keeping. */
  get nodes(): readonly number[] {
    return this.#nodes;
  }

  get replacements(): readonly SurfaceReplacement[] {
    return this.#replacements;
  }

  /** Replacements folded so far; appends leave it alone, so a derivation may be extended while it stays the same. */
  get replaceGeneration(): number {
    return this.#replacements.length;
  }

  /** Replacements plus message projections. */
  get contentGeneration(): number {
    return this.#replacements.length + this.#projections.length;
  }

  /** Folds one event. Returns why it is invalid, in which case nothing has changed. */
  apply(event: StoredEvent): Text | undefined {
    const plan = this.plan(event);
    if (plan === undefined || 'template' in plan) return plan;
    this.commit(plan);
    return undefined;
  }

  /** What an event would do: nothing, a {@link SurfacePlan} for {@link commit}, or the reason it is invalid. */
  plan(event: StoredEvent): SurfacePlan | Text | undefined {
    const { dialect } = this;
    if (!dialect.surfaceTypes.has(event.type)) return this.#planOther(event);
    const op: unknown = event.surfaceOp;
    if (op === undefined) return text('{type} at #{seq} carries no surfaceOp', place(event));
    const range = op === 'append' ? undefined : rangeOf(op, dialect);
    if (op !== 'append' && (range === undefined || range.start >= event.seq || range.end >= event.seq)) {
      return text('{type} at #{seq} carries a malformed surfaceOp', place(event));
    }
    const runs = sourcesOf(event, dialect);
    if (runs !== undefined && 'template' in runs) return runs;
    const special = event.type === 'developer/message' ? developerProblem(event, this.#lookup) : undefined;
    if (special !== undefined) return special;
    if (range === undefined) return this.#headless(event) ?? { kind: 'append', seq: event.seq };
    return this.#planReplace(event, range, runs);
  }

  /** Applies a plan made by {@link plan} for the current state. */
  commit(plan: SurfacePlan): void {
    if (plan.kind === 'project') {
      this.#projections.push(plan.seq);
      return;
    }
    if (plan.kind === 'append') {
      this.#nodes.push(plan.seq);
      this.#order.append(plan.seq);
      return;
    }
    const { at, replacement } = plan;
    this.#nodes.splice(at, replacement.shadowedSeqs.length, plan.seq);
    this.#order.replace(plan.seq, replacement.shadowedSeqs);
    this.#replacements.push(replacement);
  }

  /** The node list as it stood after `atSeq` (inclusive). */
  nodesAt(atSeq: number): number[] {
    return this.#order.nodesAt(atSeq);
  }

  /** The state of `seq` as it stood after `atSeq` (inclusive; now when absent). */
  nodeState(seq: number, atSeq = Infinity): NodeState {
    return this.#order.stateOf(seq, atSeq);
  }

  /** The seq of the replacement that removed a node, undefined for current nodes and log-only events. */
  shadowedBy(seq: number): number | undefined {
    const state = this.#order.stateOf(seq, Infinity);
    return typeof state === 'object' ? state.shadowedBy : undefined;
  }

  /** The messages of a node list as of `atSeq`, message projections applied. format/surface.md §5, §6. */
  messagesAt(atSeq: number): Message[] {
    const nodes = this.nodesAt(atSeq);
    const offloaded = this.#offloadsAt(atSeq);
    const messages: Message[] = [];
    for (const seq of nodes) {
      const message = this.#messageAt(seq, offloaded);
      if (message !== undefined) messages.push(message);
    }
    return messages;
  }

  /** The derived message of one node as of now, or null. */
  messageOfNode(seq: number): Message | undefined {
    return this.#messageAt(seq, this.#offloadsAt(Infinity));
  }

  /** Messages whose content a projection changed, by the seq of their node. */
  projectedMessages(): ReadonlyMap<number, Message> {
    const projected = new Map<number, Message>();
    const offloaded = this.#offloadsAt(Infinity);
    for (const seq of offloaded.keys()) {
      const message = this.#messageAt(seq, offloaded);
      if (message !== undefined) projected.set(seq, message);
    }
    return projected;
  }

  #messageAt(seq: number, offloaded: ReadonlyMap<number, ReadonlySet<number>>): Message | undefined {
    const event = this.#lookup(seq);
    if (event === undefined) return undefined;
    const message = messageOf(event, this.dialect.version);
    const images = offloaded.get(seq);
    return message === undefined || images === undefined ? message : withOffloadedImages(message, images);
  }

  #offloadsAt(atSeq: number): Map<number, Set<number>> {
    const images = new Map<number, Set<number>>();
    for (const seq of this.#projections) {
      if (seq > atSeq) break;
      for (const target of offloadTargets(this.#lookup(seq)?.data)) {
        const known = images.get(target.seq) ?? new Set<number>();
        for (const index of target.imageIndexes) known.add(index);
        images.set(target.seq, known);
      }
    }
    return images;
  }

  #planOther(event: StoredEvent): SurfacePlan | Text | undefined {
    const { version } = this.dialect;
    // From v3 on an unknown type that may be ignored is opaque; before, no type but the surface ones may carry a marker.
    const opaque = version >= 3 && event.ignorable === true && !knownSessionEventTypes(version).has(event.type);
    const marked = event.surfaceOp !== undefined || event.sourceEventSeqs !== undefined;
    if (marked && !opaque)
      return text('{type} at #{seq} is never on the surface, yet carries surfaceOp or sourceEventSeqs', place(event));
    if (event.type !== 'image/offload' || !this.dialect.imageOffload) return undefined;
    const isCurrent = (seq: number): boolean => this.#order.stateOf(seq, Infinity) === 'current';
    return offloadProblem(event, isCurrent, this.#lookup) ?? { kind: 'project', seq: event.seq };
  }

  /** A first system message must come before everything else on the surface. format/surface.md §3, rule 6. */
  #headless(event: StoredEvent): Text | undefined {
    const first = this.#nodes[0];
    if (event.type !== 'system/message' || first === undefined) return undefined;
    if (this.#lookup(first)?.type === 'system/message') return undefined;
    return text('The system message at #{seq} comes after a surface that did not begin with one', { seq: event.seq });
  }

  #planReplace(event: StoredEvent, range: Range, runs: SourceRuns | undefined): SurfacePlan | Text {
    const { seq } = event;
    const { start, end } = range;
    const at = this.#order.isCurrent(start) ? this.#nodes.indexOf(start) : -1;
    if (at < 0) return text('{type} at #{seq} replaces from #{start}, which is not a current node', { ...place(event), start });
    const last = this.#order.isCurrent(end) ? this.#nodes.indexOf(end) : -1;
    if (last < 0) return text('{type} at #{seq} replaces up to #{end}, which is not a current node', { ...place(event), end });
    if (last < at)
      return text('{type} at #{seq} replaces from #{start} to #{end}, against the surface order', {
        ...place(event),
        start,
        end,
      });
    const shadowedSeqs = this.#nodes.slice(at, last + 1);
    const cites = sourceLookup(runs ?? []);
    const missing = shadowedSeqs.find((node) => !cites(node));
    if (missing !== undefined)
      return text('{type} at #{seq} replaces node #{node} without citing it', { ...place(event), node: missing });
    const rewritten =
      event.type === 'tool/result' ? toolRewriteProblem(event, shadowedSeqs, this.#lookup, this.dialect) : undefined;
    if (rewritten !== undefined) return rewritten;
    if (this.dialect.protectedHead && this.#breaksHead(event, at, last)) {
      return text('{type} at #{seq} replaces the system prompt at the head of the surface', place(event));
    }
    const headless = this.#headless(event);
    return headless ?? { kind: 'replace', seq, at, replacement: { seq, start, end, shadowedSeqs } };
  }

  #breaksHead(event: StoredEvent, at: number, last: number): boolean {
    const head = this.#nodes[0];
    if (at !== 0 || head === undefined || this.#lookup(head)?.type !== 'system/message') return false;
    return event.type !== 'system/message' || last !== 0;
  }
}

export type SurfacePlan =
  | { readonly kind: 'append'; readonly seq: number }
  | { readonly kind: 'project'; readonly seq: number }
  | { readonly kind: 'replace'; readonly seq: number; readonly at: number; readonly replacement: SurfaceReplacement };

/**
 * The surface of a whole log. Throws on the first invalid event, as dsh does. Events are dense from seq 0, cited ranges expanded.
 * format/surface.md §2.
 */
export function foldSurface(
  events: readonly SessionEvent[],
  options: { version?: number } = {},
): { nodes: number[]; replacements: SurfaceReplacement[]; projectedMessages: ReadonlyMap<number, Message> } {
  const fold = foldAll(events, options.version ?? SESSION_FORMAT_VERSION);
  return { nodes: [...fold.nodes], replacements: [...fold.replacements], projectedMessages: fold.projectedMessages() };
}

/** The model history of a whole log. Throws on the first invalid event. format/surface.md §5. */
export function deriveMessages(events: readonly SessionEvent[], options: { version?: number } = {}): Message[] {
  return foldAll(events, options.version ?? SESSION_FORMAT_VERSION).messagesAt(Infinity);
}

function foldAll(events: readonly SessionEvent[], version: number): SurfaceFold {
  const fold = new SurfaceFold(version, (seq) => events[seq]);
  let expected = 0;
  for (const event of events) {
    const problem =
      event.seq === expected ? fold.apply(event) : text('#{seq} stands where #{expected} is due', { seq: event.seq, expected });
    if (problem !== undefined) throw new Error(english(problem));
    expected++;
  }
  return fold;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function rangeOf(op: unknown, dialect: Dialect): Range | undefined {
  if (!isRecord(op) || op['op'] !== 'replace' || Object.keys(op).length !== 3) return undefined;
  const [startKey, endKey] = dialect.replaceKeys;
  const start = op[startKey];
  const end = op[endKey];
  return isSeq(start) && isSeq(end) ? { start, end } : undefined;
}

function sourcesOf(event: StoredEvent, dialect: Dialect): SourceRuns | Text | undefined {
  const stored: unknown = event.sourceEventSeqs;
  if (stored === undefined) return undefined;
  const isAnswer = event.type === 'assistant/message';
  if (isAnswer && dialect.answerSources === 'forbidden') {
    return text('{type} at #{seq} cites sources, which answers of this format never do', place(event));
  }
  const runs = parseSourceRuns(stored, event.seq);
  if (runs === undefined) return text('The sources of {type} at #{seq} are not distinct earlier events', place(event));
  if (runs.length === 0 && !isAnswer) return text('{type} at #{seq} cites an empty list of sources', place(event));
  return runs;
}

function place(event: StoredEvent): { type: string; seq: number } {
  return { type: event.type, seq: event.seq };
}
