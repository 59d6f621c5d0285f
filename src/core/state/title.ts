import { isRecord } from '../json.ts';
import { latest } from './projection.ts';

export interface SessionTitle {
  readonly title: string;
  /** user: named by a person, which a product keeps; provider: made by a model; fallback: cut from the prompt. */
  readonly source: string;
  /** Seq of the event. */
  readonly seq: number;
}

/** The last `session/title` wins. format/events.md §3. */
export const titleProjection = latest<SessionTitle | undefined>(undefined, 'session/title', (data, seq) => {
  const { title, source } = data;
  if (typeof title !== 'string') return undefined;
  const kind = isRecord(source) && typeof source['kind'] === 'string' ? source['kind'] : 'fallback';
  return { title, source: kind, seq };
});
