import { english, type Damage, type DamageKind, type DshOutcome, type Text } from '../core/index.ts';

export interface DamagePlace {
  readonly byte?: number;
  readonly frame?: number;
  readonly line?: number;
  readonly seq?: number;
}

/** What dsh does with the file when listing and when opening. */
export interface DshVerdict {
  readonly list: DshOutcome;
  readonly open: DshOutcome;
}

export const ACCEPTS: DshVerdict = { list: 'accepts', open: 'accepts' };
export const REPAIRS: DshVerdict = { list: 'accepts', open: 'repairs' };
/** Listing reads the header only, so a bad body shows on open. */
export const REFUSES: DshVerdict = { list: 'accepts', open: 'refuses' };
export const SKIPS: DshVerdict = { list: 'skips', open: 'refuses' };
export const BREAKS_ROOT: DshVerdict = { list: 'breaks-root', open: 'breaks-root' };
/** The list of the root fails; opening this one session is what dsh refuses. */
export const BREAKS_LIST: DshVerdict = { list: 'breaks-root', open: 'refuses' };

export function makeDamage(kind: DamageKind, sentence: Text, dsh: DshVerdict, place: DamagePlace = {}): Damage {
  return { kind, message: english(sentence), text: sentence, ...place, dsh };
}

/** What a list asks of a log only once its header has been accepted. */
const ASKED_OF_HEADERS: ReadonlySet<DamageKind> = new Set(['header', 'placement', 'duplicate-id']);

/**
 * The damage of one log with what a list does over all of it: a log skipped for its header never comes to be asked where it lies, so
 * nothing of that can break the root. format/on-disk.md §4.1, §5.
 */
export function settleList(damage: readonly Damage[]): Damage[] {
  const skipped = damage.some(({ kind, dsh }) => kind === 'header' && dsh.list === 'skips');
  if (!skipped) return [...damage];
  return damage.map((one) => {
    const overtaken = ASKED_OF_HEADERS.has(one.kind) && one.dsh.list === 'breaks-root';
    return overtaken ? { ...one, dsh: { list: 'skips', open: one.dsh.open === 'breaks-root' ? 'refuses' : one.dsh.open } } : one;
  });
}
