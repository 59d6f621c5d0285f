import { mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type ConsoleMessage,
  type FrameLocator,
  type Locator,
  type Page,
} from 'playwright-core';
import { onTestFailed } from 'vitest';
import { extensionId } from '../../../scripts/lib/paths.mjs';
import { repoRoot } from '../../../scripts/lib/run.mjs';
import { findBrowser } from '../../../scripts/lib/runtimes.mjs';
import { messagesOfWebviews, NetworkRecorder, type WebviewMessage } from './recorder.ts';
import { startServer, type Server, type ServerOptions } from './server.ts';
import { until } from './until.ts';

const screenshotDir = path.join(repoRoot, 'test/e2e/.out');
const viewport = { width: 1400, height: 900 };

/**
 * One VS Code window in a real browser, and the words to drive it. The selectors are those of the workbench of
 * VS Code 1.103–1.139.
 */
export class Code {
  readonly server: Server;
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly network: NetworkRecorder;
  /** Uncaught errors anywhere in the window, and console errors that are ours. */
  readonly errors: string[] = [];

  private constructor(parts: Pick<Code, 'server' | 'browser' | 'context' | 'page' | 'network'>) {
    this.server = parts.server;
    this.browser = parts.browser;
    this.context = parts.context;
    this.page = parts.page;
    this.network = parts.network;
    this.page.on('pageerror', (error) => this.errors.push(String(error)));
    this.page.on('console', (message) => {
      if (message.type() === 'error' && isOurs(message)) this.errors.push(message.text());
    });
  }

  /** Starts server and browser and opens the workspace; `close` ends both. */
  static async start(options: ServerOptions): Promise<Code> {
    const executablePath = findBrowser();
    if (executablePath === undefined) throw new Error('no Chromium found; install it or name it in CHROMIUM');
    const server = await startServer(options);
    try {
      const browser = await chromium.launch({
        executablePath,
        // No name but this machine's own resolves, so that nothing can leave it even by mistake.
        args: [
          '--disable-dev-shm-usage',
          '--disable-gpu',
          '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
          ...sandboxArgs(),
        ],
      });
      const context = await browser.newContext({ viewport, permissions: ['clipboard-read', 'clipboard-write'] });
      context.setDefaultTimeout(30_000);
      const network = await NetworkRecorder.attach(context);
      const code = new Code({ server, browser, context, page: await context.newPage(), network });
      await code.open();
      return code;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
  }

  /** Loads (or loads again) the workbench and waits until the extensions are known. */
  async open(): Promise<void> {
    await this.page.goto(`${this.server.url}/?folder=${encodeURIComponent(this.server.workspace)}`);
    await this.page.locator('.monaco-workbench').waitFor({ timeout: 60_000 });
    await this.activityIcon('DSH ').waitFor({ timeout: 60_000 }); // the rest of the title is translated
  }

  /** Loads the window again the way a user does, so that the workbench saves its state before. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await this.runCommand('Developer: Reload Window');
    await loaded;
    await this.page.locator('.monaco-workbench').waitFor({ timeout: 60_000 });
  }

  // Side bar

  activityIcon(title: string): Locator {
    const label = this.page.locator(`.action-label[aria-label^="${title}"]`);
    return this.page.locator('.part.activitybar .action-item').filter({ has: label });
  }

  /** Shows a container of the side bar. A click on the icon of the open one would close it. */
  async openSideBar(title: string = sideBarTitle): Promise<void> {
    const icon = this.activityIcon(title);
    const selected = async (): Promise<boolean> =>
      (await icon.getAttribute('aria-selected')) === 'true' || (await icon.getAttribute('aria-expanded')) === 'true';
    if (!(await selected())) await icon.click();
    await this.page.locator('.part.sidebar .composite.title h2', { hasText: new RegExp(title, 'i') }).waitFor();
  }

  /** Rows of the trees in the side bar. Only those scrolled into view exist. */
  rows(name?: string | RegExp): Locator {
    const bar = this.page.locator('.part.sidebar');
    return name === undefined ? bar.getByRole('treeitem') : bar.getByRole('treeitem', { name });
  }

  row(name: string | RegExp): Locator {
    return this.rows(name).first();
  }

  /** Opens a row's children by its arrow, since a click on its name runs the row's command. */
  async expand(name: string | RegExp): Promise<void> {
    const row = this.row(name);
    await row.waitFor();
    const expanded = this.rows(name).and(this.page.locator('[aria-expanded="true"]')).first();
    await until(`${String(name)} to be expanded`, async () => {
      // A row that is drawn again under the pointer takes no click.
      if ((await row.getAttribute('aria-expanded')) !== 'true')
        await did(() => row.locator('.monaco-tl-twistie').click({ timeout: 2_000 }));
      return did(() => expanded.waitFor({ timeout: 2_000 }));
    });
  }

  /** Presses a button in the title bar of the open container; its only view has no bar of its own. */
  async viewAction(action: string): Promise<void> {
    await this.page.locator('.part.sidebar .composite.title').getByRole('button', { name: action }).first().click();
  }

  // Menus

  menuItem(name: string | RegExp): Locator {
    return this.page.locator('.monaco-menu').getByRole('menuitem', { name });
  }

  /** Right-clicks and hands back the wanted entry of the menu that opens. */
  async contextMenu(target: Locator, item: string | RegExp): Promise<Locator> {
    const entry = this.menuItem(item);
    await until(`a menu with ${String(item)}`, async () => {
      await target.click({ button: 'right' });
      // An editor that is still opening takes the focus, and the menu closes, at any moment.
      if (await did(() => entry.waitFor({ timeout: 5_000 }))) return true;
      await this.page.keyboard.press('Escape');
      return false;
    });
    return entry;
  }

  /** Right-clicks and chooses an entry of the menu that opens; once more if the menu goes away before it is clicked. */
  async chooseFrom(target: Locator, item: string | RegExp): Promise<void> {
    await until(`${String(item)} to be chosen`, async () => {
      const entry = await this.contextMenu(target, item);
      return did(() => this.choose(entry));
    });
  }

  /** Clicks a menu entry until the menu is gone: it listens for the mouse to be let go only from its first tenth of a second on. */
  async choose(item: Locator): Promise<void> {
    const click = (): Promise<void> => item.click({ timeout: 2_000, delay: 150 });
    await click(); // a menu that went away before it was clicked fails here
    await until('the menu to take the click', async () => {
      if (await did(() => item.waitFor({ state: 'hidden', timeout: 400 }))) return true;
      await did(click);
      return false;
    });
  }

  // Quick input and messages

  get quickInput(): Locator {
    return this.page.locator('.quick-input-widget');
  }

  get quickInputBox(): Locator {
    return this.quickInput.locator('input.input');
  }

  /** Runs a command by its title through the palette. */
  async runCommand(title: string): Promise<void> {
    // Others may stand before it: the one last used, one whose name begins alike. A key binding follows the title.
    const words = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const row = this.quickInput.getByRole('option', { name: new RegExp(`^${words}(,|$)`) }).first();
    // An editor that is still opening takes the focus, and the palette closes, at any moment until the command is clicked: then it is
    // opened again.
    await until(`the command palette to take ${title}`, async () => {
      if (!(await this.quickInputBox.isVisible())) await this.page.keyboard.press('F1');
      return did(async () => {
        await this.quickInputBox.fill(`>${title}`, { timeout: 2_000 });
        await row.click({ timeout: 2_000 });
      });
    });
    await row.waitFor({ state: 'hidden' });
  }

  toast(message: string | RegExp): Locator {
    return this.page.locator('.notifications-toasts .notification-list-item-message', { hasText: message });
  }

  get dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  // Editors

  async closeEditors(): Promise<void> {
    await this.runCommand('View: Close All Editors');
    await until('all editors to be closed', async () => (await this.page.locator('.tabs-container .tab').count()) === 0);
  }

  /** Opens a file of the server's disk by its path. */
  async openFile(file: string): Promise<void> {
    await this.runCommand('File: Open File...');
    await until('the file dialog', async () => (await this.quickInputBox.inputValue()).startsWith('/'));
    await this.enterPath(file);
  }

  /** Types a path into the editor's file dialog, which is open, and has it taken. */
  async enterPath(file: string): Promise<void> {
    // While the dialog still looks something up it takes no path, and typing anew starts the look-up anew: once the path stands there, only
    // Enter is pressed again. A look-up that the typing overtook may leave it deaf until something else is typed, so every fifth time it is.
    let tries = 0;
    await until(`${file} to be taken`, async () => {
      if (await this.quickInput.isVisible()) {
        if (tries++ % 5 === 4) await this.quickInputBox.fill(path.dirname(file) + path.sep);
        if ((await this.quickInputBox.inputValue()) !== file) await this.quickInputBox.fill(file);
        await this.page.keyboard.press('Enter');
      }
      return did(() => this.quickInput.waitFor({ state: 'hidden', timeout: 1_000 }));
    });
  }

  /** Opens a file of the workspace's top folder from the Explorer. */
  async openFromExplorer(name: string): Promise<void> {
    await this.openSideBar('Explorer');
    await this.page.locator('.explorer-folders-view').getByRole('treeitem', { name }).first().dblclick();
    await this.tab(name).waitFor();
  }

  tab(name: string | RegExp): Locator {
    return this.page.getByRole('tab', { name });
  }

  /** Text of the visible text editor, as far as it is scrolled into view; the workbench writes spaces as non-breaking ones. */
  async editorText(): Promise<string> {
    const lines = this.page.locator('.editor-instance .monaco-editor .view-lines').last();
    await lines.waitFor();
    // The lines are positioned, and not in document order.
    const found = await lines
      .locator('.view-line')
      .evaluateAll((nodes) =>
        nodes.map((node) => ({ top: parseFloat((node as HTMLElement).style.top) || 0, text: node.textContent ?? '' })),
      );
    return found
      .sort((a, b) => a.top - b.top)
      .map((line) => line.text.replaceAll('\u00a0', ' '))
      .join('\n');
  }

  /** The page inside the visible custom editor of our extension. */
  get webview(): FrameLocator {
    const outer = `iframe.webview.ready[src*="extensionId=${extensionId}"]:not([src*="purpose="]):visible`;
    return this.page.frameLocator(outer).frameLocator('#active-frame');
  }

  /** Rows of the list in the visible timeline. Only those near the screen exist. */
  timelineRows(name?: string | RegExp): Locator {
    const list = this.webview.locator('dsh-list');
    return name === undefined ? list.getByRole('treeitem') : list.getByRole('treeitem', { name });
  }

  /** The selected row of the visible timeline's list. */
  get selectedRow(): Locator {
    return this.timelineRows().and(this.webview.locator('[aria-selected="true"]'));
  }

  /** Puts the keyboard into the list of the visible timeline. */
  async pressInList(...keys: string[]): Promise<void> {
    const list = this.webview.locator('dsh-list [role=tree]');
    for (const key of keys) await list.press(key);
  }

  /** The accessible names of the rows there are in the side bar, each after its level. */
  sideBarOutline(): Promise<string[]> {
    return this.rows().evaluateAll((rows) =>
      rows.map((row) => `${row.getAttribute('aria-level')} ${row.getAttribute('aria-label')}`),
    );
  }

  /** Opens a session's timeline from the tree, as the only editor and for good. */
  async openTimeline(session: RegExp, sideBar?: string): Promise<void> {
    await this.closeEditors();
    await this.openSideBar(sideBar);
    await this.row(session).dblclick();
    await this.timelineReady();
  }

  /** Waits until the visible timeline has its data and its rows have their words. */
  async timelineReady(): Promise<void> {
    await this.webview.locator('main[aria-busy="false"]').waitFor({ timeout: 60_000 });
    await this.timelineRows().first().waitFor();
    await until('the rows to have their words', async () => (await this.webview.locator('dsh-list .waiting').count()) === 0);
  }

  /** What has been posted into and out of our open webviews so far. */
  webviewMessages(): Promise<WebviewMessage[]> {
    return messagesOfWebviews(this.page, extensionId);
  }

  /** To be called before each test: leaves a picture of the window when the test fails. */
  pictureOnFailure(): void {
    onTestFailed(({ task }) => this.screenshot(`failed ${task.name.replaceAll(/[^\w]+/g, ' ').trim()}`));
  }

  async screenshot(name: string): Promise<void> {
    mkdirSync(screenshotDir, { recursive: true });
    await this.page.screenshot({ path: path.join(screenshotDir, `${name}.png`) });
  }
}

/** Whether an act went through; what stopped it is told by whoever gives up. */
const did = (act: () => Promise<unknown>): Promise<boolean> =>
  act().then(
    () => true,
    () => false,
  );

/** Title of our container in the activity bar. */
const sideBarTitle = 'DSH Sessions';

/** Chromium refuses its sandbox to root. */
const sandboxArgs = (): string[] => (process.getuid?.() === 0 ? ['--no-sandbox'] : []);

/** The workbench prints errors of its own in any window of code-server; ours name the extension or come from its page. */
function isOurs(message: ConsoleMessage): boolean {
  return [message.text(), message.location().url].some((from) => from.includes(extensionId) || from.includes('vscode-resource'));
}
