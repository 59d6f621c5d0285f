import { posix, win32 } from 'node:path';
import {
  SESSION_FORMAT_VERSION,
  english,
  isRecord,
  isSeq,
  text,
  versionRefusalText,
  type Damage,
  type Refusal,
  type SessionHeader,
  type Text,
  type UnknownRecord,
} from '../core/index.ts';
import { ACCEPTS, BREAKS_LIST, BREAKS_ROOT, REFUSES, SKIPS, makeDamage, type DshVerdict } from './damage-list.ts';

/** What the first line of a log says. */
export interface HeaderReading {
  readonly header: SessionHeader | undefined;
  readonly refusal: Refusal | undefined;
  readonly damage: readonly Damage[];
}

const COMMON_KEYS = ['type', 'version', 'id', 'createdAt', 'cwd', 'parentSession', 'origin', 'delegationDepth', 'agentPreset'];
const KEYS_BY_SEED = { 'seed-length': new Set([...COMMON_KEYS, 'seedLength']), marker: new Set([...COMMON_KEYS, 'isSeeded']) };
/** Fields early v0 releases had; every later release refuses them. */
const RETIRED_KEYS = ['sandboxMode', 'approvalPolicy'];

/** Units of a name or id that a sentence shows; a header may hold any. */
const MAX_SHOWN = 200;

/**
 * Reads a header line. A record of type `session` with a usable version is a header whatever else is wrong with it; that is damage. A
 * version beyond this reader's is a refusal before anything else is looked at. format/on-disk.md §5, format/migrations.md §6.1.
 */
export function readHeader(line: string | undefined, fileVersion: number | undefined): HeaderReading {
  const value = line === undefined ? undefined : parsed(line);
  if (!isRecord(value) || value['type'] !== 'session' || !isSeq(value['version'])) return noHeader(line, value, fileVersion);
  // The only fields anything relies on were just checked; the others are read as unknown where they matter.
  const header = value as unknown as SessionHeader;
  const { version } = header;
  if (version > SESSION_FORMAT_VERSION) {
    const id: unknown = value['id'];
    const sentence = versionRefusalText(typeof id === 'string' ? id.slice(0, MAX_SHOWN) : '?', version);
    const refusal: Refusal = { kind: 'newer-format', message: english(sentence), text: sentence };
    return { header, refusal, damage: generationDamage(header, fileVersion) };
  }
  const damage = [...generationDamage(header, fileVersion), ...fieldDamage(value, version)];
  return { header, refusal: undefined, damage };
}

function noHeader(line: string | undefined, value: unknown, fileVersion: number | undefined): HeaderReading {
  let sentence = text('The first line is not a session header');
  if (line === undefined) sentence = text('The file holds no complete header line');
  else if (value === undefined) sentence = text('The first line is not JSON, so there is no session header');
  const refusal: Refusal = { kind: 'no-header', message: english(sentence), text: sentence };
  return {
    header: undefined,
    refusal,
    damage: [makeDamage('header', sentence, listsAnyNumber(value, fileVersion) ? REFUSES : SKIPS, { line: 1 })],
  };
}

/** v0 lists a header whose version is any number at all, if the rest is in order, and refuses it on open. */
function listsAnyNumber(value: unknown, fileVersion: number | undefined): boolean {
  if ((fileVersion ?? 0) >= 2 || !isRecord(value) || value['type'] !== 'session' || typeof value['version'] !== 'number')
    return false;
  return fieldDamage(value, 0).every(({ dsh }) => dsh.list === 'accepts');
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function generationDamage(header: SessionHeader, fileVersion: number | undefined): Damage[] {
  if (fileVersion === undefined || fileVersion === header.version) return [];
  const sentence = text('The file name says format {name}, the header says format {header}', {
    name: fileVersion,
    header: header.version,
  });
  // Releases that know generations fail the whole list over this; one that does not looks at the header only.
  return [makeDamage('generation', sentence, Math.max(header.version, fileVersion) >= 2 ? BREAKS_LIST : REFUSES, { line: 1 })];
}

/** Wrong fields with what the release line of that version does over each. */
function fieldDamage(header: UnknownRecord, version: number): Damage[] {
  const damage: Damage[] = [];
  const byMarker = version >= 2;
  const report = (sentence: Text, early: DshVerdict): void => {
    damage.push(makeDamage('header', sentence, byMarker ? SKIPS : early, { line: 1 }));
  };
  const wrong = (field: string, early: DshVerdict): void => {
    report(text('The header field {field} has a value it may not have', { field }), early);
  };
  const keys = KEYS_BY_SEED[byMarker ? 'marker' : 'seed-length'];
  for (const key of Object.keys(header)) {
    if (keys.has(key)) continue;
    report(
      text('The header has the field {field}, which this format does not have', { field: key.slice(0, MAX_SHOWN) }),
      RETIRED_KEYS.includes(key) ? BREAKS_ROOT : ACCEPTS,
    );
  }
  const { id, createdAt, cwd, parentSession, seedLength, isSeeded, origin, delegationDepth, agentPreset } = header;
  if (typeof id !== 'string') wrong('id', SKIPS);
  else if (id === '') wrong('id', BREAKS_ROOT);
  if (!isSeq(createdAt)) wrong('createdAt', SKIPS);
  if (!isSeq(delegationDepth)) wrong('delegationDepth', SKIPS);
  if (origin !== undefined && origin !== 'subagent') wrong('origin', SKIPS);
  if (agentPreset !== undefined && typeof agentPreset !== 'string') wrong('agentPreset', SKIPS);
  if (parentSession !== undefined && typeof parentSession !== 'string') wrong('parentSession', REFUSES);
  if (typeof cwd !== 'string' ? cwd !== undefined : cwd === '') wrong('cwd', BREAKS_ROOT);
  // What breaks the root over a relative one is its directory, which is never the right one by accident.
  else if (cwd !== undefined && !isAbsolutePath(cwd as string)) wrong('cwd', REFUSES);
  if (!byMarker && seedLength !== undefined && !isSeq(seedLength)) wrong('seedLength', REFUSES);
  if (byMarker && typeof isSeeded !== 'boolean') wrong('isSeeded', SKIPS);
  return damage;
}

/** Why a new session may not have the project folder that a header names, so that there is no fork; undefined when it may. */
export function projectProblem(header: SessionHeader | undefined): Text | undefined {
  const cwd: unknown = header?.cwd;
  if (cwd === undefined || (typeof cwd === 'string' && isAbsolutePath(cwd))) return undefined;
  return text('The project folder that the header names is none a new session may have');
}

/**
 * Logs travel between systems, and the harness of a root may run on the other one (a Windows home seen from WSL), so a path that is
 * absolute on either is one, although dsh asks by the rule of the system it runs on.
 */
function isAbsolutePath(cwd: string): boolean {
  return posix.isAbsolute(cwd) || win32.isAbsolute(cwd);
}
