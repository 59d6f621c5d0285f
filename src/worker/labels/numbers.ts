import { english, text, type Text } from '../../core/index.ts';
import { oneDecimal } from '../../timeline/index.ts';

/** 1234 -> "1.2 kB". */
export function compactBytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 999_950) return `${oneDecimal(value / 1000)} kB`;
  return `${oneDecimal(value / 1_000_000)} MB`;
}

/** 1500 -> "1.5 s": a duration for a sentence's place, milliseconds given. */
export const compactDuration = (ms: number): string => english(durationText(ms));

/** 1500 -> "1.5 s", in the reader's language, milliseconds given. */
export function durationText(ms: number): Text {
  if (ms < 1000) return text('{n} ms', { n: Math.round(ms) });
  if (ms < 59_950) return text('{n} s', { n: oneDecimal(ms / 1000) });
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return text('{minutes} min {seconds} s', { minutes, seconds: seconds % 60 });
  return text('{hours} h {minutes} min', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}
