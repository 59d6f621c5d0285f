import { text, type Text } from '../core/index.ts';

/** 1500 -> "1.5 s": a duration in the reader's language, its units with it, milliseconds given. Below 0 the wall clock was set back meanwhile. */
export function durationText(ms: number): Text {
  if (ms < 0) return text('clock went back {ms} ms', { ms: Math.round(-ms) });
  if (ms < 999.5) return text('{n} ms', { n: Math.round(ms) });
  if (ms < 59_950) return text('{n} s', { n: (ms / 1000).toFixed(1) });
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60)
    return seconds % 60 === 0
      ? text('{minutes} min', { minutes })
      : text('{minutes} min {seconds} s', { minutes, seconds: seconds % 60 });
  const all = Math.round(seconds / 60);
  const hours = Math.floor(all / 60);
  if (hours < 24)
    return all % 60 === 0 ? text('{hours} h', { hours }) : text('{hours} h {minutes} min', { hours, minutes: all % 60 });
  const rounded = Math.round(all / 60);
  const days = Math.floor(rounded / 24);
  return rounded % 24 === 0 ? text('{days} d', { days }) : text('{days} d {hours} h', { days, hours: rounded % 24 });
}
