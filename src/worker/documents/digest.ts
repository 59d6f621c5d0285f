import { text, type ChildFacts } from '../../core/index.ts';
import { RpcError, type DocumentDigest, type DocumentRef } from '../../protocol/index.ts';
import { fields, items, stringOf } from '../../timeline/index.ts';
import { line } from '../labels/words.ts';
import type { LoadedLog } from '../loaded.ts';
import { replayedHistory } from '../replay/proof.ts';
import { currentTokens, historyOf, type HistoryMessage } from './history.ts';
import { Lines } from './lines.ts';
import { hashOf, messageHash, type Translate } from './message-text.ts';
import { migratedHistory } from './migrated.ts';
import { addSettings, addTool, requestParts } from './request.ts';

/** Hashes of a document's parts, so that two can be compared without sending either. `children`: as for the documents. */
export function digestOf(
  loaded: LoadedLog,
  ref: DocumentRef,
  t: Translate,
  children: readonly ChildFacts[] = [],
): DocumentDigest {
  switch (ref.kind) {
    case 'history':
      if (ref.seq >= loaded.log.eventCount)
        throw new RpcError('not-found', text('There is no readable event #{seq}', { seq: ref.seq }));
      return { messages: hashed(historyOf(loaded, ref.seq + 1), t), tokens: currentTokens(loaded, ref.seq), request: undefined };
    case 'replayed': {
      const messages = hashed(replayedHistory(loaded, ref.seq + 1), t);
      return { messages, tokens: currentTokens(loaded, ref.seq), request: undefined };
    }
    case 'migrated':
      return { messages: hashed(migratedHistory(loaded, ref, children, t), t), tokens: undefined, request: undefined };
    case 'request': {
      const { eventCount, header, context } = requestParts(loaded, ref);
      const settings = shown((lines) => addSettings(lines, { ...header, tools: [] }, context, t));
      const tools = items(header['tools']).map((item) => {
        const tool = fields(item);
        return { name: line(tool['name'], 120), hash: shown((lines) => addTool(lines, tool, t)) };
      });
      return {
        messages: hashed(historyOf(loaded, eventCount), t),
        tokens: eventCount === 0 ? undefined : currentTokens(loaded, eventCount - 1),
        request: { system: hashOf(stringOf(header['system']) ?? ''), settings, tools },
      };
    }
    default:
      throw new RpcError('bad-request', `a ${ref.kind} document has no digest`);
  }
}

function hashed(history: readonly HistoryMessage[], t: Translate): DocumentDigest['messages'] {
  return history.map(({ seq, message }) => {
    const hash = messageHash(message, t);
    const id = stringOf(fields(message)['id']);
    return { seq, id: id ?? '', hash, idHash: id === undefined ? hash : hashOf(id) };
  });
}

function shown(add: (lines: Lines) => void): string {
  const lines = new Lines();
  add(lines);
  return hashOf(lines.finish('').text);
}
