/**
 * The workbench reads `data-vscode-context` from the event's target upwards as the window sees it, and inside shadow roots
 * that target is the outermost host: attributes further in are never found. So before the event gets to the window, what
 * the elements on its path say is merged onto that host, the innermost winning.
 */
import type { SessionOverview, ViewMenuContext } from '../../src/protocol/index.ts';

/** An element that knows what lies under the pointer, such as a canvas or the list. */
export interface MenuOwner {
  menuContextAt(event: MouseEvent): string | undefined;
}

const isMenuOwner = (node: object): node is MenuOwner => 'menuContextAt' in node && typeof node.menuContextAt === 'function';

export function bridgeContextMenus(page: Document): void {
  page.addEventListener(
    'contextmenu',
    (event) => {
      let merged: Record<string, unknown> = {};
      for (const node of event.composedPath()) {
        if (!(node instanceof HTMLElement)) continue;
        const own = isMenuOwner(node) ? node.menuContextAt(event) : undefined;
        // Made by menuContext below, always an object.
        if (own !== undefined) merged = { ...(JSON.parse(own) as Record<string, unknown>), ...merged };
        if (node.getRootNode() === page) {
          node.dataset['vscodeContext'] = JSON.stringify({ preventDefaultContextMenuItems: true, ...merged });
          return;
        }
      }
    },
    { capture: true },
  );
}

/** What is true of every place of a session, for the outermost host to say. */
export const sessionMenu = (overview: SessionOverview | undefined): string | undefined =>
  overview?.header?.parentSession === undefined
    ? undefined
    : JSON.stringify({ isChild: true } satisfies Pick<ViewMenuContext, 'isChild'>);

export const menuContext = (context: Omit<ViewMenuContext, 'preventDefaultContextMenuItems'>): string =>
  JSON.stringify({ ...context, preventDefaultContextMenuItems: true } satisfies ViewMenuContext);
