import { oneDecimal } from '../../timeline/index.ts';

/** 1234 -> "1.2 kB". */
export function compactBytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 999_950) return `${oneDecimal(value / 1000)} kB`;
  return `${oneDecimal(value / 1_000_000)} MB`;
}
