import { describe, expect, it } from 'vitest';
import { logOfMenu, pageContext } from '../../../src/host/timeline/page-context.ts';

describe('the page of a timeline', () => {
  it('names its log in an attribute that nothing in a path can leave', () => {
    expect(pageContext('/s/a/session.jsonl')).toBe('{&#34;log&#34;:&#34;/s/a/session.jsonl&#34;}');
    expect(pageContext(`/s/"><script>'&amp;`)).toBe('{&#34;log&#34;:&#34;/s/\\&#34;&#62;&#60;script&#62;&#39;&#38;amp;&#34;}');
    expect(pageContext('C:\\s')).toBe('{&#34;log&#34;:&#34;C:\\\\s&#34;}');
  });

  it('is meant by a menu only while it is open', () => {
    const open = new Set(['/s/a', '/s/b']);
    expect(logOfMenu({ webviewSection: 'event', seq: 3, log: '/s/b' }, open)).toBe('/s/b');
    expect(logOfMenu({ webviewSection: 'event', seq: 3, log: '/etc/passwd' }, open)).toBeUndefined();
    expect(logOfMenu({ webviewSection: 'event', seq: 3 }, open)).toBeUndefined();
    expect(logOfMenu({ log: 7 }, open)).toBeUndefined();
  });
});
