/** Opens the built view in a real browser against a log served in this process, and counts what crosses the border. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium, type Browser, type Page } from 'playwright-core';
import { isMessage, type Message, type ViewEvents } from '../../../src/protocol/index.ts';
import { createFakeHost, packMessage, sizeOf, type FakeHost, type FileChange, type HostOptions } from './fake-host.ts';
import { editorScript, origin, pageHtml } from './page.ts';
import { lookOf, type ThemeName } from './themes.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Longest wait for what the view has asked for; most take milliseconds. */
const patience = 30_000;

export interface StageOptions {
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  readonly scale?: number;
  readonly locale?: string;
}

export interface ViewOptions extends StageOptions, HostOptions {}

interface Asked {
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
  fileChanged(kind: FileChange): void;
  close(): Promise<void>;
}

/** One page in which logs are shown one after the other, each in a document of its own, as the editor makes one for each. */
export interface Stage {
  readonly page: Page;
  show(log: string, options?: HostOptions): Promise<View>;
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

export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none', ...args],
  });
}

/** One log on a stage of its own, which goes with it. */
export async function openView(browser: Browser, log: string, options: ViewOptions = {}): Promise<View> {
  const stage = await openStage(browser, options);
  const view = await stage.show(log, options);
  return {
    ...view,
    close: async () => {
      await stage.close();
      await view.close();
    },
  };
}

export async function openStage(browser: Browser, options: StageOptions = {}): Promise<Stage> {
  const { theme = 'dark', width = 1280, height = 860, locale = 'en' } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: options.scale ?? 1,
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  let shown: Show | undefined;
  let shows = 0;
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') shown?.problems.push(message.text());
  });
  page.on('pageerror', (error) => shown?.problems.push(error.stack ?? error.message));
  await routePage(page, locale);
  await page.exposeFunction('toHost', (document: string, texts: readonly string[]) => {
    for (const text of texts) {
      const message: unknown = JSON.parse(text);
      if (!isMessage(message)) throw new Error(`the view posted ${text.slice(0, 200)}`);
      shown?.accept(document, message);
    }
  });
  await page.addInitScript((value) => {
    (window as unknown as { startTheme: unknown }).startTheme = value;
  }, lookOf(theme));
  return {
    page,
    show: async (log, hostOptions = {}) => {
      await shown?.dispose();
      shown = new Show(page, log, { locale, ...hostOptions });
      shows++;
      await page.goto(`${origin}/?${String(shows)}`);
      return viewOf(page, shown);
    },
    close: () => context.close(),
  };
}

interface Parcel {
  /** The document it is for; undefined: whichever is there. */
  readonly to: string | undefined;
  readonly text: string;
}

/** A document the log was loaded in, by the name it gives itself, and what it asked and was not answered yet. */
interface Channel {
  readonly document: string;
  readonly accept: (message: Message) => void;
  readonly open: Map<number, Asked>;
}

/** One log on the stage: its host, and the traffic with the document that shows it. */
class Show {
  readonly asked: Asked[] = [];
  readonly problems: string[] = [];
  bytes = 0;
  readonly host: FakeHost;
  readonly #page: Page;
  #channel: Channel | undefined;
  #isOver = false;
  #parcels: Parcel[] = [];
  #sending: Promise<void> | undefined;

  constructor(page: Page, log: string, options: HostOptions) {
    this.#page = page;
    this.host = createFakeHost(log, options, (event) => {
      void this.post(event);
    });
  }

  accept(document: string, message: Message): void {
    if (this.#isOver) return;
    // Loaded again: nobody is left who waits for the answers to the former document.
    if (document !== this.#channel?.document) this.#channel = this.#connect(document);
    if (message.kind === 'call') {
      const asked = { method: message.method, args: message.args };
      this.asked.push(asked);
      this.#channel.open.set(message.id, asked);
    }
    this.#channel.accept(message);
  }

  #connect(document: string): Channel {
    const open = new Map<number, Asked>();
    const reply = (message: Message): void => {
      void this.post(message, document).finally(() => {
        if (message.kind === 'reply') open.delete(message.id);
      });
    };
    return { document, open, accept: this.host.connect(reply) };
  }

  /** Until it is delivered. What is posted while others are on their way follows together. */
  post(message: Message, to?: string): Promise<void> {
    this.bytes += sizeOf(message);
    this.#parcels.push({ to, text: packMessage(message) });
    return (this.#sending ??= this.#send());
  }

  async #send(): Promise<void> {
    while (this.#parcels.length > 0 && !this.#isOver) {
      const parcels = this.#parcels;
      this.#parcels = [];
      try {
        await this.#page.evaluate((all) => {
          (window as unknown as { fromHost(parcels: readonly Parcel[]): void }).fromHost(all);
        }, parcels);
      } catch (error) {
        if (!this.#page.isClosed() && !this.#isOver) this.problems.push(String(error));
      }
    }
    this.#sending = undefined;
  }

  async rest(): Promise<void> {
    const until = performance.now() + patience;
    for (let quiet = 0; quiet < 2;) {
      const drawn = await this.#page.evaluate(
        (limit) =>
          new Promise<boolean>((done) => {
            requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
            AbortSignal.timeout(limit).onabort = () => done(false);
          }),
        patience,
      );
      if (!drawn) throw new Error('the page draws no frames');
      const open = [...(this.#channel?.open.values() ?? [])];
      quiet = open.length === 0 && !this.#sending ? quiet + 1 : 0;
      if (performance.now() < until) continue;
      const calls = open.map(({ method, args }) => `${method} ${JSON.stringify(args).slice(0, 200)}`);
      const undelivered = this.#sending ? `; ${String(this.#parcels.length)} messages wait behind those on their way` : '';
      throw new Error(`the view came to no rest; unanswered: ${calls.join(', ')}${undelivered}`);
    }
  }

  async dispose(): Promise<void> {
    this.#isOver = true;
    await this.host.dispose();
  }
}

function viewOf(page: Page, show: Show): View {
  return {
    page,
    asked: show.asked,
    rest: () => show.rest(),
    bytes: () => show.bytes,
    problems: async () => [
      ...show.problems,
      ...(await page.evaluate(() => (window as unknown as { policyViolations: string[] }).policyViolations)),
    ],
    send: (name, data) => show.post({ kind: 'event', name, data }),
    setTheme: (theme) =>
      page.evaluate((look) => {
        (window as unknown as { setTheme(look: unknown): void }).setTheme(look);
      }, lookOf(theme)),
    fileChanged: (kind) => {
      show.host.fileChanged(kind);
    },
    close: () => show.dispose(),
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
