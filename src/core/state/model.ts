import { isRecord, type UnknownRecord } from '../json.ts';
import type { Projection } from './projection.ts';

/** The model the next request goes to. */
export interface ModelChoice {
  readonly provider: string;
  readonly model: string;
  readonly reasoningEffort: string | undefined;
}

/** Whichever came last: a selection for later prompts, or the header of a request that was made. format/events.md §2, §3. */
export const modelProjection: Projection<ModelChoice | undefined> = {
  start: undefined,
  apply(state, event) {
    if (!isRecord(event.data)) return state;
    if (event.type === 'model/selection') return choiceOf(event.data) ?? state;
    const header = event.type === 'request/header' ? event.data['header'] : undefined;
    const config = isRecord(header) ? header['config'] : undefined;
    return isRecord(config) ? (choiceOf(config) ?? state) : state;
  },
};

function choiceOf(record: UnknownRecord): ModelChoice | undefined {
  const { provider, model, reasoningEffort } = record;
  if (typeof provider !== 'string' || typeof model !== 'string') return undefined;
  return { provider, model, reasoningEffort: typeof reasoningEffort === 'string' ? reasoningEffort : undefined };
}
