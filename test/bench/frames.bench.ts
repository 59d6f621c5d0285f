import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { launchBrowser, openView, type View } from '../webview/support/harness.ts';
import { writeLogs, type Logs } from '../webview/support/logs.ts';

// Prints how the view of 100,000 lines moves: the time between its frames, and the script and all work of the page's main thread in each,
// beside an empty page in the same browser. In scrolling the host's stand-in is part of the script: its texts come as JSON.
const frames = 300;
let browser: Browser;
let logs: Logs;
let view: View;

beforeAll(async () => {
  [browser, logs] = await Promise.all([launchBrowser(), writeLogs()]);
  view = await openView(browser, await logs.large(100_000));
  await view.page.locator('[role=treeitem]').first().waitFor({ timeout: 120_000 });
  await view.rest();
});
afterAll(async () => {
  await browser.close();
  await logs.dispose();
});

it('frames', async () => {
  const empty = await browser.newPage();
  const floor = await measure(empty, 'nothing');
  print('empty page', floor);
  await empty.close();
  await view.page.bringToFront();
  for (const [name, act] of [
    ['scrolling', 'scroll'],
    ['leaping', 'leap'],
    ['zooming', 'zoom'],
    ['panning', 'pan'],
    ['hovering', 'hover'],
  ] as const) {
    const motion = await measure(view.page, act);
    print(name, motion, floor);
    await view.rest();
  }
});

type Act = 'nothing' | 'scroll' | 'leap' | 'zoom' | 'pan' | 'hover';

/** Milliseconds. */
interface Motion {
  readonly median: number;
  readonly p95: number;
  readonly script: number; // per frame
  readonly work: number; // per frame: script, style, layout and painting commands
}

async function measure(page: Page, act: Act): Promise<Motion> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('Profiler.enable');
  await session.send('Profiler.start');
  const before = await workOf(session);
  const times = await page.evaluate(move, { act, count: frames });
  const work = (await workOf(session)) - before;
  const { profile } = await session.send('Profiler.stop');
  await session.detach();
  const intervals = times.slice(1).map((time, i) => time - times[i]!);
  intervals.sort((a, b) => a - b);
  const at = (share: number): number => intervals[Math.floor(share * (intervals.length - 1))]!;
  return { median: at(0.5), p95: at(0.95), script: scriptOf(profile) / frames, work: work / frames };
}

/** Milliseconds of all tasks of the page's main thread so far. */
async function workOf(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? NaN) * 1000;
}

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[];
  readonly samples?: readonly number[];
  readonly timeDeltas?: readonly number[]; // microseconds
}

/** Milliseconds of script in a profile; the metrics of the page count no promises' work. */
function scriptOf({ nodes, samples = [], timeDeltas = [] }: Profile): number {
  const others = new Set(
    nodes.filter(({ callFrame }) => /^\((idle|program|root)\)$/.test(callFrame.functionName)).map(({ id }) => id),
  );
  let micros = 0;
  for (const [i, id] of samples.entries()) if (!others.has(id)) micros += timeDeltas[i] ?? 0;
  return micros / 1000;
}

/** Runs in the page: one move of the reader's in each frame; the frames' times in milliseconds. */
async function move({ act, count }: { readonly act: Act; readonly count: number }): Promise<number[]> {
  const inView = (selector: string): HTMLElement => {
    const [element, part = ''] = selector.split(' ');
    const app = document.querySelector('dsh-app')!.shadowRoot!;
    return app.querySelector(element!)!.shadowRoot!.querySelector<HTMLElement>(part)!;
  };
  const lanes = act === 'nothing' ? undefined : inView('dsh-lanes canvas');
  const list = act === 'nothing' ? undefined : inView('dsh-list .scroller');
  const box = lanes?.getBoundingClientRect();
  const point = (share: number, y: number): { clientX: number; clientY: number } => ({
    clientX: (box?.left ?? 0) + 100 + share * ((box?.width ?? 0) - 120),
    clientY: (box?.top ?? 0) + y,
  });
  const wheel = (init: WheelEventInit): unknown =>
    lanes?.dispatchEvent(new WheelEvent('wheel', { bubbles: true, composed: true, cancelable: true, ...init }));
  const acts: Readonly<Record<Act, (frame: number) => unknown>> = {
    nothing: () => undefined,
    scroll: () => list?.scrollBy(0, 480), // twenty rows a frame, a hard flick of a wheel
    leap: () => list?.scrollBy(0, 2400), // four screenfuls, the scrollbar dragged
    // In for half a second, out again, at places all along.
    zoom: (frame) => wheel({ ...point(((frame * 7) % 100) / 100, 60), deltaY: frame % 60 < 30 ? -120 : 120 }),
    pan: (frame) => wheel({ ...point(0.5, 60), deltaX: frame % 60 < 30 ? 60 : -60 }),
    hover: (frame) =>
      lanes?.dispatchEvent(
        new PointerEvent('pointermove', {
          bubbles: true,
          composed: true,
          ...point(((frame * 3) % 100) / 100, 30 + ((frame * 5) % 120)),
        }),
      ),
  };
  const frame = (): Promise<number> => new Promise((done) => requestAnimationFrame(() => done(performance.now())));
  if (list) list.scrollTop = 0;
  // Panning needs room on both sides.
  if (act === 'pan') for (let i = 0; i < 12; i++) wheel({ ...point(0.5, 60), deltaY: -120 });
  // After the frame is drawn, as a reader's moves come: before, they would have the page laid out twice.
  const { port1, port2 } = new MessageChannel();
  const drawn = (): Promise<void> =>
    new Promise((done) => {
      port1.onmessage = () => done();
      port2.postMessage(undefined);
    });
  const times = [await frame()];
  for (let i = 0; i < count; i++) {
    await drawn();
    acts[act](i);
    times.push(await frame());
  }
  port1.close();
  return times;
}

function print(name: string, { median, p95, script, work }: Motion, floor?: Motion): void {
  const ms = (value: number): string => value.toFixed(1);
  const ratio = floor ? `, ${(median / floor.median).toFixed(2)} of the empty page's` : '';
  console.log(
    `frames ${name.padEnd(11)} ${ms(median)} ms between frames (p95 ${ms(p95)})${ratio}; in each ${ms(script)} ms of script, ${ms(work)} ms of all work`,
  );
}
