import type { BrowserContext, Frame, Page } from 'playwright-core';

/** One message that a webview got from its extension, or sent to it. */
export interface WebviewMessage {
  readonly direction: 'in' | 'out';
  readonly bytes: number;
  /** Length of the longest text anywhere in it. */
  readonly longestText: number;
  /** `call`, `reply`, `event`, `cancel`, or what else the envelope says. */
  readonly kind: string;
  /** Method of a call, name of an event. */
  readonly name: string;
  /** Number of a call or reply. */
  readonly id: number | undefined;
}

declare global {
  var dshTimelineMessages: WebviewMessage[] | undefined;
}

/**
 * Runs in every frame. Notes what arrives by wrapping the `data` of message events, which unlike a listener of our own survives
 * the `document.open()` by which the workbench fills the inner frame of a webview; and what leaves, by wrapping what the
 * workbench hands to the page as `acquireVsCodeApi`.
 */
function noteMessages(): void {
  const property = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
  if (!property?.get) throw new Error('MessageEvent.data is no getter here');
  const read = (event: MessageEvent): unknown => property.get?.call(event);
  const seen = new WeakSet<Event>();
  const messages: WebviewMessage[] = (globalThis.dshTimelineMessages = []);
  const measure = (root: unknown): Pick<WebviewMessage, 'bytes' | 'longestText'> => {
    let bytes = 0;
    let longestText = 0;
    const counted = new Set<object>();
    const pending: unknown[] = [root];
    while (pending.length > 0) {
      const value = pending.pop();
      if (typeof value === 'string') {
        bytes += value.length * 2;
        longestText = Math.max(longestText, value.length);
      } else if (typeof value === 'number') bytes += 8;
      else if (typeof value !== 'object' || value === null) bytes += 1;
      else if (!counted.has(value)) {
        counted.add(value);
        if (value instanceof ArrayBuffer) bytes += value.byteLength;
        // A view brings its whole buffer along; several views of one buffer bring it once.
        else if (ArrayBuffer.isView(value)) pending.push(value.buffer);
        else {
          for (const [key, inner] of Object.entries(value)) {
            if (!Array.isArray(value)) bytes += key.length * 2;
            pending.push(inner);
          }
        }
      }
    }
    return { bytes, longestText };
  };
  const note = (direction: 'in' | 'out', data: unknown): void => {
    const envelope = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>;
    const word = (value: unknown): string => (typeof value === 'string' ? value : '');
    const name = word(envelope['method']) || word(envelope['name']);
    const id = typeof envelope['id'] === 'number' ? envelope['id'] : undefined;
    messages.push({ direction, ...measure(data), kind: word(envelope['kind']), name, id });
  };
  Object.defineProperty(MessageEvent.prototype, 'data', {
    ...property,
    get(this: MessageEvent): unknown {
      const data = read(this);
      if (!seen.has(this)) {
        seen.add(this);
        note('in', data);
      }
      return data;
    },
  });
  interface Api {
    postMessage(message: unknown, transfer?: Transferable[]): void;
  }
  let acquire: (() => Api) | undefined;
  Object.defineProperty(globalThis, 'acquireVsCodeApi', {
    configurable: true,
    get: () => acquire,
    set: (original: () => Api) => {
      acquire = () => {
        const api = original();
        return {
          ...api,
          postMessage: (message, transfer) => {
            note('out', message);
            api.postMessage(message, transfer);
          },
        };
      };
    },
  });
}

/** Requests that left this machine, as far as the browser is concerned. */
export class NetworkRecorder {
  readonly foreign: string[] = [];
  count = 0;

  static async attach(context: BrowserContext): Promise<NetworkRecorder> {
    const recorder = new NetworkRecorder();
    await context.addInitScript(noteMessages);
    context.on('request', (request) => {
      recorder.count += 1;
      const url = new URL(request.url());
      if (isLoopback(url)) return;
      // Resources of a webview carry a made-up host name that the workbench's service worker answers from the server.
      if (isWebviewResource(url)) return;
      recorder.foreign.push(request.url());
    });
    // A webview resource that the service worker did not answer would be a real request: it fails, since no name resolves. One that was given
    // up, since its page was closed while loading, was none.
    context.on('requestfailed', (request) => {
      if (request.failure()?.errorText === 'net::ERR_ABORTED') return;
      const url = new URL(request.url());
      if (isWebviewResource(url)) recorder.foreign.push(`${request.url()} (not answered by the service worker)`);
    });
    return recorder;
  }
}

const isLoopback = (url: URL): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname) ||
  ['data:', 'blob:', 'about:', 'vscode-file:'].includes(url.protocol);
const isWebviewResource = (url: URL): boolean => /\.vscode-(resource|webview)\.vscode-cdn\.net$/.test(url.hostname);

/** The inner frames of our webviews: the ones whose document is the extension's own page. */
function webviewFrames(page: Page, extensionId: string): Frame[] {
  return page.frames().filter((frame) => frame.parentFrame()?.url().includes(`extensionId=${extensionId}`));
}

/** Every message between an extension and its open webviews, in order per webview. */
export async function messagesOfWebviews(page: Page, extensionId: string): Promise<WebviewMessage[]> {
  const perFrame = await Promise.all(
    webviewFrames(page, extensionId).map((frame) => frame.evaluate(() => globalThis.dshTimelineMessages ?? [])),
  );
  return perFrame.flat();
}
