import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { text, type Damage, type Refusal, type Text } from '../core/index.ts';
import { makeDamage, settleList } from './damage-list.ts';
import { isFlatLogName, type Encoding } from './generations.ts';
import { glanceAtLog, type LogGlance } from './log-glance.ts';
import {
  duplicateIdDamage,
  flatLogDamage,
  misplacedDamage,
  mixedEncodingsDamage,
  nameCollisionDamage,
} from './placement-damage.ts';
import { projectDirectoryName, sessionDirectoryName } from './names.ts';
import { errorCode, scanRoot, type FoundSession } from './root-scan.ts';
import { checkWholeLog, type WholeLogCheck } from './whole-log-check.ts';
import { scanWholeLog, type WholeLogFacts } from './whole-log-facts.ts';
import { loadDecoder, type FrameDecoder } from './zstd/decode.ts';

/** A generation that lies beside the one that would be opened. */
export interface OlderGeneration {
  readonly path: string;
  readonly version: number;
  readonly encoding: Encoding;
}

/** One session of a root, as far as its ends tell. */
export interface SessionSummary {
  /** The log that would be opened. */
  readonly path: string;
  readonly id?: string;
  /** The header's, else the file name's. */
  readonly version?: number;
  readonly encoding?: Encoding;
  readonly cwd?: string;
  /** Epoch milliseconds. */
  readonly createdAt?: number;
  readonly parentSession?: string;
  readonly origin?: string;
  readonly isSeeded?: boolean;
  readonly agentPreset?: string;
  /** Inherited events of a fork; absent when the part that was read does not tell. */
  readonly cut?: number;
  /** Latest title, else the first human prompt; one bounded plain line. */
  readonly title?: string;
  /** The title comes from an event the fork inherited. */
  readonly titleIsInherited: boolean;
  /** What a subagent child was started as. */
  readonly label?: string;
  /** False: the part that was read holds no later title, the rest may. */
  readonly titleIsComplete: boolean;
  /** False: only the ends were read, there may be damage between them. */
  readonly isChecked: boolean;
  /** Last human or model act, epoch ms. */
  readonly lastActivity?: number;
  /** Turns of the log, inherited ones included; absent when the part that was read does not tell. */
  readonly turnCount?: number;
  /** Whether a compaction or a prune took something out of the context; absent when the part that was read does not tell. */
  readonly isCompacted?: boolean;
  /** The log is readable and has no turn. */
  readonly isEmpty: boolean;
  readonly size: number;
  /** Epoch milliseconds. */
  readonly mtime: number;
  readonly olderGenerations: readonly OlderGeneration[];
  readonly damage: readonly Damage[];
  readonly refusal: Refusal | undefined;
}

export interface RootListing {
  readonly exists: boolean;
  readonly sessions: readonly SessionSummary[];
  /** About the root itself: folders that cannot be read. */
  readonly problems: readonly Text[];
}

export interface SessionLister {
  /** Lists a root; unchanged files (path, size, mtime) are not read again. Rejects only when aborted. */
  list(root: string, options?: { readonly signal?: AbortSignal }): Promise<RootListing>;
  /**
   * Reads a whole log for the title and turn count its ends did not tell, and remembers them for as long as the file is unchanged. Gives the
   * last listing's summary of the path with them, or undefined when no listing had it.
   */
  complete(path: string, options?: { readonly signal?: AbortSignal }): Promise<SessionSummary | undefined>;
  /**
   * The same with every event read, as opening the log does: damage between its ends, an unknown event, the turns that can be read. Costs
   * more, and is remembered alike. A log too large for it counts as checked.
   */
  check(path: string, options?: { readonly signal?: AbortSignal }): Promise<SessionSummary | undefined>;
}

/** Logs read at the same time. */
const PARALLEL_READS = 8;

let shared: SessionLister | undefined;

/**
 * One record per session directory of a root, the damaged ones included, and one per stray flat log. Never rejects for one session's sake;
 * rejects when aborted. format/on-disk.md §2, §3.
 */
export async function listSessions(root: string, options: { readonly signal?: AbortSignal } = {}): Promise<SessionSummary[]> {
  shared ??= createSessionLister();
  return [...(await shared.list(root, options)).sessions];
}

/** A lister with a cache of its own. */
export function createSessionLister(): SessionLister {
  const glances = new Map<string, Known>();
  const latest = new Map<string, Listed>();
  let decoder: FrameDecoder | undefined;

  const glanceAt = async (log: Log): Promise<SessionSummary | undefined> => {
    decoder ??= await loadDecoder();
    try {
      const { size, mtimeMs } = await stat(log.path);
      const cached = glances.get(log.path);
      if (cached !== undefined && cached.size === size && cached.mtime === mtimeMs) return summaryOf(log, cached);
      const glance = await glanceAtLog(log.path, { encoding: log.encoding, fileVersion: log.version, decoder });
      const known: Known = { size: glance.size, mtime: glance.mtime, glance };
      glances.set(log.path, known);
      return summaryOf(log, known);
    } catch (error) {
      const code = errorCode(error);
      // Deleted since its directory was read. A link that leads nowhere is still there.
      if (code === 'ENOENT' && !(await exists(log.path))) return undefined;
      return unreadable(log, code);
    }
  };

  return {
    async list(root, { signal } = {}) {
      const scan = await scanRoot(root, signal);
      const logs: Log[] = [
        ...scan.sessions.map(logOf),
        ...scan.flatLogs.map((path): Log => ({
          path,
          encoding: encodingOf(path),
          version: undefined,
          older: [],
          session: undefined,
        })),
      ];
      const glanced = await inParallel(logs, async (log) => {
        signal?.throwIfAborted();
        return { log, summary: await glanceAt(log) };
      });
      const found = glanced.filter((one): one is Glanced => one.summary !== undefined);
      const listed = await withPlacement(root, found);
      const kept = new Set(found.map(({ log }) => log.path));
      for (const path of glances.keys()) if (!kept.has(path) && isUnder(root, path)) glances.delete(path);
      for (const path of latest.keys()) if (isUnder(root, path)) latest.delete(path);
      for (const one of listed) latest.set(one.log.path, one);
      return { exists: scan.exists, sessions: listed.map(({ summary }) => summary), problems: scan.problems };
    },

    async complete(path, { signal } = {}) {
      const listed = latest.get(path);
      const known = glances.get(path);
      if (listed === undefined || known === undefined) return listed?.summary;
      const { encoding } = listed.log;
      if (known.whole === undefined && !(known.glance.titleIsComplete && known.glance.turns !== undefined)) {
        decoder ??= await loadDecoder();
        try {
          known.whole = await scanWholeLog(path, { encoding, decoder, ...(signal === undefined ? {} : { signal }) });
        } catch (error) {
          signal?.throwIfAborted();
          return unreadableNow(listed.summary, errorCode(error));
        }
      }
      return remember(listed, known);
    },

    async check(path, { signal } = {}) {
      const listed = latest.get(path);
      const known = glances.get(path);
      if (listed === undefined || known === undefined) return listed?.summary;
      const { encoding, version } = listed.log;
      if (!known.glance.isChecked && known.check === undefined) {
        decoder ??= await loadDecoder();
        try {
          const options = { encoding, fileVersion: version, decoder, ...(signal === undefined ? {} : { signal }) };
          known.check = (await checkWholeLog(path, options)) ?? 'too-large';
        } catch (error) {
          signal?.throwIfAborted();
          return unreadableNow(listed.summary, errorCode(error));
        }
      }
      return remember(listed, known);
    },
  };

  /** The summary with what is known of the file by now. */
  function remember({ log, placement }: Listed, known: Known): SessionSummary {
    const summary = placed(summaryOf(log, known), placement);
    latest.set(log.path, { log, placement, summary });
    return summary;
  }
}

function unreadableNow(summary: SessionSummary, code: string): SessionSummary {
  return { ...summary, isChecked: true, damage: [...summary.damage, unreadableDamage(summary.path, code)] };
}

/** What has been read of a file, for as long as its size and time stay. */
interface Known {
  readonly size: number;
  readonly mtime: number;
  readonly glance: LogGlance;
  whole?: WholeLogFacts;
  check?: WholeLogCheck | 'too-large';
}

/** One session of the last listing, and what its neighbours told of it. */
interface Listed {
  readonly log: Log;
  readonly summary: SessionSummary;
  readonly placement: readonly Damage[];
}

interface Log {
  readonly path: string;
  readonly encoding: Encoding;
  /** The file name's; undefined for a flat log. */
  readonly version: number | undefined;
  readonly older: readonly OlderGeneration[];
  readonly session: FoundSession | undefined;
}

interface Glanced {
  readonly log: Log;
  readonly summary: SessionSummary;
}

function isUnder(root: string, path: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

function logOf(session: FoundSession): Log {
  const [first, ...others] = session.generations;
  return {
    path: join(session.directory, first.name),
    encoding: first.encoding,
    version: first.version,
    older: others
      .filter((other) => other.version < first.version)
      .map(({ name, version, encoding }) => ({ path: join(session.directory, name), version, encoding })),
    session,
  };
}

function summaryOf(log: Log, known: Known): SessionSummary {
  const { glance } = known;
  const check = known.check === 'too-large' ? undefined : known.check;
  const { header } = glance;
  const isCompacted = check?.isCompacted ?? glance.isCompacted;
  const version = header?.version ?? log.version;
  return {
    path: log.path,
    encoding: log.encoding,
    ...(version === undefined ? {} : { version }),
    ...textField('id', header?.id),
    ...textField('cwd', header?.cwd),
    ...(Number.isSafeInteger(header?.createdAt) ? { createdAt: header?.createdAt as number } : {}),
    ...textField('parentSession', header?.parentSession),
    ...textField('origin', header?.origin),
    ...(header === undefined
      ? {}
      : { isSeeded: header.version < 2 ? header.seedLength !== undefined : header.isSeeded === true }),
    ...textField('agentPreset', header?.agentPreset),
    ...(glance.cut === undefined ? {} : { cut: glance.cut }),
    ...textField('label', glance.label),
    ...ownFacts(glance, check ?? known.whole, check?.turns),
    ...(isCompacted === undefined ? {} : { isCompacted }),
    isChecked: glance.isChecked || known.check !== undefined,
    size: glance.size,
    mtime: glance.mtime,
    olderGenerations: log.older,
    damage: check?.damage ?? glance.damage,
    refusal: check?.refusal ?? glance.refusal,
  };
}

type OwnFacts = Pick<SessionSummary, 'title' | 'titleIsInherited' | 'titleIsComplete' | 'lastActivity' | 'turnCount' | 'isEmpty'>;

/** `turns`: as counted by reading every event, which no number in a line outweighs. */
function ownFacts(glance: LogGlance, whole: WholeLogFacts | undefined, turns: number | undefined): OwnFacts {
  const title = whole === undefined ? glance.title : (whole.title ?? whole.prompt);
  const { cut } = glance;
  const turnCount = turns ?? glance.turns ?? whole?.turns;
  const lastActivity = glance.lastActivity ?? whole?.activity;
  return {
    ...(title === undefined ? {} : { title: title.text }),
    titleIsInherited: title?.seq !== undefined && cut !== undefined && title.seq < cut,
    titleIsComplete: glance.titleIsComplete || whole !== undefined,
    ...(lastActivity === undefined ? {} : { lastActivity }),
    ...(turnCount === undefined ? {} : { turnCount }),
    isEmpty: turnCount === 0,
  };
}

function textField<K extends string>(key: K, value: unknown): Partial<Record<K, string>> {
  return typeof value === 'string' ? ({ [key]: value } as Record<K, string>) : {};
}

function unreadable(log: Log, code: string): SessionSummary {
  return {
    path: log.path,
    encoding: log.encoding,
    ...(log.version === undefined ? {} : { version: log.version }),
    titleIsInherited: false,
    titleIsComplete: true,
    isChecked: true,
    isEmpty: false,
    size: 0,
    mtime: 0,
    olderGenerations: log.older,
    damage: [unreadableDamage(log.path, code)],
    refusal: undefined,
  };
}

function unreadableDamage(path: string, code: string): Damage {
  return makeDamage('unreadable', text('{path} cannot be read ({code})', { path, code }), { list: 'refuses', open: 'refuses' });
}

/** Adds what only the neighbours tell: misplaced logs, mixed encodings, duplicate ids, names that differ by case, flat logs. */
async function withPlacement(root: string, found: readonly Glanced[]): Promise<Listed[]> {
  const strangers = strangeEncodings(
    root,
    found.flatMap(({ log }) => log.session ?? []),
  );
  const byId = grouped(found, ({ log, summary }) => (log.session === undefined ? undefined : summary.id));
  const byFoldedName = grouped(found, ({ log }) => log.session?.directory.toLowerCase());
  return inParallel(found, async (one) => {
    const { log, summary } = one;
    if (log.session === undefined) {
      const placement = [flatLogDamage(basename(log.path))];
      return { log, placement, summary: placed(summary, placement) };
    }
    const { directory } = log.session;
    const placement = await misplaced(root, summary);
    placement.push(...(strangers.get(log.session) ?? []));
    const twin = await otherThan(one, byId.get(summary.id ?? ''));
    if (twin !== undefined) placement.push(duplicateIdDamage(relative(root, dirname(twin.log.path))));
    const lookalike = await otherThan(one, byFoldedName.get(directory.toLowerCase()));
    if (lookalike !== undefined) placement.push(nameCollisionDamage(basename(dirname(lookalike.log.path))));
    return { log, placement, summary: placed(summary, placement) };
  });
}

function placed(summary: SessionSummary, placement: readonly Damage[]): SessionSummary {
  return placement.length === 0 ? summary : { ...summary, damage: settleList([...summary.damage, ...placement]) };
}

/** The first of a group that is another file, not the same one through a link. */
async function otherThan(one: Glanced, group: readonly Glanced[] = []): Promise<Glanced | undefined> {
  for (const other of group) if (other !== one && !(await isSameFile(one.log.path, other.log.path))) return other;
  return undefined;
}

async function isSameFile(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.allSettled([realpath(a), realpath(b)]);
  return first.status === 'fulfilled' && second.status === 'fulfilled' && first.value === second.value;
}

/** Whether a log lies where its header's id and cwd put it; a newer format's header is not interpreted. */
async function misplaced(root: string, { path, id, cwd, refusal }: SessionSummary): Promise<Damage[]> {
  if (id === undefined || id === '' || cwd === '' || refusal !== undefined) return [];
  const expected = join(projectDirectoryName(cwd), sessionDirectoryName(id));
  const actual = relative(root, dirname(path));
  if (actual === expected) return [];
  // dsh also takes a directory that is the same one after links are resolved.
  if (await isSameFile(join(root, expected), dirname(path))) return [];
  return [misplacedDamage(expected, actual)];
}

/** A root has the encoding most of its logs have, zstd when even; every directory holding a log of the other one is named. */
function strangeEncodings(root: string, sessions: readonly FoundSession[]): Map<FoundSession, Damage[]> {
  const files = sessions.flatMap((session) => session.generations.map((generation) => ({ session, ...generation })));
  const plain = files.filter((file) => file.encoding === 'none');
  const zstd = files.filter((file) => file.encoding === 'zstd');
  const found = new Map<FoundSession, Damage[]>();
  const [few, many] = plain.length > zstd.length ? [zstd, plain] : [plain, zstd];
  for (const stranger of few) {
    const own = stranger.session.generations[0];
    // Named is a log of the encoding that is not the opened one's: the stranger itself, or one of the many.
    const other = own.encoding === stranger.encoding ? many[0] : stranger;
    if (other === undefined || found.has(stranger.session)) continue;
    found.set(stranger.session, [mixedEncodingsDamage(join(relative(root, other.session.directory), other.name))]);
  }
  return found;
}

function grouped(found: readonly Glanced[], keyOf: (one: Glanced) => string | undefined): Map<string, Glanced[]> {
  const groups = new Map<string, Glanced[]>();
  for (const one of found) {
    const key = keyOf(one);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}

function encodingOf(path: string): Encoding {
  return isFlatLogName(path) && path.endsWith('.zstd') ? 'zstd' : 'none';
}

async function inParallel<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await run(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL_READS, items.length) }, worker));
  return results;
}
