import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeFrame, loadDecoder } from '../../src/storage/zstd/decode.ts';
import { walkFrames } from '../../src/storage/zstd/frames.ts';

/** The stored lines of a log file as bytes, without line ends, and how many lie in each frame. Nothing of it may be damaged. */
export async function storedLinesOf(path: string): Promise<{ lines: Buffer[]; perFrame: number[] }> {
  const bytes = readFileSync(path);
  const parts: Buffer[] = [];
  if (path.endsWith('.zstd')) {
    const decoder = await loadDecoder();
    const walk = walkFrames(bytes);
    for (const frame of walk.frames) {
      const decoded = decodeFrame(bytes, frame, { decoder });
      if (!decoded.ok || !frame.checksum) throw new Error(`${path}: frame at ${String(frame.start)} is not as dsh writes it`);
      parts.push(Buffer.from(decoded.bytes));
    }
  } else parts.push(bytes);
  const perFrame = parts.map((part) => part.filter((byte) => byte === 10).length);
  const whole = Buffer.concat(parts);
  if (whole.at(-1) !== 10) throw new Error(`${path} ends inside a line`);
  const lines: Buffer[] = [];
  for (let from = 0; from < whole.length;) {
    const end = whole.indexOf(10, from);
    lines.push(whole.subarray(from, end));
    from = end + 1;
  }
  return { lines, perFrame };
}

/** Everything below a folder: paths with size, time and content, to tell whether anything was touched. */
export function pictureOf(root: string): Record<string, string> {
  const picture: Record<string, string> = {};
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    const { mtimeMs, size, isDirectory } = wrapped(join(root, name));
    picture[name] = isDirectory
      ? 'directory'
      : `${String(mtimeMs)} ${String(size)} ${readFileSync(join(root, name)).toString('hex')}`;
  }
  return picture;
}

function wrapped(path: string): { mtimeMs: number; size: number; isDirectory: boolean } {
  const found = statSync(path);
  return { mtimeMs: found.mtimeMs, size: found.size, isDirectory: found.isDirectory() };
}
