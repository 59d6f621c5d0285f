/**
 * What arrives over a channel is checked by hand before it is used: every method's arguments, rebuilt from the members
 * that are allowed, or undefined. None of these throws, whatever arrives.
 */
import type { TableName } from '../timeline/index.ts';
import { comparisonOf } from './compare-guard.ts';
import type { ExportPart } from './export.ts';
import type { BranchKind } from './fork.ts';
import type { ListMethods } from './list.ts';
import type { ArgsOf } from './rpc.ts';
import type { DocumentRef, SessionMethods } from './session.ts';
import { VIEW_ACTS, type ViewMethods } from './view.ts';

export type Checks<M> = { readonly [K in keyof M]: (args: unknown) => ArgsOf<M[K]> | undefined };

/** Longest query, path, id or root taken. */
const TEXT_LIMIT = 32_768;
/** Longest text the view may copy. */
const COPY_LIMIT = 64 * 1024 * 1024;
/** Rows a single call may ask for. */
export const ROWS_PER_CALL = 400;

type Members = Readonly<Record<string, unknown>>;

function members(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined; // an object: any key may be read
}

function count(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function shortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= TEXT_LIMIT;
}

function counts(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value) || value.length > ROWS_PER_CALL) return undefined;
  return value.every(count) ? value : undefined; // every member was just checked
}

function texts(value: unknown, limit: number): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > limit) return undefined;
  return value.every(shortText) ? value : undefined; // every member was just checked
}

function nothing(args: unknown): Record<never, never> | undefined {
  return members(args) ? {} : undefined;
}

function seqOnly(args: unknown): { readonly seq: number } | undefined {
  const seq = members(args)?.['seq'];
  return count(seq) ? { seq } : undefined;
}

function range(args: unknown): { readonly from: number; readonly to: number } | undefined {
  const { from, to } = members(args) ?? {};
  return count(from) && count(to) && from <= to ? { from, to } : undefined;
}

/** A reference to a document, as it stands in a URI or a message; undefined when it is none. */
export function documentRefOf(value: unknown): DocumentRef | undefined {
  const { kind, seq, turn, step, attempt, side, compared: raw } = members(value) ?? {};
  const comparison = comparisonOf(raw);
  const compared = comparison ? { compared: comparison } : {};
  switch (kind) {
    case 'history':
    case 'replayed':
      return count(seq) ? { kind, seq, ...compared } : undefined;
    case 'event':
    case 'removed':
    case 'message':
      return count(seq) ? { kind, seq } : undefined;
    case 'answer':
      return count(seq) && (side === 'stored' || side === 'chunks') ? { kind, seq, side } : undefined;
    case 'request':
      return count(turn) && count(step) && count(attempt) ? { kind, turn, step, attempt, ...compared } : undefined;
    case 'migrated':
      return { kind, ...(count(seq) ? { seq } : {}), ...compared };
    case 'jsonl':
    case 'transcript':
    case 'damage':
      return { kind };
    default:
      return undefined;
  }
}

const TABLE_NAMES: Readonly<Record<TableName, true>> = {
  entries: true,
  turns: true,
  steps: true,
  attempts: true,
  calls: true,
  replacements: true,
  shadowedSeqs: true,
  compactions: true,
  dividers: true,
  marks: true,
  context: true,
  boundaries: true,
  children: true,
};

function isTableName(value: unknown): value is TableName {
  return typeof value === 'string' && Object.hasOwn(TABLE_NAMES, value);
}

const overview: Checks<SessionMethods>['overview'] = nothing;
const table: Checks<SessionMethods>['table'] = (args) => {
  const { generation, table: name } = members(args) ?? {};
  const rows = range(args);
  return count(generation) && isTableName(name) && rows ? { generation, table: name, ...rows } : undefined;
};
const rows: Checks<SessionMethods>['rows'] = (args) => {
  const all = members(args) ?? {};
  const { generation } = all;
  const turns = counts(all['turns']);
  const steps = counts(all['steps']);
  const entries = counts(all['entries']);
  if (!count(generation) || !turns || !steps || !entries) return undefined;
  return turns.length + steps.length + entries.length <= ROWS_PER_CALL ? { generation, turns, steps, entries } : undefined;
};
const detail: Checks<SessionMethods>['detail'] = (args) => {
  const { generation, seq, until } = members(args) ?? {};
  if (!count(generation) || !count(seq)) return undefined;
  if (until === undefined) return { generation, seq };
  return count(until) ? { generation, seq, until } : undefined;
};
const search: Checks<SessionMethods>['search'] = (args) => {
  const { generation, query, limit } = members(args) ?? {};
  return count(generation) && shortText(query) && count(limit) ? { generation, query, limit } : undefined;
};

const replayPoints: Checks<SessionMethods>['replayPoints'] = (args) => {
  const { generation } = members(args) ?? {};
  const points = range(args);
  return count(generation) && points ? { generation, ...points } : undefined;
};
const replayMoment: Checks<SessionMethods>['replayMoment'] = (args) => {
  const { generation, point } = members(args) ?? {};
  return count(generation) && count(point) ? { generation, point } : undefined;
};

const attachment: Checks<SessionMethods>['attachment'] = (args) => {
  const id = members(args)?.['id'];
  return shortText(id) ? { id } : undefined;
};

function branchKind(value: unknown): value is BranchKind {
  return value === 'fork' || value === 'replay';
}

function exportPartOf(value: unknown): ExportPart | undefined {
  const { kind, seq, as } = members(value) ?? {};
  if (kind === 'jsonl' || kind === 'transcript') return { kind };
  return kind === 'history' && count(seq) && (as === 'markdown' || as === 'text') ? { kind, seq, as } : undefined;
}

function idOnly(args: unknown): { readonly id: number } | undefined {
  const id = members(args)?.['id'];
  return count(id) ? { id } : undefined;
}

export const sessionChecks: Checks<SessionMethods> = {
  overview,
  table,
  rows,
  detail,
  turns: range,
  steps: (args) => {
    const turn = members(args)?.['turn'];
    const part = range(args);
    return count(turn) && part ? { turn, ...part } : undefined;
  },
  document: (args) => {
    const ref = documentRefOf(members(args)?.['ref']);
    return ref ? { ref } : undefined;
  },
  search,
  forkBoundary: seqOnly,
  attachment,
  salvaged: range,
  digest: (args) => {
    const ref = documentRefOf(members(args)?.['ref']);
    return ref ? { ref } : undefined;
  },
  nextRequest: (args) => {
    const { turn, step, attempt } = members(args) ?? {};
    return count(turn) && count(step) && count(attempt) ? { turn, step, attempt } : undefined;
  },
  lastAttempt: (args) => {
    const { turn, step } = members(args) ?? {};
    return count(turn) && count(step) ? { turn, step } : undefined;
  },
  replacements: (args) => {
    const { seq } = members(args) ?? { seq: null };
    if (seq === undefined) return {};
    return count(seq) ? { seq } : undefined;
  },
  removed: seqOnly,
  spanEnd: seqOnly,
  migration: nothing,
  follow: (args) => {
    const on = members(args)?.['on'];
    return typeof on === 'boolean' ? { on } : undefined;
  },
  exportStart: (args) => {
    const part = exportPartOf(members(args)?.['part']);
    return part ? { part } : undefined;
  },
  exportNext: idOnly,
  exportStop: idOnly,
  replayPoints,
  replayMoment,
  verifyReplay: nothing,
  branchPlan: (args) => {
    const { kind, seq, span, closes } = members(args) ?? {};
    if (!branchKind(kind) || typeof closes !== 'boolean') return undefined;
    if (seq === undefined) return { kind, closes };
    return count(seq) ? { kind, seq, ...(span === true ? { span } : {}), closes } : undefined;
  },
  branch: (args) => {
    const { kind, seq, closes } = members(args) ?? {};
    return branchKind(kind) && count(seq) && typeof closes === 'boolean' ? { kind, seq, closes } : undefined;
  },
};

export const listChecks: Checks<ListMethods> = {
  list: (args) => {
    const root = members(args)?.['root'];
    return shortText(root) ? { root } : undefined;
  },
  complete: (args) => {
    const paths = texts(members(args)?.['paths'], 10_000);
    return paths ? { paths } : undefined;
  },
  check: (args) => {
    const path = members(args)?.['path'];
    return shortText(path) ? { path } : undefined;
  },
  resolveRoot: (args) => {
    const configured = members(args)?.['configured'];
    return shortText(configured) ? { configured } : undefined;
  },
};

export const viewChecks: Checks<ViewMethods> = {
  overview,
  table,
  rows,
  detail,
  search,
  attachment,
  salvaged: range,
  replayPoints,
  replayMoment,
  verifyReplay: nothing,
  ready: (args) => {
    const protocol = members(args)?.['protocol'];
    return count(protocol) ? { protocol } : undefined;
  },
  openDocument: (args) => {
    const ref = documentRefOf(members(args)?.['ref']);
    return ref ? { ref } : undefined;
  },
  compare: (args) => {
    const both = members(args) ?? {};
    const left = documentRefOf(both['left']);
    const right = documentRefOf(both['right']);
    return left && right ? { left, right } : undefined;
  },
  act: (args) => {
    const { name, seq } = members(args) ?? {};
    const act = VIEW_ACTS.find((known) => known === name);
    return act !== undefined && count(seq) ? { name: act, seq } : undefined;
  },
  copy: (args) => {
    const value = members(args)?.['text'];
    return typeof value === 'string' && value.length <= COPY_LIMIT ? { text: value } : undefined;
  },
  selected: seqOnly,
  openSession: (args) => {
    const id = members(args)?.['id'];
    return shortText(id) ? { id } : undefined;
  },
  revealInTree: seqOnly,
};
