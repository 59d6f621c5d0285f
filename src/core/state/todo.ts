import { isRecord } from '../json.ts';
import { latest } from './projection.ts';

export interface TodoItem {
  readonly content: string;
  /** pending, in_progress or completed. */
  readonly status: string;
}

/** The whole list, last one wins. format/events.md §2. */
export const todoProjection = latest<readonly TodoItem[]>([], 'todo/write', (data) => {
  const stored = data['todos'];
  if (!Array.isArray(stored)) return undefined;
  const items: TodoItem[] = [];
  for (const item of stored as unknown[]) {
    if (!isRecord(item) || typeof item['content'] !== 'string') continue;
    items.push({ content: item['content'], status: typeof item['status'] === 'string' ? item['status'] : 'pending' });
  }
  return items;
});
