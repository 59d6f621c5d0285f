import type { EpochHeader, RequestContext, SessionEvent, StoredEvent } from './events.ts';
import { isRecord } from './json.ts';

/** The latest request header of a log, or undefined before the first. format/surface.md §5. */
export function foldRequestHeader(events: readonly SessionEvent[], _version?: number): EpochHeader | undefined {
  let header: EpochHeader | undefined;
  for (const event of events) if (event.type === 'request/header') header = headerOf(event) ?? header;
  return header;
}

/**
 * The header a `request/header` event carries, as dsh compares and hands it on: config, adapterDefaults, system, tools in this order,
 * empty ones and anything else (the retired `messagePrefix` of v0) left out.
 */
export function headerOf(event: StoredEvent): EpochHeader | undefined {
  const header = isRecord(event.data) ? event.data['header'] : undefined;
  if (!isRecord(header)) return undefined;
  const { config, adapterDefaults, system, tools } = header;
  const marks =
    isRecord(adapterDefaults) && (adapterDefaults['reasoningEffort'] === true || adapterDefaults['maxTokens'] === true);
  const canonical = {
    config,
    ...(marks ? { adapterDefaults } : {}),
    ...(typeof system === 'string' && system !== '' ? { system } : {}),
    ...(Array.isArray(tools) && tools.length > 0 ? { tools: tools as unknown } : {}),
  };
  // Payloads are checked where logs are read; a header is shown as it stands.
  return canonical as unknown as EpochHeader;
}

/** The route a `request/context` event carries. */
export function contextOf(event: StoredEvent): RequestContext | undefined {
  return isRecord(event.data) ? (event.data as unknown as RequestContext) : undefined;
}
