/** Opens the built view in a real browser against a log served in this process, and counts what crosses the border. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium, type Browser, type Page } from 'playwright-core';
import {
  isMessage,
  serve,
  viewChecks,
  type Message,
  type Service,
  type ViewEvents,
  type ViewMethods,
} from '../../../src/protocol/index.ts';
import { openSession } from '../../../src/storage/index.ts';
import { createSessionService } from '../../../src/worker/session-service.ts';
import { bodyClasses, themeVariables, type ThemeName } from './themes.ts';
import { editorScript, origin, pageHtml } from './page.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface ViewOptions {
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  readonly scale?: number;
  readonly locale?: string;
  readonly bundle?: Readonly<Record<string, string>>;
  readonly reveal?: number;
}

export interface Asked {
  readonly method: string;
  readonly args: unknown;
}

export interface View {
  readonly page: Page;
  /** Calls the view made, in order. */
  readonly asked: Asked[];
  /** Waits until nothing is being asked, answered or drawn. */
  rest(): Promise<void>;
  /** Bytes of all replies and events, counted as a structured clone would carry them. */
  bytes(): number;
  /** Console errors, page errors and policy violations. */
  problems(): Promise<readonly string[]>;
  send<K extends keyof ViewEvents>(name: K, data: ViewEvents[K]): Promise<void>;
  setTheme(theme: ThemeName): Promise<void>;
  /** What a watcher would report of the log's file. */
  fileChanged(kind: 'appended' | 'truncated' | 'deleted'): void;
  close(): Promise<void>;
}

let bundle: Promise<string> | undefined;

/** The view as it is shipped, built once per run. */
function viewBundle(): Promise<string> {
  bundle ??= build({
    absWorkingDir: root,
    entryPoints: ['webview/main.ts'],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'chrome138',
    tsconfig: 'tsconfig.webview.json',
    define: { 'process.env.NODE_ENV': '"production"' },
  }).then((result) => result.outputFiles[0]!.text);
  return bundle;
}

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none'],
  });
}

export async function openView(browser: Browser, log: string, options: ViewOptions = {}): Promise<View> {
  const { theme = 'dark', width = 1280, height = 860, locale = 'en' } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: options.scale ?? 1,
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.stack ?? error.message));
  await routePage(page, locale);

  let bytes = 0;
  let open = 0;
  const deliver = async (message: Message): Promise<void> => {
    const packed = JSON.stringify(message, pack);
    bytes += sizeOf(message);
    if (!page.isClosed())
      await page.evaluate((text) => (window as unknown as { fromHost(text: string): void }).fromHost(text), packed);
  };
  let fileChanged: ((change: { readonly kind: 'appended' | 'truncated' | 'deleted' }) => void) | undefined;
  const session = createSessionService(log, {
    open: openSession,
    follow: (_path, onChange) => {
      fileChanged = onChange;
      return { dispose: () => (fileChanged = undefined) };
    },
    emit: (name, data) => {
      void deliver({ kind: 'event', name, data });
    },
  });
  const asked: Asked[] = [];
  const answer = serve<ViewMethods>(viewService(session.service, options, locale), (message) => {
    deliver(message)
      .catch((error: unknown) => {
        if (!page.isClosed()) problems.push(String(error));
      })
      .finally(() => open--);
  });
  await page.exposeFunction('toHost', (text: string) => {
    const message: unknown = JSON.parse(text);
    if (!isMessage(message)) throw new Error(`the view posted ${text.slice(0, 200)}`);
    if (message.kind === 'call') asked.push({ method: message.method, args: message.args });
    if (message.kind === 'call') open++;
    answer(message);
  });
  const startTheme = { variables: themeVariables(theme), className: bodyClasses[theme] };
  await page.addInitScript((value) => {
    if (!sessionStorage.getItem('theme')) (window as unknown as { startTheme: unknown }).startTheme = value;
  }, startTheme);
  await page.goto(`${origin}/`);
  return {
    page,
    asked,
    rest: async () => {
      for (let quiet = 0; quiet < 2;) {
        await page.evaluate(() => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
        quiet = open === 0 ? quiet + 1 : 0;
      }
    },
    bytes: () => bytes,
    problems: async () => [
      ...problems,
      ...(await page.evaluate(() => (window as unknown as { policyViolations: string[] }).policyViolations)),
    ],
    send: (name, data) => deliver({ kind: 'event', name, data }),
    setTheme: async (next) => {
      await page.evaluate((value) => (window as unknown as { setTheme(value: unknown): void }).setTheme(value), {
        variables: themeVariables(next),
        className: bodyClasses[next],
      });
    },
    fileChanged: (kind) => {
      fileChanged?.({ kind });
    },
    close: async () => {
      await context.close();
      await session.dispose();
    },
  };
}

async function routePage(page: Page, locale: string): Promise<void> {
  const icons = `${root}node_modules/@vscode/codicons/dist/`;
  const files: Readonly<Record<string, () => Promise<{ contentType: string; body: string | Buffer }>>> = {
    '/': async () => Promise.resolve({ contentType: 'text/html', body: pageHtml(locale) }),
    '/editor.js': async () => Promise.resolve({ contentType: 'text/javascript', body: editorScript }),
    '/webview.js': async () => ({ contentType: 'text/javascript', body: await viewBundle() }),
    '/codicon.css': async () => ({ contentType: 'text/css', body: await readFile(`${icons}codicon.css`) }),
    '/codicon.ttf': async () => ({ contentType: 'font/ttf', body: await readFile(`${icons}codicon.ttf`) }),
    '/favicon.ico': async () => Promise.resolve({ contentType: 'image/x-icon', body: '' }),
  };
  await page.route('**/*', async (route) => {
    const file = files[new URL(route.request().url()).pathname];
    await (file ? route.fulfill(await file()) : route.abort());
  });
}

/** JSON with buffers as base64; a `Uint32Array` keeps its kind. */
function pack(_key: string, value: unknown): unknown {
  if (value instanceof ArrayBuffer) return { $bytes: Buffer.from(value).toString('base64') };
  if (value instanceof Uint32Array) {
    return { $bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'), $array: 'Uint32Array' };
  }
  return value;
}

/** Bytes of a message: its buffers, and the rest as JSON text. */
function sizeOf(message: Message): number {
  let buffers = 0;
  const rest = JSON.stringify(message, (_key, value: unknown) => {
    if (!(value instanceof ArrayBuffer) && !ArrayBuffer.isView(value)) return value;
    buffers += value.byteLength;
    return undefined;
  });
  return buffers + Buffer.byteLength(rest);
}

type SessionService = ReturnType<typeof createSessionService>['service'];

function viewService(session: SessionService, options: ViewOptions, locale: string): Service<ViewMethods> {
  const { overview, table, rows, detail, search, salvaged, attachment, replayPoints, replayMoment, verifyReplay } = session;
  const done = { run: () => ({}) };
  return {
    overview,
    table,
    rows,
    detail,
    search,
    salvaged,
    attachment,
    replayPoints,
    replayMoment,
    verifyReplay,
    ready: {
      check: viewChecks.ready,
      run: () => ({ locale, bundle: options.bundle ?? {}, reveal: options.reveal, reducedMotion: true, isTrusted: true }),
    },
    openDocument: { check: viewChecks.openDocument, ...done },
    compare: { check: viewChecks.compare, ...done },
    copy: { check: viewChecks.copy, ...done },
    selected: { check: viewChecks.selected, ...done },
    openSession: { check: viewChecks.openSession, ...done },
    revealInTree: { check: viewChecks.revealInTree, ...done },
  };
}
