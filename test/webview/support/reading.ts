/** What a test reads off the view, the way a user or a screen reader would. */
import type { Page } from 'playwright-core';

export const tree = '[role=tree]';

/** Row number of the active descendant; -1 without one. */
export const activeRow = (page: Page): Promise<number> =>
  page.locator(tree).evaluate((element) => Number((element.getAttribute('aria-activedescendant') ?? 'r-1').slice(1)));

/** Text of the active descendant, as its name is made of it. */
export const activeName = async (page: Page): Promise<string> => {
  const row = await activeRow(page);
  const text = (await page.locator(`#r${String(row)}`).textContent()) ?? '';
  return text
    .replace(/\p{Co}/gu, '') // icons are letters of a private area
    .replace(/\s+/g, ' ')
    .replace(/ ([:,])/g, '$1')
    .trim();
};

export const selectedTab = async (page: Page): Promise<string> =>
  ((await page.getByRole('tab', { selected: true }).textContent()) ?? '').trim();

/** Number of all rows, on screen or not, by the spacer's height. */
export const rowCount = (page: Page): Promise<number> =>
  page.locator('.spacer').evaluate((element) => Math.round(element.getBoundingClientRect().height / 24));

export const elementsInList = (page: Page): Promise<number> =>
  page.locator('dsh-list').evaluate((list) => list.shadowRoot!.querySelectorAll('*').length);

/** The kept state as the editor holds it. */
export const keptState = (page: Page): Promise<Record<string, unknown>> =>
  page.evaluate(() => JSON.parse(sessionStorage.getItem('state') ?? '{}') as Record<string, unknown>);

/** The state as it would be kept if the page went away now. */
export const savedState = (page: Page): Promise<Record<string, unknown>> =>
  page.evaluate(() => {
    (document.querySelector('dsh-app') as unknown as { model: { save(): void } }).model.save();
    return JSON.parse(sessionStorage.getItem('state') ?? '{}') as Record<string, unknown>;
  });

/**
 * Elements whose own text leaves their box, or is cut without an ellipsis, and elements that stick out of the page. Ellipsised text and
 * what can be scrolled are fine.
 */
export const badlyFitting = (page: Page): Promise<string[]> => page.evaluate(findBadlyFitting);

/** Makes `badlyFitting()` a function of the page, for checks in the middle of others. */
export const fitScript = `window.badlyFitting = ${findBadlyFitting.toString()}`;

/** Runs in the page. */
function findBadlyFitting(): string[] {
  const bad: string[] = [];
  const visit = (root: Document | ShadowRoot): void => {
    for (const element of root.querySelectorAll<HTMLElement>('*')) {
      if (element.shadowRoot) visit(element.shadowRoot);
      check(element);
    }
  };
  const check = (element: HTMLElement): void => {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent!.trim() !== '');
    const box = element.getBoundingClientRect();
    if (!hasText || box.width === 0 || element.closest('.sr, dialog:not([open])')) return;
    const style = getComputedStyle(element);
    if (style.visibility === 'hidden') return; // folded away; what folds it shows it elsewhere
    const where = `${element.localName}.${element.className} “${element.textContent.trim().slice(0, 40)}”`;
    const sticksOut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
    if (sticksOut && style.overflowX === 'visible') bad.push(`${where} leaves its box`);
    if (sticksOut && style.overflowX === 'hidden' && style.textOverflow !== 'ellipsis') bad.push(`${where} is cut`);
    if (box.right > innerWidth + 1 || box.left < -1) bad.push(`${where} sticks out of the page`);
    const parent = element.parentElement;
    if (!parent) return;
    const parentStyle = getComputedStyle(parent);
    const parentBox = parent.getBoundingClientRect();
    const isClipped =
      parentStyle.overflowX === 'hidden' && parentStyle.textOverflow !== 'ellipsis' && box.right > parentBox.right + 1;
    if (isClipped) bad.push(`${where} is cut by its parent`);
  };
  visit(document);
  return bad;
}
