import { plainLine, text, todoProjection, type TodoItem } from '../../core/index.ts';
import { POINT, RpcError, type ReplayMoment, type ReplayTodo, type StreamedBlock } from '../../protocol/index.ts';
import { fields, items, NONE } from '../../timeline/index.ts';
import { lowerBound, type LoadedLog } from '../loaded.ts';
import { entryRow } from '../rows.ts';
import { planOf, type ReplayPlan } from './plan.ts';
import { assembled, attemptChunks, streamedBlocks } from './stream.ts';
import { streamingAt } from './streaming.ts';

/** Items of a todo list sent. */
const TODOS = 100;

/** What a session looked like at a point of its replay. */
export async function replayMoment(loaded: LoadedLog, point: number, signal: AbortSignal): Promise<ReplayMoment> {
  const plan = await planOf(loaded, signal);
  const seq = plan.seq[point];
  if (seq === undefined) throw new RpcError('not-found', `the replay has no point ${point}`);
  const landed = plan.landed[point] ?? NONE;
  const todos = todosAt(loaded, landed);
  const entry = loaded.entryAt(seq);
  return {
    generation: loaded.generation,
    point,
    blocks: blocksAt(loaded, plan, point, seq),
    streaming: streamingAt(loaded, plan, point),
    row: entry === NONE ? { title: text('Nothing here'), detail: '' } : entryRow(loaded, entry),
    todos: todos.slice(0, TODOS).map(todoOf),
    todoCount: todos.length,
    doneCount: todos.filter(({ status }) => status === 'completed').length,
  };
}

function blocksAt(loaded: LoadedLog, plan: ReplayPlan, point: number, seq: number): StreamedBlock[] {
  if (((plan.kind[point] ?? 0) & POINT.chunk) !== 0) {
    return streamedBlocks(assembled(attemptChunks(loaded, seq, (plan.chunk[point] ?? 0) + 1)));
  }
  const event = loaded.event(seq);
  // The stored answer is authoritative over its chunks. format/fork-resume.md §6.
  if (event?.type !== 'assistant/message') return [];
  return streamedBlocks(items(fields(fields(event.data)['message'])['content']) as Parameters<typeof streamedBlocks>[0]); // read by fields
}

const indexes = new WeakMap<LoadedLog, Uint32Array>();

/** Seqs of the few events the todo list is read off, ascending. */
function todoSeqs(loaded: LoadedLog): Uint32Array {
  let index = indexes.get(loaded);
  if (index === undefined) {
    const { tables, strings } = loaded.timeline;
    const { type, seq } = tables.entries.columns;
    const wanted = strings.types.indexOf('todo/write');
    const seqs: number[] = [];
    for (let i = 0; i < tables.entries.length; i++) if (type[i] === wanted) seqs.push(seq[i] ?? 0);
    index = Uint32Array.from(seqs);
    indexes.set(loaded, index);
  }
  return index;
}

const NO_TODOS: readonly TodoItem[] = [];

function todosAt(loaded: LoadedLog, landed: number): readonly TodoItem[] {
  if (landed === NONE) return NO_TODOS;
  const seqs = todoSeqs(loaded);
  for (let i = lowerBound(seqs, landed + 1) - 1; i >= 0; i--) {
    const event = loaded.event(seqs[i] ?? NONE);
    const todos = event === undefined ? NO_TODOS : todoProjection.apply(NO_TODOS, event);
    if (todos !== NO_TODOS) return todos; // an unusable payload changes nothing
  }
  return NO_TODOS;
}

function todoOf({ content, status }: TodoItem): ReplayTodo {
  return { text: plainLine(content, 160), state: status === 'completed' || status === 'in_progress' ? status : 'pending' };
}
