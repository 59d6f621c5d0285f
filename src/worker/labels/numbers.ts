/** 1234 -> "1.2k": token counts in labels. */
export function compactCount(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude < 1000) return String(Math.round(value));
  if (magnitude < 999_950) return `${oneDecimal(value / 1000)}k`;
  return `${oneDecimal(value / 1_000_000)}M`;
}

/** 1234 -> "1.2 kB". */
export function compactBytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 999_950) return `${oneDecimal(value / 1000)} kB`;
  return `${oneDecimal(value / 1_000_000)} MB`;
}

/** 1500 -> "1.5 s": durations in labels, milliseconds given. */
export function compactDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${oneDecimal(ms / 1000)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function oneDecimal(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  return Number.isInteger(rounded) ? String(rounded) : rounded.toFixed(1);
}
