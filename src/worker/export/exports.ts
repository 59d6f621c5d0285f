import { text } from '../../core/index.ts';
import { RpcError, Transfer, type ExportPart, type ExportPiece } from '../../protocol/index.ts';
import type { Translate } from '../documents/message-text.ts';
import type { LoadedLog } from '../loaded.ts';
import { exportWords } from './export-part.ts';

/** UTF-16 units of a piece; at three bytes each at most, it stays below 1 MB. */
const PIECE_LENGTH = 300_000;
/** Exports at a time: each holds its reading of the log. */
const MOST_EXPORTS = 4;

/** The exports under way, each a step further whenever it is asked for. */
export class Exports {
  readonly #running = new Map<number, Iterator<{ readonly bytes: ArrayBuffer; readonly share: number }, undefined>>();
  #next = 1;

  start(loaded: LoadedLog, part: ExportPart, t: Translate): { readonly id: number } {
    if (this.#running.size >= MOST_EXPORTS) throw new RpcError('failed', text('Too many exports of this log are under way'));
    const id = this.#next++;
    this.#running.set(id, pieces(exportWords(loaded, part, t)));
    return { id };
  }

  /** An export that fails is over. */
  next(id: number): Transfer<ExportPiece> {
    const running = this.#running.get(id);
    if (!running) throw new RpcError('not-found', text('This export is over'));
    this.#running.delete(id);
    const { done, value } = running.next();
    if (done === true) return new Transfer({ bytes: new ArrayBuffer(0), share: 1, done: true }, []);
    this.#running.set(id, running);
    return new Transfer({ ...value, done: false }, [value.bytes]);
  }

  stop(id: number): Record<never, never> {
    this.#running.delete(id);
    return {};
  }
}

function* pieces(
  written: Iterable<{ readonly words: string; readonly share: number }>,
): Generator<{ readonly bytes: ArrayBuffer; readonly share: number }, undefined> {
  let waiting: string[] = [];
  let length = 0;
  let reached = 0;
  for (const { words, share } of written) {
    reached = share;
    if (length > 0 && length + words.length > PIECE_LENGTH) {
      yield { bytes: encoded(waiting.join('')), share };
      [waiting, length] = [[], 0];
    }
    let from = 0;
    for (let to = cutBefore(words, from); to < words.length; to = cutBefore(words, from)) {
      yield { bytes: encoded(words.slice(from, to)), share };
      from = to;
    }
    waiting.push(words.slice(from));
    length += words.length - from;
  }
  if (length > 0) yield { bytes: encoded(waiting.join('')), share: reached };
  return undefined;
}

/** End of a piece that begins at `from`; never inside a pair of surrogates. */
function cutBefore(words: string, from: number): number {
  const to = from + PIECE_LENGTH;
  if (to >= words.length) return words.length;
  const last = words.charCodeAt(to - 1);
  return last >= 0xd800 && last <= 0xdbff ? to - 1 : to;
}

/** Exactly its own bytes, which may move to the asker. */
function encoded(words: string): ArrayBuffer {
  const bytes = new TextEncoder().encode(words);
  return bytes.buffer.byteLength === bytes.byteLength ? bytes.buffer : bytes.slice().buffer;
}
