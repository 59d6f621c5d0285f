import { text, type StoredEvent, type Text } from '../../core/index.ts';
import { fields } from '../../timeline/index.ts';

/** What an end-seed stands for is told by where the log was cut, not by itself alone. format/on-disk.md §7, format/fork-resume.md §3. */
export interface Cut {
  readonly inheritedEventCount: number;
  readonly version: number | undefined;
}

type Seed = 'fork' | 'ancestor' | 'either' | 'resumed';

function seedOf(event: StoredEvent, { inheritedEventCount, version }: Cut): Seed {
  const isInherited = event.seq < inheritedEventCount;
  if (fields(event.data)['inherited'] === true) return isInherited ? 'ancestor' : 'fork';
  if ((version ?? 0) >= 2) return 'resumed';
  // Before format 2 the end-seed of a fork is like any other, and only the header says where this session's own lies.
  return isInherited ? 'either' : event.seq === inheritedEventCount && inheritedEventCount > 0 ? 'fork' : 'resumed';
}

export function seedTitle(event: StoredEvent, cut: Cut): Text {
  switch (seedOf(event, cut)) {
    case 'fork':
      return text('Forked from parent here');
    case 'ancestor':
      return text('An ancestor was forked here');
    case 'either':
      return text('An ancestor was forked or resumed here');
    case 'resumed':
      return text('Resumed here');
  }
}

export function seedSentence(event: StoredEvent, cut: Cut): Text {
  switch (seedOf(event, cut)) {
    case 'fork':
      return text('Everything before this was inherited from the parent session');
    case 'ancestor':
      return text('An ancestor of this session inherited everything before this from its own parent');
    case 'either':
      return text('An ancestor of this session was forked or taken up again here');
    case 'resumed':
      return text('The session was taken up again here');
  }
}
