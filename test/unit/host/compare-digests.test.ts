import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareDigests, headingFor, type ComparedNames } from '../../../src/host/documents/compare-digests.ts';
import type { DigestMessage, DocumentDigest, HeadingStyle } from '../../../src/protocol/index.ts';

/** "12:id=content" as a message; seq and id may be left out. */
function message(text: string): DigestMessage {
  const [, seq, id = '', hash = ''] = /^(?:(\d+):)?(\w*)=(\w*)$/.exec(text) ?? [];
  return { seq: seq === undefined ? undefined : Number(seq), id, hash, idHash: `of-${id}-${hash}` };
}

function digest(messages: readonly string[], tokens?: number): DocumentDigest {
  return { messages: messages.map(message), tokens, request: undefined };
}

const point = { session: '', role: '', point: '#2' };
const names: ComparedNames = { subject: 'derived history', left: point, right: point };

describe('two digests', () => {
  it('that are equal have no first difference', () => {
    const one = digest(['1:a=x', '2:b=y'], 7);
    expect(compareDigests(one, digest(['1:a=x', '2:b=y'], 9), names, 'seq')).toEqual({
      subject: 'derived history',
      heading: 'seq',
      left: { session: '', role: '', point: '#2', messages: 2, tokens: 7 },
      right: { session: '', role: '', point: '#2', messages: 2, tokens: 9 },
      same: 2,
      changed: 0,
      onlyLeft: 0,
      onlyRight: 0,
      first: undefined,
      request: undefined,
    });
  });

  it('part where one goes on', () => {
    const { same, onlyRight, first } = compareDigests(digest(['1:a=x']), digest(['1:a=x', '5:b=y', '6:c=z']), names, 'seq');
    expect({ same, onlyRight, first }).toEqual({ same: 1, onlyRight: 2, first: { message: 2, right: '#5' } });
  });

  it('match messages by id even where the content changed, the others by content, each once', () => {
    const left = digest(['1:a=x', '2:b=y', '3:c=same', '4:d=same', '5:e=gone']);
    const right = digest(['9:f=same', '1:a=x', '2:b=Y']);
    const { same, changed, onlyLeft, onlyRight, first } = compareDigests(left, right, names, 'content');
    // a is the same; b changed; one of the two "same" has its equal f; the other and "gone" have none.
    expect({ same, changed, onlyLeft, onlyRight, first }).toEqual({
      same: 2,
      changed: 1,
      onlyLeft: 2,
      onlyRight: 0,
      first: { message: 1, left: 'x', right: 'same' },
    });
  });

  it('name their first difference as the headings of the messages do', () => {
    const left = digest(['1:a=0123456789', '2:b=y']);
    const right = digest(['1:a=x', '2:b=y', '3:c=z']);
    const named = (heading: HeadingStyle): unknown => compareDigests(left, right, names, heading).first;
    expect(named('seq')).toEqual({ message: 1, left: '#1', right: '#1' });
    expect(named('seq-content')).toEqual({ message: 1, left: '#1', right: '#1' });
    expect(named('content')).toEqual({ message: 1, left: '01234567', right: 'x' });
    expect(named('id')).toEqual({ message: 1, left: 'of-a-012', right: 'of-a-x' });
    expect(compareDigests(left, digest([]), names, 'content').first).toEqual({ message: 1, left: '01234567' });
    expect(compareDigests(digest(['=x']), digest([]), names, 'seq').first).toEqual({ message: 1, left: 'x' }); // no seq to show
  });

  it('count a doubled id once', () => {
    const { same, onlyLeft } = compareDigests(digest(['1:a=x', '2:a=x']), digest(['1:a=x']), names, 'seq');
    expect({ same, onlyLeft }).toEqual({ same: 1, onlyLeft: 1 });
  });

  it('of requests say which tools came, went and changed', () => {
    const request = (system: string, settings: string, tools: Record<string, string>): DocumentDigest => ({
      messages: [],
      tokens: undefined,
      request: { system, settings, tools: Object.entries(tools).map(([name, hash]) => ({ name, hash })) },
    });
    const before = request('s', 'c', { bash: '1', read: '1', grep: '1' });
    const after = request('s2', 'c', { bash: '2', read: '1', web: '1' });
    expect(compareDigests(before, after, names, 'seq').request).toEqual({
      systemChanged: true,
      settingsChanged: false,
      toolsAdded: ['web'],
      toolsRemoved: ['grep'],
      toolsChanged: ['bash'],
    });
  });
});

const side = fc
  .uniqueArray(fc.nat(6), { maxLength: 6 })
  .chain((ids) => fc.tuple(...ids.map((id) => fc.nat(3).map((content): string => `${id}:m${id}=c${content}`))));

describe('any two digests', () => {
  it('add up, mirror each other, and part exactly where their contents do', () => {
    fc.assert(
      fc.property(side, side, (one, other) => {
        const [left, right] = [digest(one), digest(other)];
        const { same, changed, onlyLeft, onlyRight, first } = compareDigests(left, right, names, 'seq');
        expect([same + changed + onlyLeft, same + changed + onlyRight]).toEqual([one.length, other.length]);
        expect(Math.min(same, changed, onlyLeft, onlyRight)).toBeGreaterThanOrEqual(0);
        const mirrored = compareDigests(right, left, names, 'seq');
        expect([mirrored.same, mirrored.changed, mirrored.onlyLeft]).toEqual([same, changed, onlyRight]);
        const at = (first?.message ?? Infinity) - 1;
        const contents = ({ messages }: DocumentDigest): string[] => messages.map(({ hash }) => hash);
        expect(contents(left).slice(0, at)).toEqual(contents(right).slice(0, at));
        if (first) expect(contents(left)[at]).not.toBe(contents(right)[at]);
      }),
    );
  });
});

describe('headings of two logs', () => {
  it.each([
    ['share their beginning', ['1:a=x', '2:b=y'], ['1:a=x', '2:q=z'], 'seq-content'],
    ['number the same messages differently', ['1:a=x', '2:b=y'], ['1:a=x', '3:b=y'], 'content'],
    ['have nothing in common', ['1:a=x'], ['1:b=x'], 'content'],
    ['have messages without ids', ['1:=x'], ['1:=x'], 'content'],
  ] as const)('that %s', (_, left, right, style) => {
    expect(headingFor(digest(left), digest(right))).toBe(style);
  });
});
