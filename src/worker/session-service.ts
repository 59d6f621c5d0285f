import { text, english, type Text } from '../core/index.ts';
import {
  RpcError,
  sessionChecks,
  type Service,
  type SessionEvents,
  type SessionMethods,
  type SessionOverview,
} from '../protocol/index.ts';
import { imageAnswer } from './attachment.ts';
import { branchPlan, makeBranch } from './branch.ts';
import { eventDetail } from './detail/detail.ts';
import { digestOf } from './documents/digest.ts';
import { documentText } from './documents/document.ts';
import { migrationOf } from './documents/migrated.ts';
import { lastAttempt, nextRequest } from './documents/request.ts';
import { Exports } from './export/exports.ts';
import { readProblem } from './read-problem.ts';
import { loadLog, type LoadedLog } from './loaded.ts';
import type { LogOpener } from './open-log.ts';
import { outlineSteps, outlineTurns } from './outline.ts';
import { overviewOf } from './overview.ts';
import { replayMoment } from './replay/moment.ts';
import { replayPoints } from './replay/plan.ts';
import { replayProof } from './replay/proof.ts';
import { removedBy, replacementsOf } from './replacements.ts';
import { rowTexts } from './rows.ts';
import { subagentChildren } from './subagent-children.ts';
import { sameRows } from './same-rows.ts';
import { searchLog } from './search.ts';
import { spanEnd } from './span-end.ts';
import { tableChunk } from './tables.ts';

/** Longest salvaged line sent, and most lines a call answers. */
const SALVAGED_LENGTH = 4000;
const SALVAGED_LINES = 1000;
/** A growing log is read again at most this often, ms. */
const READ_EVERY_MS = 1000;

type Change = { readonly kind: 'appended' | 'truncated' | 'new-generation' | 'deleted' };

export interface SessionServiceOptions {
  readonly open: LogOpener;
  /** Watches the file; undefined = never changes. */
  readonly follow?: (path: string, onChange: (change: Change) => void) => { dispose(): void };
  readonly emit?: <K extends keyof SessionEvents>(name: K, data: SessionEvents[K]) => void;
  /** Words of the documents in the reader's language. */
  readonly t?: (text: Text) => string;
}

export interface SessionService {
  readonly service: Service<SessionMethods>;
  dispose(): Promise<void>;
}

/** Serves one log: reads it when first asked, and again whenever the file changes. Usable without a worker. */
export function createSessionService(path: string, options: SessionServiceOptions): SessionService {
  const reader = new Reader(path, options);
  const t = options.t ?? english;
  const exports = new Exports();
  const exact = async (generation: number): Promise<LoadedLog> => {
    const loaded = await reader.current();
    if (loaded.generation !== generation)
      throw new RpcError('stale', `generation ${generation} is gone, ${loaded.generation} is current`);
    return loaded;
  };
  const checked = sessionChecks;
  const service: Service<SessionMethods> = {
    follow: { check: checked.follow, run: ({ on }) => reader.follow(on) },
    overview: {
      check: checked.overview,
      run: async () => {
        const loaded = await reader.current();
        return overviewOf(loaded, reader.sinceOf(loaded));
      },
    },
    table: {
      check: checked.table,
      run: async ({ generation, table, from, to }) => tableChunk(await exact(generation), table, from, to),
    },
    rows: {
      check: checked.rows,
      run: async ({ generation, turns, steps, entries }) => rowTexts(await exact(generation), turns, steps, entries),
    },
    detail: {
      check: checked.detail,
      run: async ({ generation, seq, until }) => {
        const loaded = await exact(generation);
        return eventDetail(until === undefined ? loaded : loaded.asOf(until), seq);
      },
    },
    turns: { check: checked.turns, run: async ({ from, to }) => outlineTurns(await reader.current(), from, to) },
    steps: { check: checked.steps, run: async ({ turn, from, to }) => outlineSteps(await reader.current(), turn, from, to) },
    document: {
      check: checked.document,
      run: async ({ ref }, signal) => {
        const loaded = await reader.current();
        return documentText(loaded, ref, t, ref.kind === 'migrated' ? await subagentChildren(loaded.log, signal) : []);
      },
    },
    search: {
      check: checked.search,
      run: async ({ generation, query, limit }, signal) => searchLog(await exact(generation), query, limit, t, signal),
    },
    forkBoundary: { check: checked.forkBoundary, run: async ({ seq }) => (await reader.current()).log.forkBoundary(seq) },
    branchPlan: {
      check: checked.branchPlan,
      run: async (args, signal) => branchPlan(await reader.current(), args, t, signal),
    },
    branch: { check: checked.branch, run: async (args, signal) => makeBranch((await reader.current()).log, args, t, signal) },
    replayPoints: {
      check: checked.replayPoints,
      run: async ({ generation, from, to }, signal) => replayPoints(await exact(generation), from, to, signal),
    },
    replayMoment: {
      check: checked.replayMoment,
      run: async ({ generation, point }, signal) => replayMoment(await exact(generation), point, signal),
    },
    verifyReplay: { check: checked.verifyReplay, run: async (_args, signal) => replayProof(await reader.current(), signal) },
    digest: {
      check: checked.digest,
      run: async ({ ref }, signal) => {
        const loaded = await reader.current();
        return digestOf(loaded, ref, t, ref.kind === 'migrated' ? await subagentChildren(loaded.log, signal) : []);
      },
    },
    nextRequest: { check: checked.nextRequest, run: async (args) => nextRequest(await reader.current(), args) },
    lastAttempt: { check: checked.lastAttempt, run: async (args) => lastAttempt(await reader.current(), args) },
    replacements: {
      check: checked.replacements,
      run: async ({ seq }) => replacementsOf(await reader.current(), seq),
    },
    removed: { check: checked.removed, run: async ({ seq }) => removedBy(await reader.current(), seq) },
    spanEnd: { check: checked.spanEnd, run: async ({ seq }) => ({ seq: spanEnd(await reader.current(), seq) }) },
    migration: {
      check: checked.migration,
      run: async (_args, signal) => {
        const loaded = await reader.current();
        return migrationOf(loaded, await subagentChildren(loaded.log, signal));
      },
    },
    exportStart: { check: checked.exportStart, run: async ({ part }) => exports.start(await reader.current(), part, t) },
    exportNext: { check: checked.exportNext, run: ({ id }) => exports.next(id) },
    exportStop: { check: checked.exportStop, run: ({ id }) => exports.stop(id) },
    attachment: { check: checked.attachment, run: ({ id }) => imageAnswer(path, id) },
    salvaged: { check: checked.salvaged, run: async ({ from, to }) => salvaged(await reader.current(), from, to) },
  };
  return { service, dispose: () => reader.dispose() };
}

function salvaged(
  loaded: LoadedLog,
  from: number,
  to: number,
): { total: number; lines: { frame: number; line: number; text: string }[] } {
  const lines: { frame: number; line: number; text: string }[] = [];
  let total = 0;
  for (const { frame, line, text } of loaded.log.salvagedLines()) {
    if (total >= from && total < to && lines.length < SALVAGED_LINES)
      lines.push({ frame, line, text: text.slice(0, SALVAGED_LENGTH) });
    total++;
  }
  return { total, lines };
}

/** The current reading of a file, and the next one while it is being made. */
class Reader {
  readonly #path: string;
  readonly #options: SessionServiceOptions;
  #loaded: LoadedLog | undefined;
  #first: Promise<LoadedLog> | undefined;
  #watch: { dispose(): void } | undefined;
  #rereading = false;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #earliest = 0; // performance.now() before which the log is not read again
  #pending: Change['kind'] | undefined;
  #isFollowed = true;
  #since: SessionOverview['since'];
  #disposed = false;

  constructor(path: string, options: SessionServiceOptions) {
    this.#path = path;
    this.#options = options;
  }

  current(): Promise<LoadedLog> {
    if (this.#disposed) return Promise.reject(new RpcError('closed', text('The log was closed')));
    if (this.#loaded) return this.#upToDate(this.#loaded);
    this.#first ??= this.#open(1).then(
      (loaded) => {
        this.#loaded = loaded;
        this.#watch ??= this.#options.follow?.(this.#path, ({ kind }) => this.#changed(kind));
        return loaded;
      },
      (error: unknown) => {
        this.#first = undefined; // the file may be there on the next call
        throw new RpcError('failed', readProblem(error));
      },
    );
    return this.#first;
  }

  follow(on: boolean): Record<never, never> {
    this.#isFollowed = on;
    if (!on) {
      clearTimeout(this.#pause);
      this.#pause = undefined;
    } else if (this.#pending !== undefined) this.#schedule();
    return {};
  }

  /** What of the current reading is as it was in the one before. */
  sinceOf(loaded: LoadedLog): SessionOverview['since'] {
    return loaded === this.#loaded ? this.#since : undefined;
  }

  /** A change that nobody was looking for is read when something is asked, as often as if somebody were. */
  async #upToDate(loaded: LoadedLog): Promise<LoadedLog> {
    const isDue = !this.#isFollowed && this.#pending !== undefined && !this.#rereading;
    if (!isDue || performance.now() < this.#earliest) return loaded;
    await this.#reread();
    return this.#loaded ?? loaded;
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#watch?.dispose();
    clearTimeout(this.#pause);
    await this.#loaded?.log.close();
  }

  #open(generation: number): Promise<LoadedLog> {
    return loadLog(this.#path, generation, this.#options.open);
  }

  #changed(kind: Change['kind']): void {
    if (this.#disposed) return;
    if (kind === 'deleted') {
      this.#options.emit?.('deleted', {});
      return;
    }
    this.#pending = kind;
    if (this.#isFollowed) this.#schedule();
  }

  /** A log that never stops growing is read at most once a second and a third of the time. */
  #schedule(): void {
    if (this.#rereading || this.#pause !== undefined || this.#disposed) return;
    const wait = this.#earliest - performance.now();
    if (wait <= 0) {
      void this.#reread();
      return;
    }
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      void this.#reread();
    }, wait);
  }

  async #reread(): Promise<void> {
    const cause = this.#pending;
    this.#pending = undefined;
    if (cause === undefined || cause === 'deleted') return;
    this.#rereading = true;
    const started = performance.now();
    try {
      await this.#replace(cause);
    } catch (error) {
      this.#options.emit?.('unreadable', { message: error instanceof Error ? error.message : String(error) });
    } finally {
      this.#rereading = false;
      const now = performance.now();
      this.#earliest = Math.max(started + READ_EVERY_MS, now + 2 * (now - started));
    }
    if (this.#pending !== undefined && this.#isFollowed) this.#schedule();
  }

  async #replace(cause: 'appended' | 'truncated' | 'new-generation'): Promise<void> {
    const old = this.#loaded;
    const next = await this.#open((old?.generation ?? 0) + 1);
    if (this.#disposed) {
      await next.log.close();
      return;
    }
    this.#loaded = next;
    const rows = old && cause === 'appended' ? sameRows(old.timeline, next.timeline) : undefined;
    this.#since = old && rows && { generation: old.generation, rows };
    this.#options.emit?.('changed', { generation: next.generation, cause });
    await old?.log.close();
  }
}
