/** Times and sizes in the reader's language; the words themselves come from Intl. */
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
  if (!isDate(time)) return String(time);
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', ...(sameYear ? {} : { year: 'numeric' }) }).format(
    time,
  );
}

/** Date and time to the second. */
export function absoluteTime(time: number, locale: string): string {
  return isDate(time) ? new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(time) : String(time);
}

/** Whether a Date can hold a time: a log may hold any, and Intl throws over the others. */
function isDate(time: number): boolean {
  return Math.abs(time) <= 8.64e15;
}

/** "2,302": a count of things; numbers that name something (a seq, a turn) are never grouped. */
export function grouped(count: number, locale: string): string {
  return new Intl.NumberFormat(locale).format(count);
}

/** "812 B", "12.3 kB", "4.1 MB". */
export function byteSize(bytes: number, locale: string): string {
  if (bytes < 1000) return `${bytes} B`; // Intl writes "812 byte"
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, 'kilobyte'] : [bytes / 1e6, 'megabyte'];
  const digits = value >= 100 ? 0 : 1;
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: digits }).format(
    value,
  );
}
