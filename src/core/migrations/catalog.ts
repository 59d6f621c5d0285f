import { CutFinder } from '../cut.ts';
import type { SessionEvent, SessionHeader, StoredEvent } from '../events.ts';
import { isRecord, wordOf, type UnknownRecord } from '../json.ts';
import { text, type Text } from '../text.ts';

/**
 * What the v3→v4 edge wants to know of a subagent child found in the same root: its header's id and creation time (epoch milliseconds),
 * and, when its log holds a `subagent/descriptor`, that one's mode and label.
 */
export interface ChildFacts {
  readonly id: string;
  readonly createdAt: number;
  readonly mode?: 'continuable' | 'one-shot';
  readonly label?: string;
}

/**
 * The facts of a subagent child, read off its log. Only the descriptor after the cut is the child's own: a seeded child carries its
 * parent's events, and the parent may be a subagent itself.
 */
export function childFactsOf(header: SessionHeader, events: Iterable<SessionEvent>): ChildFacts {
  const cut = new CutFinder(header);
  let descriptor: UnknownRecord | undefined;
  let at = -1;
  for (const event of events as Iterable<StoredEvent>) {
    cut.apply(event);
    if (event.type !== 'subagent/descriptor' || !isRecord(event.data)) continue;
    descriptor = event.data;
    at = event.seq;
  }
  const { id, createdAt } = header;
  if (descriptor === undefined || at < cut.inheritedEventCount) return { id, createdAt };
  const { mode, label } = descriptor;
  if (mode !== 'continuable' && mode !== 'one-shot') return { id, createdAt };
  return { id, createdAt, mode, ...(typeof label === 'string' ? { label } : {}) };
}

/** The `subagent/catalog` rows a log has, and those the v3→v4 edge adds. format/migrations.md §4. */
export class CatalogRows {
  readonly #children: readonly ChildFacts[];
  #recorded = new Map<string, { readonly seq: number; readonly createdAt: unknown }>();

  constructor(children: readonly ChildFacts[]) {
    this.#children = children.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  }

  /** What came before belongs to an ancestor. */
  cut(): void {
    this.#recorded = new Map();
  }

  /** Notes a row the log holds; answers why it cannot stand beside the others. */
  apply(event: StoredEvent): Text | undefined {
    if (event.type !== 'subagent/catalog' || !isRecord(event.data)) return undefined;
    const { seq, data } = event;
    const child = wordOf(data['childId']);
    if (this.#recorded.has(child)) {
      return text('#{seq} records the subagent session {child} a second time', { seq, child });
    }
    this.#recorded.set(child, { seq, createdAt: data['childCreatedAt'] });
    return undefined;
  }

  /** A row after the cut that contradicts its child's own log. */
  get contradiction(): { readonly seq: number; readonly text: Text } | undefined {
    for (const { id: child, createdAt } of this.#children) {
      const row = this.#recorded.get(child);
      if (row === undefined || row.createdAt === createdAt) continue;
      const { seq } = row;
      return {
        seq,
        text: text('#{seq} gives the subagent session {child} another creation time than its own log', { seq, child }),
      };
    }
    return undefined;
  }

  /** Payloads of the rows to append, by creation time, then id. */
  rows(): UnknownRecord[] {
    return this.#children.filter((child) => !this.#recorded.has(child.id)).map(rowOf);
  }
}

/** Version 1 stands for a child without a descriptor, of which the mode is not known. */
function rowOf(child: ChildFacts): UnknownRecord {
  const place = { childId: child.id, childCreatedAt: child.createdAt };
  if (child.mode === undefined) return { version: 1, ...place, mode: 'unknown' };
  return { version: 0, ...place, mode: child.mode, ...(child.label === undefined ? {} : { label: child.label }) };
}
