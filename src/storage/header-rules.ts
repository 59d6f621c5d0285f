import { posix, win32 } from 'node:path';
import type { Damage, DshOutcome, Refusal } from '../core/damage.ts';
import { SESSION_FORMAT_VERSION, versionRefusalText } from '../core/dialects/gates.ts';
import type { SessionHeader } from '../core/events.ts';
import { isRecord, isSeq } from '../core/json.ts';
import { english, text, type Text } from '../core/text.ts';
import { damageOf } from './damage-of.ts';

/**
 * The first line of a log and the first frame that holds it: what is a header at all, which of its fields are damaged, and what dsh itself
 * does about it. format/on-disk.md §4.1, §5.
 */

/** The header on a first line: an object of type `session` whose version is a safe integer ≥ 0. Everything else about it may be wrong. */
export function parseHeaderLine(line: string): SessionHeader | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // the caller reports a first line that is no header
  }
  if (!isRecord(value) || value['type'] !== 'session') return undefined;
  const version = value['version'];
  if (!isSeq(version)) return undefined;
  // Only type and version are known; headerDamage names the other fields that are not what the type says.
  return value as unknown as SessionHeader;
}

/** The version gate. Looked at before anything else in the header. format/migrations.md §6.1. */
export function versionRefusal(header: SessionHeader): Refusal | undefined {
  if (header.version <= SESSION_FORMAT_VERSION) return undefined;
  const sentence = versionRefusalText(String(header.id), header.version);
  return { kind: 'newer-format', message: english(sentence), text: sentence };
}

/** The refusal of a file without a readable header. */
export function noHeaderRefusal(): Refusal {
  const sentence = text('The file does not begin with a session header, so nothing can be derived from it.');
  return { kind: 'no-header', message: english(sentence), text: sentence };
}

const KEYS = ['type', 'version', 'id', 'createdAt', 'cwd', 'parentSession', 'origin', 'delegationDepth', 'agentPreset'];
const RETIRED_KEYS: ReadonlySet<string> = new Set(['sandboxMode', 'approvalPolicy']);

/** Everything wrong with the fields of a header of a supported version; `line` is 1. Nothing for a newer version. */
export function headerDamage(header: SessionHeader): Damage[] {
  if (header.version > SESSION_FORMAT_VERSION) return [];
  const fields = header as unknown as Record<string, unknown>;
  const damage: Damage[] = [];
  const add = (sentence: Text, list: DshOutcome, open: DshOutcome): void => {
    damage.push(damageOf('header', sentence, list, open, { line: 1 }));
  };
  const wrong = (field: string): void => {
    add(text('The header field "{field}" has a value the format does not allow', { field }), 'skips', 'refuses');
  };

  const { version } = header;
  const counted = version < 2 ? 'seedLength' : 'isSeeded';
  for (const key of Object.keys(fields)) {
    if (KEYS.includes(key) || key === counted) continue;
    if (RETIRED_KEYS.has(key)) {
      add(text('The header holds the retired key "{field}"', { field: key }), version === 0 ? 'breaks-root' : 'skips', 'refuses');
    } else if (version === 0) {
      add(text('The header holds the unknown key "{field}"; only a migration refuses it', { field: key }), 'accepts', 'accepts');
    } else add(text('The header holds the key "{field}", which its version does not allow', { field: key }), 'skips', 'refuses');
  }

  if (typeof fields['id'] !== 'string' || fields['id'] === '') wrong('id');
  if (!isSeq(fields['createdAt'])) wrong('createdAt');
  if (fields['delegationDepth'] === undefined) {
    add(text('The header lacks the field "{field}"', { field: 'delegationDepth' }), 'skips', 'refuses');
  } else if (!isSeq(fields['delegationDepth'])) wrong('delegationDepth');
  for (const field of ['parentSession', 'agentPreset']) if (!isOptionalString(fields[field])) wrong(field);
  if (fields['origin'] !== undefined && fields['origin'] !== 'subagent') wrong('origin');

  const { cwd } = fields;
  if (!isOptionalString(cwd)) wrong('cwd');
  else if (cwd !== undefined && !posix.isAbsolute(cwd) && !win32.isAbsolute(cwd)) {
    const list = version === 0 ? 'breaks-root' : 'skips';
    add(text('The working directory of the header, "{cwd}", is not an absolute path', { cwd }), list, 'refuses');
  }

  if (version < 2) {
    if (fields['seedLength'] !== undefined && !isSeq(fields['seedLength'])) {
      add(text('The seed length of the header is not a whole number'), version === 0 ? 'accepts' : 'skips', 'refuses');
    }
  } else if (fields['isSeeded'] === undefined) {
    add(text('The header lacks the field "{field}"', { field: 'isSeeded' }), 'skips', 'refuses');
  } else if (typeof fields['isSeeded'] !== 'boolean') wrong('isSeeded');
  return damage;
}

/** Why no header could be read from a file; `version` is the file name's, since the header's is not known. */
export type HeadProblem =
  'empty-file' | 'no-line' | 'bad-line' | 'not-a-header' | 'foreign-bytes' | 'torn-frame' | 'corrupt-frame' | 'first-frame';

/**
 * Damage of a file's first line or first frame. `first-frame` also stands beside a header that could be read: the frame decodes, but does
 * not hold exactly the header line.
 */
export function headDamage(problem: HeadProblem, version: number): Damage {
  // A v0 dsh takes a bad container in frame 0 for a broken root; a bad line in it only hides the session.
  const container: DshOutcome = version === 0 ? 'breaks-root' : 'skips';
  switch (problem) {
    case 'empty-file':
      return damageOf('empty-file', text('The file is empty'), 'skips', 'refuses', { byte: 0 });
    case 'no-line':
      return damageOf('header', text('The file ends inside its header line'), 'skips', 'refuses', { byte: 0, line: 1 });
    case 'bad-line':
      return damageOf('header', text('The first line is not JSON'), 'skips', 'refuses', { byte: 0, line: 1 });
    case 'not-a-header':
      return damageOf('header', text('The first line is not a session header'), 'skips', 'refuses', { byte: 0, line: 1 });
    case 'torn-frame':
      return damageOf('torn-frame', text('The file ends inside its first frame'), 'skips', 'refuses', { byte: 0, frame: 0 });
    case 'foreign-bytes':
      return damageOf('foreign-bytes', text('The file does not begin with a zstd frame'), container, 'refuses', {
        byte: 0,
        frame: 0,
      });
    case 'corrupt-frame':
      return damageOf('corrupt-frame', text('The first frame cannot be decoded'), container, 'refuses', { byte: 0, frame: 0 });
    case 'first-frame':
      return damageOf('first-frame', text('The first frame does not hold exactly the header line'), container, 'refuses', {
        byte: 0,
        frame: 0,
      });
  }
}

/** A header version that is not the file name's. The newer gate comes first, so a newer header has none. format/on-disk.md §3. */
export function generationDamage(header: SessionHeader, fileVersion: number): Damage[] {
  if (header.version === fileVersion || header.version > SESSION_FORMAT_VERSION) return [];
  const sentence = text('The file name says format {named}, the header says format {stored}', {
    named: fileVersion,
    stored: header.version,
  });
  return [damageOf('generation', sentence, fileVersion === 0 ? 'accepts' : 'breaks-root', 'refuses', { line: 1 })];
}

function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
