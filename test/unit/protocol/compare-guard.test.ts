import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentRefOf, sessionChecks, type Comparison } from '../../../src/protocol/index.ts';

const compared: Comparison = {
  subject: 'derived history',
  heading: 'seq',
  left: { session: 'Mine', role: 'fork', point: '#1', messages: 1, tokens: undefined },
  right: { session: 'Theirs', role: 'parent', point: '#2', messages: 2, tokens: 900 },
  same: 1,
  changed: 0,
  onlyLeft: 0,
  onlyRight: 1,
  first: { message: 2, right: '#2' },
  request: { systemChanged: false, settingsChanged: true, toolsAdded: ['bash'], toolsRemoved: [], toolsChanged: [] },
};

describe('a comparison in an address', () => {
  it('comes back from its JSON with its document', () => {
    for (const ref of [
      { kind: 'history', seq: 2, compared },
      { kind: 'request', turn: 1, step: 2, attempt: 1, compared },
      { kind: 'migrated', compared },
    ]) {
      expect(documentRefOf(JSON.parse(JSON.stringify(ref)))).toEqual(ref);
    }
  });

  it.each([
    ['a heading nobody knows', { heading: 'loud' }],
    ['a count below nothing', { same: -1 }],
    ['no side', { left: null }],
    ['a side without a name', { right: { messages: 1, tokens: 1, session: '', role: '' } }],
    ['a subject without end', { subject: 'x'.repeat(401) }],
  ])('with %s is left out, and the document stays', (_, wrong) => {
    expect(documentRefOf({ kind: 'history', seq: 2, compared: { ...compared, ...wrong } })).toEqual({ kind: 'history', seq: 2 });
  });

  it('keeps of its tools the names only', () => {
    const request = { ...compared.request, toolsAdded: ['bash', 7, null, 'x'.repeat(401)], more: 1 };
    const ref = documentRefOf({ kind: 'history', seq: 2, compared: { ...compared, request } });
    expect(ref).toEqual({ kind: 'history', seq: 2, compared });
  });

  it('is none of anything else, and nothing throws', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const ref = documentRefOf({ kind: 'migrated', compared: value });
        expect(ref?.kind).toBe('migrated');
      }),
    );
  });
});

describe('checks of the comparing methods', () => {
  it('take a seq or none, a request, a document', () => {
    expect(sessionChecks.replacements({})).toEqual({});
    expect(sessionChecks.replacements({ seq: 4, more: 1 })).toEqual({ seq: 4 });
    expect(sessionChecks.nextRequest({ turn: 1, step: 2, attempt: 3 })).toEqual({ turn: 1, step: 2, attempt: 3 });
    expect(sessionChecks.lastAttempt({ turn: 1, step: 2, attempt: 3 })).toEqual({ turn: 1, step: 2 });
    expect(sessionChecks.digest({ ref: { kind: 'migrated' } })).toEqual({ ref: { kind: 'migrated' } });
    expect(sessionChecks.removed({ seq: 0 })).toEqual({ seq: 0 });
  });

  it('refuse what is none', () => {
    expect(sessionChecks.replacements(null)).toBeUndefined();
    expect(sessionChecks.replacements({ seq: -1 })).toBeUndefined();
    expect(sessionChecks.nextRequest({ turn: 1, step: 2 })).toBeUndefined();
    expect(sessionChecks.lastAttempt({ turn: 1 })).toBeUndefined();
    expect(sessionChecks.digest({ ref: { kind: 'history' } })).toBeUndefined();
    expect(sessionChecks.migration([])).toBeUndefined();
    expect(documentRefOf({ kind: 'removed' })).toBeUndefined();
    expect(documentRefOf({ kind: 'message', seq: 1.5 })).toBeUndefined();
  });
});
