import { describe, expect, it } from 'vitest';
import { isSameOrBelow, lastSegment, pathRulesOf, withTilde } from '../../../src/host/sessions/path-rules.ts';

const linux = pathRulesOf('linux');
const windows = pathRulesOf('win32');
const mac = pathRulesOf('darwin');

describe('a path below a folder', () => {
  it.each([
    ['/a/b', '/a/b', linux, true],
    ['/a/b/', '/a/b', linux, true],
    ['/a/b/c', '/a/b/', linux, true],
    ['/a/bc', '/a/b', linux, false],
    ['/a', '/a/b', linux, false],
    ['/A/b', '/a', linux, false],
    ['/A/b', '/a', mac, true],
    ['/anything', '/', linux, true],
    ['C:\\Work\\App\\src', 'c:\\work\\app', windows, true],
    ['C:/Work/App', 'c:\\work', windows, true],
    ['C:\\Work\\App', 'C:\\Wor', windows, false],
    ['\\\\server\\share\\x', '\\\\server\\share', windows, true],
    ['\\server\\share', '\\\\server\\share', windows, false],
    ['C:\\Work', '/C:', linux, false],
  ])('%s in %s', (path, folder, rules, expected) => {
    expect(isSameOrBelow(path, folder, rules)).toBe(expected);
  });
});

it.each([
  ['/a/b/', 'b'],
  ['C:\\x\\y', 'y'],
  ['/', '/'],
  ['name', 'name'],
])('the last part of %s is %s', (path, segment) => {
  expect(lastSegment(path)).toBe(segment);
});

it.each([
  ['/home/u/notes', '/home/u', '~/notes'],
  ['/home/u', '/home/u/', '~'],
  ['/home/user', '/home/u', '/home/user'],
  ['/x', '', '/x'],
])('%s at home %s is %s', (path, home, expected) => {
  expect(withTilde(path, home, linux)).toBe(expected);
});
