/** Times, durations and sizes in the reader's language; the words themselves come from Intl. */
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** "2 min. ago", "yesterday"; a date once a week has passed. Times in the future (another machine's clock) are "now". */
export function relativeTime(time: number, now: number, locale: string): string {
  const ago = Math.max(0, now - time);
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
  if (ago < minute) return words.format(0, 'second');
  if (ago < hour) return words.format(-Math.floor(ago / minute), 'minute');
  if (ago < day) return words.format(-Math.floor(ago / hour), 'hour');
  if (ago < 7 * day) return words.format(-Math.floor(ago / day), 'day');
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', ...(sameYear ? {} : { year: 'numeric' }) }).format(
    time,
  );
}

/** Date and time to the second. */
export function absoluteTime(time: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(time);
}

/** "320 ms", "8.9 s", "3.2 min"; undefined where it is not known (NaN, or a clock that went backwards). */
export function duration(ms: number, locale: string): string | undefined {
  if (!Number.isFinite(ms) || ms < 0) return undefined;
  const [value, unit] =
    ms < 1000
      ? [ms, 'millisecond']
      : ms < 2 * minute
        ? [ms / 1000, 'second']
        : ms < 2 * hour
          ? [ms / minute, 'minute']
          : [ms / hour, 'hour'];
  const digits = unit === 'millisecond' || value >= 100 ? 0 : 1;
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: digits }).format(
    value,
  );
}

/** "812 B", "12.3 kB", "4.1 MB". */
export function byteSize(bytes: number, locale: string): string {
  if (bytes < 1000) return `${new Intl.NumberFormat(locale).format(bytes)} B`; // Intl writes "812 byte"
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, 'kilobyte'] : [bytes / 1e6, 'megabyte'];
  const digits = value >= 100 ? 0 : 1;
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: digits }).format(
    value,
  );
}
