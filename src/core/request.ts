import { SESSION_FORMAT_VERSION } from './dialects/gates.ts';
import type { EpochHeader, RequestContext, SessionEvent, StoredEvent } from './events.ts';
import { isRecord } from './json.ts';

/** The latest request header of a log, or undefined before the first. format/surface.md §5. */
export function foldRequestHeader(
  events: readonly SessionEvent[],
  version: number = SESSION_FORMAT_VERSION,
): EpochHeader | undefined {
  let header: EpochHeader | undefined;
  for (const event of events) if (event.type === 'request/header') header = headerOf(event, version) ?? header;
  return header;
}

/** The header a `request/header` event carries; v0 headers lose the retired `messagePrefix`. */
export function headerOf(event: StoredEvent, version: number): EpochHeader | undefined {
  const header = isRecord(event.data) ? event.data['header'] : undefined;
  if (!isRecord(header)) return undefined;
  const { messagePrefix: _retired, ...rest } = header;
  // Payloads are checked where logs are read; a header is shown as it stands.
  return (version === 0 && Object.hasOwn(header, 'messagePrefix') ? rest : header) as unknown as EpochHeader;
}

/** The route a `request/context` event carries. */
export function contextOf(event: StoredEvent): RequestContext | undefined {
  return isRecord(event.data) ? (event.data as unknown as RequestContext) : undefined;
}
