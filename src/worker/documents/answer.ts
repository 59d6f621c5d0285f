import { text } from '../../core/index.ts';
import { RpcError } from '../../protocol/index.ts';
import { fields } from '../../timeline/index.ts';
import type { LoadedLog } from '../loaded.ts';
import { assembled, attemptChunks } from '../replay/stream.ts';
import type { Lines } from './lines.ts';
import { addMessage, type Translate } from './message-text.ts';

/** One answer: as it is stored, or with the content its recorded chunks make. */
export function addAnswer(lines: Lines, loaded: LoadedLog, seq: number, side: 'stored' | 'chunks', t: Translate): void {
  const event = loaded.event(seq);
  if (event?.type !== 'assistant/message') throw new RpcError('not-found', text('There is no answer at #{seq}', { seq }));
  const message = fields(fields(event.data)['message']);
  const content = side === 'stored' ? message['content'] : assembled(attemptChunks(loaded, seq));
  addMessage(lines, seq, { ...message, content }, t);
}
