/** Accessibility checks of the view as it stands. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { lookOf, themeNames, type ThemeName } from './themes.ts';

const require = createRequire(import.meta.url);

/** To be run in the page before anything else here. */
export const axeScript = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary: string }[];
}

interface Axe {
  run(options: object): Promise<{ readonly violations: readonly Violation[] }>;
}

/** What axe's standard rules find in the page as it looks now, one line each. */
export const violations = (page: Page): Promise<string[]> => run(page, [{ theme: undefined, rules: undefined }]);

/** Rules whose answer can change with the colours; all others ask for names, roles and structure. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** The same in every theme: the rules about colours in all of them, the others in the given one only. */
export const violationsInThemes = (page: Page, whole: ThemeName): Promise<string[]> =>
  run(
    page,
    themeNames.map((theme) => ({ theme, rules: theme === whole ? undefined : colourRules })),
  );

interface Round {
  readonly theme: ThemeName | undefined;
  readonly rules: readonly string[] | undefined;
}

function run(page: Page, rounds: readonly Round[]): Promise<string[]> {
  const looks = rounds.map(({ theme, rules }) => ({ theme, rules, look: theme && lookOf(theme) }));
  return page.evaluate(async (all) => {
    const { axe, setTheme } = window as unknown as { axe: Axe; setTheme: (look: object) => void };
    const lines: string[] = [];
    for (const { theme, rules, look } of all) {
      if (look) {
        setTheme(look);
        await new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
      }
      const found = await axe.run({ resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) });
      for (const { id, nodes } of found.violations)
        for (const { target, failureSummary } of nodes.slice(0, 5))
          lines.push(`${theme ? `${theme}: ` : ''}${id} ${JSON.stringify(target)} ${failureSummary}`);
    }
    return lines;
  }, looks);
}
