import { SessionForkError, text, type Text } from '../core/index.ts';
import {
  RpcError,
  type ArgsOf,
  type Branched,
  type BranchKind,
  type BranchMethods,
  type BranchPlan,
  type BranchPoint,
} from '../protocol/index.ts';
import {
  ForkSessionError,
  LogWriteError,
  boundariesBefore,
  branchRefusal,
  forkSession,
  lastBoundary,
  nearestBoundaries,
  placeOf,
  projectDirectoryOf,
  replayAsNewSession,
  rootOfLog,
  targetProblem,
} from '../storage/index.ts';
import type { LoadedLog } from './loaded.ts';
import type { OpenLog } from './open-log.ts';
import { spanEnd } from './span-end.ts';

type Translate = (text: Text) => string;

/** An id nobody has, for asking about a root before the real one is made. */
const NO_ID = 'session-00000000-0000-4000-8000-000000000000';

/** What a new session from a place would be, or why there can be none and where there can. Nothing is written. */
export async function branchPlan(
  loaded: LoadedLog,
  args: ArgsOf<BranchMethods['branchPlan']>,
  t: Translate,
  signal: AbortSignal,
): Promise<BranchPlan> {
  const { log } = loaded;
  const { kind, closes } = args;
  const seq = args.seq !== undefined && args.span === true ? spanEnd(loaded, args.seq) : args.seq;
  const refused = (reason: Text, nearest: readonly BranchPoint[] = []): BranchPlan => ({ legal: false, seq, reason, nearest });
  const { header, encoding } = log;
  const boundary = seq ?? wholeSession(log, kind);
  if (header === undefined || boundary === undefined) return refused(noBoundary(log), boundariesBefore(log, log.forkableCount));
  const isOpen = log.turnEdges?.isOpenAt(boundary) === true;
  const refusal = branchRefusal(log, boundary, kind);
  if (refusal !== undefined) {
    const nearest = nearestPoints(log, kind, boundary, refusal);
    return refused(whyNot(log, refusal, nearest, t), nearest);
  }
  const isWholeReplay = kind === 'replay' && boundary === log.eventCount - 1;
  if (isOpen && !closes && !isWholeReplay) return refused(stillOpen(log, boundary), nearestPoints(log, kind, boundary));
  const root = rootOfLog(log.path);
  if (root === undefined) return refused(NO_ROOT);
  const problem = await targetProblem(root, NO_ID, encoding, signal);
  if (problem !== undefined) return refused(problem.text);
  const directory = projectDirectoryOf(root, header);
  const agentPreset = log.effectivePreset;
  return {
    legal: true,
    point: { seq: boundary, label: labelOf(log, boundary, isOpen, kind), closes: isOpen },
    turns: log.turnEdges?.turnsUpTo(boundary) ?? 0,
    events: boundary + 1,
    version: header.version,
    encoding,
    directory,
    agentPreset,
    warnings: [...(seq === undefined ? leftOut(log, boundary, t) : []), ...warningsOf(log, boundary, agentPreset, t)],
  };
}

/** Writes what a plan described. Failures come in the reader's language. */
export async function makeBranch(
  log: OpenLog,
  { kind, seq, closes }: ArgsOf<BranchMethods['branch']>,
  t: Translate,
  signal: AbortSignal,
): Promise<Branched> {
  const root = rootOfLog(log.path);
  if (root === undefined) throw new RpcError('failed', t(NO_ROOT));
  const refusal = branchRefusal(log, seq, kind);
  if (refusal !== undefined) throw new RpcError('failed', t(refusal.text));
  const isOpen = log.turnEdges?.isOpenAt(seq) === true;
  if (isOpen && !closes) throw new RpcError('failed', t(stillOpen(log, seq)));
  if (closes && !isOpen) throw new RpcError('failed', t(text('#{seq} no longer lies in an open turn', { seq })));
  try {
    if (kind === 'replay') return { ...(await replayAsNewSession(log, seq, { root, signal })), cut: 0 };
    return await forkSession(log, seq, { root, signal });
  } catch (error) {
    if (signal.aborted) throw new RpcError('cancelled', t(text('Cancelled; nothing was written')));
    if (error instanceof ForkSessionError || error instanceof LogWriteError || error instanceof SessionForkError)
      throw new RpcError('failed', t(error.text));
    throw error;
  }
}

const NO_ROOT = text('This log does not lie in a sessions root, so there is no place beside it for a new session');

/**
 * A replay takes the whole log where it can, a fork the last boundary that needs no closers (decisions.md "Fork target"). A replay that may
 * not hold what the log holds is refused as a whole: how much less it should be is for the reader to say.
 */
function wholeSession(log: OpenLog, kind: BranchKind): number | undefined {
  const last = log.eventCount - 1;
  if (kind === 'replay' && last >= 0) {
    const refusal = branchRefusal(log, last, kind);
    if (refusal === undefined || (refusal instanceof ForkSessionError && refusal.seq !== undefined)) return last;
  }
  return lastBoundary(log);
}

function noBoundary(log: OpenLog): Text {
  if (log.refusal !== undefined) return log.refusal.text;
  const answer = log.forkBoundary(0);
  if (!answer.legal && answer.code !== 'OPEN_TURN') return answer.text;
  return text('The first turn of this session is still open, and nothing lies before it');
}

/** For what cannot be read or dsh would refuse, also what it is and that everything before it can be forked. */
function whyNot(log: OpenLog, refusal: Refused, nearest: readonly BranchPoint[], t: Translate): Text {
  if (refusal instanceof ForkSessionError && refusal.seq !== undefined && nearest.length === 0) {
    return text('{reason}. No turn ends before it, so there is no other point to offer; a fork may hold it', {
      reason: t(refusal.text),
    });
  }
  const seq = log.forkableCount;
  if (refusal.code !== 'UNREADABLE' || seq === 0) return refusal.text;
  const found = log.damage.find((damage) => damage.seq === seq);
  return text('Only what lies before #{seq} can be forked: {reason}', { seq, reason: t(found?.text ?? refusal.text) });
}

/** Of a session as a whole: what its end holds that the new session will not, and why. */
function leftOut(log: OpenLog, boundary: number, t: Translate): Text[] {
  const end = log.forkableCount;
  const words: Text[] = [];
  const beyond = log.forkBoundary(end);
  if (!beyond.legal && beyond.code === 'UNREADABLE') {
    const found = log.damage.find(({ seq, dsh, isElsewhere }) =>
      end < log.eventCount ? seq === end : isElsewhere !== true && dsh.open !== 'accepts',
    );
    words.push(text('Only what lies before #{seq} can be forked: {reason}', { seq: end, reason: t(found?.text ?? beyond.text) }));
  }
  if (boundary + 1 < end)
    words.push(text('The turn that is still open there is left out: #{first} – #{last}', { first: boundary + 1, last: end - 1 }));
  return words;
}

function stillOpen(log: OpenLog, seq: number): Text {
  const turn = placeOf(log, seq, true).args['turn'] ?? '?';
  return text('#{seq} lies inside turn {turn}, which is still open there', { seq, turn });
}

type Refused = SessionForkError | ForkSessionError;

function nearestPoints(log: OpenLog, kind: BranchKind, boundary: number, refusal?: Refused): readonly BranchPoint[] {
  if (refusal instanceof ForkSessionError && refusal.seq !== undefined) return boundariesBefore(log, refusal.seq);
  const { before, here, after } = nearestBoundaries(log, boundary);
  const points = [before, after, here?.closes === true ? here : undefined].filter((point) => point !== undefined);
  return points.filter((point) => branchRefusal(log, point.seq, kind) === undefined);
}

function labelOf(log: OpenLog, boundary: number, isOpen: boolean, kind: BranchKind): Text {
  if (kind === 'replay' && isOpen) return text('The whole log, its open turn closed as interrupted');
  return placeOf(log, boundary, isOpen);
}

/** Releases before format 3 know the preset `code`, which later ones call `ptc`. format/migrations.md §3. */
const RENAMED_PRESET = { from: 'code', to: 'ptc', until: 3 };

function warningsOf(log: OpenLog, boundary: number, agentPreset: string | undefined, t: Translate): Text[] {
  const warnings: Text[] = [];
  if (log.turnEdges?.turnsUpTo(boundary) === 0) warnings.push(text('The copied part has no turn'));
  const uncommitted = boundary + 1 - (log.eventCount - log.uncommittedEvents);
  if (uncommitted > 0) {
    warnings.push(
      text('Of the copied events, {n} come from an unfinished last frame and are not yet committed', { n: uncommitted }),
    );
  }
  if (agentPreset === RENAMED_PRESET.from && (log.version ?? 0) < RENAMED_PRESET.until) {
    const { from, to } = RENAMED_PRESET;
    warnings.push(text('Newer releases of dsh call the preset “{from}” “{to}”', { from, to }));
  }
  const broken = log.damage.find(({ dsh }) => dsh.list === 'breaks-root');
  if (broken !== undefined) {
    warnings.push(text('dsh cannot list this root as it stands: {reason}', { reason: t(broken.text) }));
  }
  return warnings;
}
