import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePlace, encodePlace, tabTitle } from '../../../src/host/documents/document-ref.ts';
import type { DocumentRef } from '../../../src/protocol/index.ts';

const count = fc.nat();
const refs: fc.Arbitrary<DocumentRef> = fc.oneof(
  fc.record({ kind: fc.constantFrom('history' as const, 'event' as const, 'removed' as const, 'message' as const), seq: count }),
  fc.record({ kind: fc.constant('request' as const), turn: count, step: count, attempt: count }),
  fc.record({ kind: fc.constantFrom('jsonl' as const, 'transcript' as const, 'damage' as const, 'migrated' as const) }),
);

describe('a document address', () => {
  it('comes back whole, whatever the path', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), refs, (path, ref) => {
        expect(decodePlace(encodePlace({ path, ref }))).toEqual({ path, ref });
      }),
    );
  });

  it('is the same for the same place, whatever else the reference carries', () => {
    const ref = { seq: 3, note: 'x', kind: 'history' } as DocumentRef;
    expect(encodePlace({ path: '/l', ref })).toBe(encodePlace({ path: '/l', ref: { kind: 'history', seq: 3 } }));
  });

  it.each([
    '',
    '{}',
    'null',
    '[]',
    '"x"',
    '{"log":"/x"}',
    '{"kind":"jsonl"}',
    '{"log":"","kind":"jsonl"}',
    '{"log":7,"kind":"jsonl"}',
  ])('is not %s', (query) => {
    expect(decodePlace(query)).toBeUndefined();
  });
});

describe('the tab title', () => {
  it.each([
    ['#3 history', 'Fix it', '', '#3 history · Fix it'],
    ['#3 history', '', '', '#3 history'],
    ['#3 history', 'a/b\\c', '', '#3 history · a∕b∕c'],
    ['#3 history', 'see index.html', '', '#3 history · see index․html'],
    ['#3 history', 'v1.2 of it', '', '#3 history · v1.2 of it'],
    ['JSONL', 'Fix it', '.jsonl', 'JSONL · Fix it.jsonl'],
    ['x', 'a\nb\u202e', '', 'x · a b'],
  ])('%s, %j', (label, title, extension, expected) => {
    expect(tabTitle(label, title, extension)).toBe(expected);
  });

  it('never holds a separator or an ending of the title’s own', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (title) => {
        expect(tabTitle('#1 history', title)).not.toMatch(/[/\\]|\.\w+$/);
      }),
    );
  });
});
