/** Shapes of what the view may ask: everything is checked on arrival (style.md "Host and view"). */
import { TABLES, type TableName } from '../../timeline/index.ts';
import type { ArgsOf, DocumentRef, ViewMethods } from '../../protocol/index.ts';
import { asDocumentRef } from '../documents/document-ref.ts';

type Guard<K extends keyof ViewMethods> = (args: unknown) => ArgsOf<ViewMethods[K]> | undefined;
type Fields = Readonly<Record<string, unknown>>;

const rowLimit = 400; // rows a call, protocol/session.ts
const queryLimit = 1000;
const copyLimit = 8_000_000; // characters; a whole document at most
const idLimit = 4096;

const fields = (args: unknown): Fields => (typeof args === 'object' && args !== null ? (args as Fields) : {}); // reading a missing key gives undefined
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0; // an integer is a number
const isText = (value: unknown, limit: number): value is string => typeof value === 'string' && value.length <= limit;
const isIndexes = (value: unknown): value is number[] => Array.isArray(value) && value.length <= rowLimit && value.every(isCount);
const isTable = (value: unknown): value is TableName => typeof value === 'string' && Object.hasOwn(TABLES, value);

const empty = (args: unknown): Record<never, never> | undefined => (typeof args === 'object' && args !== null ? {} : undefined);

function seqOnly(args: unknown): { readonly seq: number } | undefined {
  const { seq } = fields(args);
  return isCount(seq) ? { seq } : undefined;
}

export const viewGuards: { readonly [K in keyof ViewMethods]: Guard<K> } = {
  ready(args) {
    const { protocol } = fields(args);
    return isCount(protocol) ? { protocol } : undefined;
  },
  overview: empty,
  table(args) {
    const { generation, table, from, to } = fields(args);
    return isCount(generation) && isTable(table) && isCount(from) && isCount(to) && from <= to
      ? { generation, table, from, to }
      : undefined;
  },
  rows(args) {
    const { generation, turns, steps, entries } = fields(args);
    if (!isCount(generation) || !isIndexes(turns) || !isIndexes(steps) || !isIndexes(entries)) return undefined;
    return turns.length + steps.length + entries.length <= rowLimit ? { generation, turns, steps, entries } : undefined;
  },
  detail(args) {
    const { generation, seq } = fields(args);
    return isCount(generation) && isCount(seq) ? { generation, seq } : undefined;
  },
  search(args) {
    const { generation, query, limit } = fields(args);
    return isCount(generation) && isText(query, queryLimit) && isCount(limit) ? { generation, query, limit } : undefined;
  },
  salvaged(args) {
    const { from, to } = fields(args);
    return isCount(from) && isCount(to) && from <= to ? { from, to } : undefined;
  },
  openDocument(args) {
    const ref = asDocumentRef(fields(args).ref);
    return ref ? { ref } : undefined;
  },
  compare(args) {
    const { left, right } = fields(args);
    const pair: readonly (DocumentRef | undefined)[] = [asDocumentRef(left), asDocumentRef(right)];
    return pair[0] && pair[1] ? { left: pair[0], right: pair[1] } : undefined;
  },
  copy(args) {
    const { text } = fields(args);
    return isText(text, copyLimit) ? { text } : undefined;
  },
  selected: seqOnly,
  openSession(args) {
    const { id } = fields(args);
    return isText(id, idLimit) && id !== '' ? { id } : undefined;
  },
  revealInTree: seqOnly,
};
