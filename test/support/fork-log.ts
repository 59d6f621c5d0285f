import { headerOf, LogBuilder, type LogOptions } from './log-builder.ts';

/**
 * A fork as the harness of that version makes it, at a boundary outside any open turn: the prefix copied, the cut recorded, the marker
 * written. format/fork-resume.md §2.
 */
export function forkLog(parent: LogBuilder, boundary: number, options: Omit<LogOptions, 'version'>): LogBuilder {
  const { version } = parent;
  const { seedLength: _, ...own } = { ...headerOf({ ...options, version, parentSession: parent.header.id }), seedLength: 0 };
  const cut = boundary + 1;
  const child = new LogBuilder({ ...options, version }, version < 2 ? { ...own, seedLength: cut } : { ...own, isSeeded: true });
  for (const event of parent.events.slice(0, cut)) child.adopt(event);
  if (child.turnOpen) throw new Error('this builder forks only where no turn is open');
  const last = child.events.at(-1);
  if (version >= 2) {
    child.adopt({
      type: 'session/end-seed',
      seq: cut,
      time: version === 4 ? (last?.time ?? child.now) : child.now,
      data: { inherited: true },
    });
  } else if (last?.type !== 'session/end-seed') child.endSeed();
  return child;
}
