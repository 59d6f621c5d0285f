import type { Text } from '../core/index.ts';
import type { SearchResult } from '../protocol/index.ts';
import { ENTRY_FLAG } from '../timeline/index.ts';
import { lowerBound, type LoadedLog } from './loaded.ts';
import { entryRow } from './rows.ts';

/** Milliseconds of searching after which other calls get their turn. */
const SLICE = 30;
/** Stored lines longer than this say everything their row says. */
const SHORT_LINE = 1500;

/**
 * Entries whose stored lines or row texts contain the query, case-insensitively. A line is stored as JSON, so the query
 * is looked for as it stands and as JSON spells it.
 */
export async function searchLog(
  loaded: LoadedLog,
  query: string,
  limit: number,
  t: (text: Text) => string,
  signal: AbortSignal,
): Promise<SearchResult> {
  const plain = query.trim().toLowerCase();
  const found: number[] = [];
  let total = 0;
  if (plain === '') return { entries: new Uint32Array(), total: 0 };
  const spelled = JSON.stringify(plain).slice(1, -1);
  const { length, columns } = loaded.timeline.tables.entries;
  let since = performance.now();
  for (let entry = 0; entry < length; entry++) {
    if (performance.now() - since > SLICE) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      since = performance.now();
    }
    const first = columns.seq[entry] ?? 0;
    if (!matches(loaded, entry, first, columns.count[entry] ?? 1, plain, spelled, t)) continue;
    total++;
    if (found.length < limit) found.push(entry);
  }
  return { entries: Uint32Array.from(found), total };
}

function matches(
  loaded: LoadedLog,
  entry: number,
  first: number,
  count: number,
  plain: string,
  spelled: string,
  t: (text: Text) => string,
): boolean {
  let longest = 0;
  for (let i = lowerBound(loaded.lineSeqs, first); i < loaded.lineSeqs.length; i++) {
    const seq = loaded.lineSeqs[i] ?? 0;
    if (seq >= first + count) break;
    const stored = loaded.log.rawLineOf(seq).toLowerCase();
    if (stored.includes(plain) || stored.includes(spelled)) return true;
    longest = Math.max(longest, stored.length);
  }
  // A discarded stream is the only place its words stand in, cut into chunks.
  const flags = loaded.timeline.tables.entries.columns.flags[entry] ?? 0;
  if (longest > SHORT_LINE && (flags & ENTRY_FLAG.streamed) === 0) return false;
  if ((flags & ENTRY_FLAG.streamed) !== 0 && (flags & ENTRY_FLAG.interrupted) === 0) return false;
  const { title, detail, note } = entryRow(loaded, entry);
  const shown = `${t(title)} ${typeof detail === 'string' ? detail : t(detail)} ${note ? t(note) : ''}`;
  return shown.toLowerCase().includes(plain);
}
