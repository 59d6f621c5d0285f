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

const words: Readonly<Record<Seed, { readonly title: Text; readonly sentence: Text }>> = {
  fork: {
    title: text('Forked from parent here'),
    sentence: text('Everything before this was inherited from the parent session'),
  },
  ancestor: {
    title: text('An ancestor was forked here'),
    sentence: text('An ancestor of this session inherited everything before this from its own parent'),
  },
  either: {
    title: text('An ancestor was forked or resumed here'),
    sentence: text('An ancestor of this session was forked or taken up again here'),
  },
  resumed: {
    title: text('Resumed here'),
    sentence: text('The session was taken up again here'),
  },
};

export const seedTitle = (event: StoredEvent, cut: Cut): Text => words[seedOf(event, cut)].title;

export const seedSentence = (event: StoredEvent, cut: Cut): Text => words[seedOf(event, cut)].sentence;
