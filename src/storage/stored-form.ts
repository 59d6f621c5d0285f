import { text, type Damage } from '../core/index.ts';
import { BREAKS_LIST, SKIPS, makeDamage } from './damage-list.ts';
import type { Encoding } from './generations.ts';
import { recordOf } from './line-facts.ts';
import { beginsWithMagic } from './zstd/frames.ts';

const NEWLINE = 10;
const OPEN_BRACE = 0x7b;

/**
 * How the bytes of a log are stored: as its name says, unless they can only be the other form, as after a renaming or an unpacking in place.
 * Such a log is read like any other; the damage says that dsh goes by the name. format/on-disk.md §3 "Reading policy".
 */
export function storedForm(bytes: Uint8Array, named: Encoding): Encoding {
  if (named === 'none') return beginsWithMagic(bytes) ? 'zstd' : 'none';
  if (bytes[0] !== OPEN_BRACE) return 'zstd';
  const end = bytes.indexOf(NEWLINE);
  const line = end < 0 ? '' : Buffer.from(bytes.buffer, bytes.byteOffset, end).toString('utf8');
  return recordOf(line)?.['type'] === 'session' ? 'none' : 'zstd';
}

/** What dsh does with a log whose bytes are not what its name says: for it, the header cannot be read. format/on-disk.md §4.1. */
export function misnamed(form: Encoding, named: Encoding, version: number | undefined): Damage[] {
  if (form === named) return [];
  if (form === 'zstd') {
    const sentence = text('The file is compressed, but its name says that it is plain text, and dsh goes by the name');
    return [makeDamage('misnamed', sentence, SKIPS, { byte: 0 })];
  }
  const sentence = text('The file is plain text, but its name says that it is compressed, and dsh goes by the name');
  return [makeDamage('misnamed', sentence, (version ?? 0) >= 2 ? SKIPS : BREAKS_LIST, { byte: 0 })];
}
