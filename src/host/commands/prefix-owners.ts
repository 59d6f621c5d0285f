/** Which of several logs a fork was made from, told by what it shares with them. */
import { RpcError } from '../../protocol/index.ts';
import type { SessionLease } from '../workers/session-pool.ts';

/** Lends the reader of a log. */
interface Readers {
  use<T>(path: string, work: (reader: Pick<SessionLease, 'call'>) => Promise<T>): Promise<T>;
}

/**
 * Those of the logs that a fork at `cut` shares its prefix with: the same history there and, where several have it, the same last event. All
 * of them where it cannot be told.
 */
export async function prefixOwners(
  readers: Readers,
  fork: string,
  cut: number,
  logs: readonly string[],
): Promise<readonly string[]> {
  if (cut === 0 || logs.length < 2) return logs;
  const own = await prefixOf(readers, fork, cut);
  if (!own) return logs;
  const alike: { readonly log: string; readonly event: string }[] = [];
  for (const log of logs) {
    const prefix = await prefixOf(readers, log, cut);
    if (prefix?.history === own.history) alike.push({ log, event: prefix.event });
  }
  const exact = alike.filter(({ event }) => event === own.event);
  const found = (exact.length > 0 ? exact : alike).map(({ log }) => log);
  return found.length > 0 ? found : logs;
}

/** Undefined for a log that cannot be read so far. */
async function prefixOf(
  readers: Readers,
  path: string,
  cut: number,
): Promise<{ readonly history: string; readonly event: string } | undefined> {
  const seq = cut - 1;
  try {
    return await readers.use(path, async (reader) => {
      const { messages } = await reader.call('digest', { ref: { kind: 'history', seq } });
      const { text } = await reader.call('document', { ref: { kind: 'event', seq } });
      return { history: JSON.stringify(messages), event: text };
    });
  } catch (error) {
    if (error instanceof RpcError) return undefined; // one that cannot be read was not found to be the one
    throw error;
  }
}
