/** 1234 -> "1.2k", 4.9e5 -> "489.8k", 1.2e9 -> "1.2B": counts in labels, written alike wherever they stand, in every language. */
export function compactCount(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude < 1000) return String(Math.round(value));
  if (magnitude < 999_950) return `${oneDecimal(value / 1000)}k`;
  if (magnitude < 999_950_000) return `${oneDecimal(value / 1_000_000)}M`;
  return `${oneDecimal(value / 1_000_000_000)}B`;
}

/** At most one decimal, and none where it is zero. */
export function oneDecimal(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  return Number.isInteger(rounded) ? String(rounded) : rounded.toFixed(1);
}
