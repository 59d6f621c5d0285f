import { checkSession, english, equalJson, text, type SessionEvent, type Text } from '../core/index.ts';
import type { SeededSession } from './fork-build.ts';
import { ForkSessionError } from './fork-error.ts';
import type { ForkSource } from './fork-source.ts';
import type { Encoding } from './generations.ts';
import { openSession, type OpenSession } from './open-session.ts';

/** Reads a written session back and throws a {@link ForkSessionError} unless it is exactly what was meant and dsh would take it. */
export async function verifySession(
  path: string,
  source: ForkSource,
  session: SeededSession,
  encoding: Encoding,
  signal?: AbortSignal,
): Promise<void> {
  const written = await openSession(path, { placement: false, ...(signal === undefined ? {} : { signal }) });
  try {
    const problem =
      shapeProblem(written, session, encoding) ?? contentProblem(written, source, session) ?? rulesProblem(written, session);
    if (problem !== undefined) {
      const sentence = text('The new session did not pass its check, so nothing was written: {reason}', {
        reason: english(problem),
      });
      throw new ForkSessionError('NOT_VERIFIED', sentence);
    }
  } finally {
    await written.close();
  }
}

function shapeProblem(written: OpenSession, session: SeededSession, encoding: Encoding): Text | undefined {
  const { header, prefixCount, inherited, tail } = session;
  if (written.encoding !== encoding || JSON.stringify(written.header) !== JSON.stringify(header)) {
    return text('its header reads back otherwise');
  }
  const expected = prefixCount + tail.length;
  if (written.eventCount !== expected || written.uncommittedEvents > 0) {
    return text('it holds {count} events where {expected} are due', { count: written.eventCount, expected });
  }
  if (written.inheritedEventCount !== inherited) {
    return text('its cut lies at {found} instead of {expected}', { found: written.inheritedEventCount, expected: inherited });
  }
  if (written.refusal !== undefined) return written.refusal.text;
  return written.damage.find(({ dsh }) => dsh.open !== 'accepts' || dsh.list !== 'accepts')?.text;
}

/**
 * The prefix line by line, byte for byte; a packed line that the cut divides event by event, and so is everything after it. Lines that are
 * equal and hold the same seqs hold equal events.
 */
function contentProblem(written: OpenSession, source: ForkSource, session: SeededSession): Text | undefined {
  const { prefixCount, tail } = session;
  const lines = written.storedLines(written.eventCount - 1)[Symbol.iterator]();
  let compared = 0;
  for (const { seq0, count, bytes } of source.storedLines(prefixCount - 1)) {
    if (seq0 + count > prefixCount) break;
    const line = lines.next();
    if (line.done === true || line.value.seq0 !== seq0 || Buffer.compare(line.value.bytes, bytes) !== 0) return differs(seq0);
    compared = seq0 + count;
  }
  const rest: SessionEvent[] = [...source.events(compared, prefixCount), ...tail];
  for (const event of written.events(compared)) {
    if (!equalJson(event, rest[event.seq - compared])) return differs(event.seq);
  }
  return undefined;
}

function differs(seq: number): Text {
  return text('#{seq} reads back otherwise', { seq });
}

/**
 * Nothing may be wrong with the session's own part. What its source already had and dsh accepts stays the source's affair; but without a
 * lineage an upload acknowledgement that names the source is out of place anywhere.
 */
function rulesProblem(written: OpenSession, session: SeededSession): Text | undefined {
  for (const finding of checkSession(session.header, written.events())) {
    const isOwn = finding.seq >= session.prefixCount;
    const isOrphan = session.inherited === 0 && finding.rule === 'delivery';
    // Numbers that JSON loses are kept as stored, and no dsh looks for them when it opens a log (RAN on v0).
    const isRefused = finding.dsh === 'refuses' && finding.rule !== 'lossless-json';
    if (isOwn || isOrphan || isRefused) return finding.text;
  }
  return undefined;
}
