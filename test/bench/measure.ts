// One measurement in a process of its own, so that memory is that of one reader: `node measure.ts reader|floor|list PATH`
// prints one line of JSON. Needs a Node with native zstd that reads TypeScript, and `--expose-gc`.
import { readFileSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { listSessions, openSession } from '../../src/storage/index.ts';
import { walkFrames } from '../../src/storage/zstd/frames.ts';

/** Milliseconds, and bytes where a name says so. */
export type Measurement = Readonly<Record<string, number>>;

const repetitions = 5;

/** The quickest of a few runs, the first one included: the machine's other load only ever adds. */
async function quickest<T>(
  work: () => T | Promise<T>,
  after: (result: T) => Promise<void> | void = () => undefined,
): Promise<number> {
  let best = Infinity;
  for (let i = 0; i < repetitions; i++) {
    const began = performance.now();
    const result = await work();
    best = Math.min(best, performance.now() - began);
    await after(result);
  }
  return best;
}

async function readerOf(path: string): Promise<Measurement> {
  const memoryBefore = memory();
  const began = performance.now();
  const session = await openSession(path);
  const openFirst = performance.now() - began;
  const memoryBytes = memory() - memoryBefore;
  const foldBegan = performance.now();
  const messages = session.deriveMessages().length;
  const foldFirst = performance.now() - foldBegan;
  const facts = { events: session.eventCount, messages };
  await session.close();
  const open = await quickest(
    () => openSession(path),
    (opened) => opened.close(),
  );
  const again = await openSession(path);
  // Elsewhere than at the end, where nothing can be remembered from opening.
  const middle = Math.floor(again.eventCount / 2);
  const foldMiddle = await quickest(() => void again.deriveMessages(middle));
  await again.close();
  return { ...facts, openFirst, open, foldFirst, foldMiddle, memoryBytes, peakBytes: process.resourceUsage().maxRSS * 1024 };
}

/** What no reader can be quicker than: the decoder of this runtime on each frame, and JSON.parse of each line. */
async function floorOf(path: string): Promise<Measurement> {
  let lines = 0;
  let decode = Infinity;
  const floor = await quickest(() => {
    const began = performance.now();
    const text = path.endsWith('.zstd') ? decodeAll(readFileSync(path)) : readFileSync(path, 'utf8');
    decode = Math.min(decode, performance.now() - began);
    lines = 0;
    for (let from = 0, to = text.indexOf('\n'); to >= 0; from = to + 1, to = text.indexOf('\n', from)) {
      JSON.parse(text.slice(from, to));
      lines += 1;
    }
  });
  return { lines, decode, floor, fileBytes: readFileSync(path).length };
}

function decodeAll(bytes: Buffer): string {
  const parts: Buffer[] = [];
  for (const { start, end } of walkFrames(bytes).frames) parts.push(zlib.zstdDecompressSync(bytes.subarray(start, end)));
  return Buffer.concat(parts).toString('utf8');
}

async function listOf(root: string): Promise<Measurement> {
  const began = performance.now();
  const sessions = (await listSessions(root)).length;
  const listFirst = performance.now() - began;
  return { sessions, listFirst, list: await quickest(async () => void (await listSessions(root))) };
}

/** Bytes held, on the heap and off it, after a collection. */
function memory(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const measurements = { reader: readerOf, floor: floorOf, list: listOf };
const [kind = '', path = ''] = process.argv.slice(2);
if (!Object.hasOwn(measurements, kind)) throw new Error(`measure ${Object.keys(measurements).join('|')} PATH`);
console.log(JSON.stringify(await measurements[kind as keyof typeof measurements](path)));
