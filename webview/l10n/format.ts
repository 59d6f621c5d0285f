/** Numbers, times and durations in the reader's language. Formatters are costly to make and are kept. */
import { durationText } from '../../src/timeline/index.ts';
import { say } from './strings.ts';

interface Formats {
  readonly number: Intl.NumberFormat;
  readonly percent: Intl.NumberFormat;
  readonly clock: Intl.DateTimeFormat;
  readonly clockMs: Intl.DateTimeFormat;
  readonly minute: Intl.DateTimeFormat;
  readonly dayTime: Intl.DateTimeFormat;
  readonly day: Intl.DateTimeFormat;
  readonly full: Intl.DateTimeFormat;
}

let formats = makeFormats('en');

function makeFormats(locale: string): Formats {
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  return {
    number: new Intl.NumberFormat(locale),
    percent: new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }),
    clock: new Intl.DateTimeFormat(locale, clock),
    clockMs: new Intl.DateTimeFormat(locale, { ...clock, fractionalSecondDigits: 3 }),
    minute: new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    dayTime: new Intl.DateTimeFormat(locale, {
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
    day: new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric' }),
    full: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }),
  };
}

export function setLocale(locale: string): void {
  const [supported] = Intl.DateTimeFormat.supportedLocalesOf([locale]);
  formats = makeFormats(supported ?? 'en');
}

/** Times outside what a Date can hold are shown as their number, one that is none as `?`: a log may hold any. */
const dated = (format: Intl.DateTimeFormat, time: number): string => {
  if (Number.isNaN(time)) return '?';
  return Math.abs(time) <= 8.64e15 ? format.format(time) : String(time);
};

export const formatNumber = (value: number): string => formats.number.format(value);
export const formatPercent = (share: number): string => formats.percent.format(share);
export const formatClock = (time: number): string => dated(formats.clock, time);
export const formatClockMs = (time: number): string => dated(formats.clockMs, time);
export const formatFull = (time: number): string => dated(formats.full, time);

/** Ruler label: only as fine as neighbouring ticks need. */
export function formatTick(time: number, step: number): string {
  if (step < 1000) return dated(formats.clockMs, time);
  if (step < 60_000) return dated(formats.clock, time);
  if (step < 3_600_000) return dated(formats.minute, time);
  return dated(step < 86_400_000 ? formats.dayTime : formats.day, time);
}

/** Two figures at most: 340 ms, 2.4 s, 58.0 s, 3 min 20 s, 2 h 5 min, 3 d 4 h. */
export function formatDuration(ms: number): string {
  return Number.isFinite(ms) ? say(durationText(ms)) : '';
}
