import type { Code } from './code.ts';
import { until } from './until.ts';

export interface DiffTexts {
  readonly left: string;
  readonly right: string;
}

/** Both sides of the visible diff, as far as they are scrolled into view. */
async function diffTexts(code: Code): Promise<DiffTexts> {
  const side = (name: string): Promise<string> =>
    code.page.locator(`.monaco-diff-editor .editor.${name} .view-lines .view-line`).evaluateAll((nodes) =>
      nodes
        .map((node) => ({ top: parseFloat((node as HTMLElement).style.top) || 0, text: node.textContent ?? '' }))
        .sort((a, b) => a.top - b.top)
        .map((line) => line.text.replaceAll('\u00a0', ' '))
        .join('\n'),
    );
  return { left: await side('original'), right: await side('modified') };
}

/** Waits until the diff in front has a title and two texts. */
export async function diffShown(code: Code, title: RegExp, left: RegExp, right: RegExp): Promise<DiffTexts> {
  await code.tab(title).waitFor();
  let seen: DiffTexts = { left: '', right: '' };
  await until(`${String(left)} and ${String(right)} in the diff`, async () => {
    seen = await diffTexts(code);
    return left.test(seen.left) && right.test(seen.right);
  });
  return seen;
}
