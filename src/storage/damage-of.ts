import type { Damage, DamageKind, DshOutcome } from '../core/damage.ts';
import { english, type Text } from '../core/text.ts';

/** One damage record; the English sentence is filled in from the text. */
export function damageOf(
  kind: DamageKind,
  sentence: Text,
  list: DshOutcome,
  open: DshOutcome,
  place: Pick<Damage, 'byte' | 'frame' | 'line' | 'seq'> = {},
): Damage {
  return { kind, message: english(sentence), text: sentence, ...place, dsh: { list, open } };
}
