import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { coverageProblems, extractTemplates, placesOf } from './l10n.ts';
import { formatProblems } from './problem.ts';
import { repoRoot, sourceFiles } from './source-files.ts';

const readJson = (file: string): Record<string, unknown> => {
  const full = path.join(repoRoot, file);
  return existsSync(full) ? (JSON.parse(readFileSync(full, 'utf8')) as Record<string, unknown>) : {};
};
const extract = (content: string) => extractTemplates({ file: 'src/host/a.ts', content });

describe('localisation of the product', () => {
  const bundleFile = 'l10n/bundle.l10n.zh-cn.json';
  const extractions = sourceFiles(['src', 'webview'], ['.ts']).map(extractTemplates);

  it('writes every template as a literal', () => {
    expect(formatProblems(extractions.flatMap((e) => e.problems))).toEqual([]);
  });

  it('has a Chinese sentence with the same places for every template, and no other', () => {
    const uses = extractions.flatMap((e) => e.uses);
    expect(formatProblems(coverageProblems(uses, bundleFile, readJson(bundleFile)))).toEqual([]);
  });

  it('has the same manifest strings in both languages, each of them used', () => {
    const english = readJson('package.nls.json');
    const chinese = readJson('package.nls.zh-cn.json');
    const manifest = readFileSync(path.join(repoRoot, 'package.json'), 'utf8');
    const used = new Set([...manifest.matchAll(/"%([\w.]+)%"/g)].map((match) => match[1]!));
    expect(Object.keys(english).sort()).toEqual([...used].sort());
    expect(Object.keys(chinese).sort()).toEqual([...used].sort());
    for (const value of [...Object.values(english), ...Object.values(chinese)]) expect(value).toMatch(/\S/);
  });
});

describe('the extraction', () => {
  it('reads literals of all three spellings, conditionals and the value names', () => {
    const { uses, problems } = extract(`
      text('One');
      t("Two {n}", { n });
      vscode.l10n.t('Three {a} {b}', { a: 1, 'b': 2 });
      text(many ? 'Four' : 'Five');
      text('Six {x}', args);
      strings.t(\`Seven\`);
    `);
    expect(problems).toEqual([]);
    expect(uses.map((use) => [use.line, use.template, use.argNames])).toEqual([
      [2, 'One', []],
      [3, 'Two {n}', ['n']],
      [4, 'Three {a} {b}', ['a', 'b']],
      [5, 'Four', []],
      [5, 'Five', []],
      [6, 'Six {x}', undefined],
      [7, 'Seven', []],
    ]);
  });

  it.each(['text(name);', 'text(`a ${b}`);', "text('a' + b);", 'vscode.l10n.t(message);', "text(a ? 'b' : c);"])(
    'complains about %s',
    (content) => {
      expect(extract(content).problems).toHaveLength(1);
    },
  );

  it.each(['vscode.l10n.t(title.template, title.args);', 't(item.label);', 'const a = textOf(b);'])('lets pass %s', (content) => {
    expect(extract(content)).toEqual({ uses: [], problems: [] });
  });
});

describe('the coverage rule', () => {
  const use = (template: string, argNames?: string[]) => ({ file: 'src/host/a.ts', line: 7, template, argNames });

  it('finds a missing sentence, an orphan, an empty one and different places', () => {
    const bundle = { Orphan: '孤儿', Empty: ' ', 'Of {n}': '{m} 的' };
    const problems = coverageProblems([use('Missing'), use('Missing'), use('Empty'), use('Of {n}')], 'zh.json', bundle);
    expect(formatProblems(problems)).toEqual([
      'src/host/a.ts:7 “Missing” has no translation in zh.json',
      'zh.json:1 “Orphan” is used nowhere',
      'zh.json:1 “Empty” is not translated',
      'zh.json:1 “Of {n}” has other places than its translation',
    ]);
  });

  it('finds values that do not fit the places', () => {
    const problems = coverageProblems([use('Of {n}', ['m'])], 'zh.json', { 'Of {n}': '{n} 的' });
    expect(formatProblems(problems)).toEqual(['src/host/a.ts:7 “Of {n}” is given {m}, its places are {n}']);
  });

  it('knows the places of a template', () => {
    expect(placesOf('{b} of {a}, {b}')).toEqual(['a', 'b']);
  });
});
