import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DshOutcome, SessionHeader } from '../../../src/core/index.ts';
import { openSession, type Encoding, type OpenSession } from '../../../src/storage/index.ts';
import { hasNativeZstd } from '../../../src/storage/zstd/decode.ts';
import { encodeFrame } from '../../../src/storage/zstd/encode.ts';
import { logPath } from '../../support/write-log.ts';
import { tempRoot } from '../../support/temp-root.ts';

/** Every row of the table in format/on-disk.md §4.1, by name, in a v0 log of our own. */

const root = tempRoot();
const header: SessionHeader = { type: 'session', version: 0, id: 's', createdAt: 1, cwd: '/w', delegationDepth: 0 };
const HEADER = `${JSON.stringify(header)}\n`;
const decoders = hasNativeZstd() ? (['native', 'portable'] as const) : (['portable'] as const);

const event = (seq: number, type: string, data: unknown, extra: object = {}): string =>
  `${JSON.stringify({ type, seq, time: 1, data, ...extra })}\n`;
const turnStart = (seq: number, turn: number): string => event(seq, 'turn/start', { turn });
const turnEnd = (seq: number, turn: number): string => event(seq, 'turn/end', { turn, reason: { kind: 'completed' } });
const title = (seq: number, text = 't'): string =>
  event(seq, 'session/title', { title: text, messageSeqs: [], source: { kind: 'user' } });

interface Answer {
  readonly list: DshOutcome;
  readonly open: DshOutcome;
}

async function openBytes(bytes: Uint8Array, encoding: Encoding, decoder?: 'native' | 'portable'): Promise<OpenSession> {
  const path = logPath(root.fresh(), header, encoding);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  return openSession(path, decoder === undefined ? {} : { decoder });
}

const raw = (...lines: string[]): Promise<OpenSession> => openBytes(Buffer.from(lines.join('')), 'none');

const frames = async (...batches: string[]): Promise<Buffer> =>
  Buffer.concat(await Promise.all(batches.map((batch) => encodeFrame(Buffer.from(batch)))));

function answers(session: OpenSession): Answer {
  const order: DshOutcome[] = ['accepts', 'repairs', 'skips', 'refuses', 'breaks-root'];
  const worst = (outcomes: DshOutcome[]): DshOutcome =>
    order[Math.max(0, ...outcomes.map((outcome) => order.indexOf(outcome)))] ?? 'accepts';
  return { list: worst(session.damage.map(({ dsh }) => dsh.list)), open: worst(session.damage.map(({ dsh }) => dsh.open)) };
}

const kinds = (session: OpenSession): string[] => session.damage.map(({ kind }) => kind);

describe.each(decoders)('zstd frames through the %s decoder', (decoder) => {
  const open = async (bytes: Uint8Array): Promise<OpenSession> => openBytes(bytes, 'zstd', decoder);

  it('behind a broken frame events may follow, behind an unfinished one none that count', async () => {
    const good = await frames(HEADER, turnStart(0, 1) + turnEnd(1, 1));
    const last = await frames(title(2));
    const broken = Buffer.concat([good, last]);
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
    const cases: [Buffer, string][] = [
      [Buffer.concat([good, last.subarray(0, 7)]), 'INVALID_BOUNDARY'],
      [broken, 'UNREADABLE'],
      [Buffer.concat([good, Buffer.alloc(8)]), 'UNREADABLE'],
      [Buffer.concat([good, await frames(title(2).slice(0, 9))]), 'UNREADABLE'],
    ];
    for (const [bytes, code] of cases) {
      const session = await open(bytes);
      expect(session.forkBoundary(1).legal).toBe(true);
      expect(session.forkBoundary(2)).toMatchObject({ legal: false, code });
    }
  });

  it('last frame incomplete: its complete lines are kept, the rest is dropped', async () => {
    // Stored blocks, so that a cut leaves readable text: two letters of line 4 remain.
    const stored = storedFrame(turnEnd(1, 1) + title(2) + title(3));
    const keep = turnEnd(1, 1).length + title(2).length + 2;
    const head = await frames(HEADER, turnStart(0, 1));
    const session = await open(Buffer.concat([head, stored.subarray(0, STORED_HEAD + keep)]));
    expect(session.eventCount).toBe(3);
    expect(session.uncommittedEvents).toBe(2);
    expect(kinds(session)).toEqual(['torn-frame']);
    expect(session.damage[0]).toMatchObject({ byte: head.length, frame: 2 });
    expect(answers(session)).toEqual({ list: 'accepts', open: 'repairs' });
    expect(session.forkBoundary(1)).toEqual({ legal: true, closes: false });
  });

  it.each([1, 3, 4, 5, 6, 8])(
    'last frame incomplete after %i bytes, nothing decodable: the complete frames are kept',
    async (bytes) => {
      const head = await frames(HEADER, turnStart(0, 1));
      const session = await open(Buffer.concat([head, (await frames(turnEnd(1, 1))).subarray(0, bytes)]));
      expect([session.eventCount, session.uncommittedEvents]).toEqual([1, 0]);
      expect(answers(session)).toEqual({ list: 'accepts', open: 'repairs' });
    },
  );

  it('three trailing zero bytes are a torn tail, four are not', async () => {
    const whole = await frames(HEADER, turnStart(0, 1));
    const three = await open(Buffer.concat([whole, Buffer.alloc(3)]));
    expect([kinds(three), answers(three).open]).toEqual([['torn-frame'], 'repairs']);
    const four = await open(Buffer.concat([whole, Buffer.alloc(4)]));
    expect([kinds(four), answers(four).open]).toEqual([['foreign-bytes'], 'refuses']);
    expect(four.damage[0]?.byte).toBe(whole.length);
    expect(four.eventCount).toBe(1);
  });

  it.each(['checksum', 'payload'])('a wrong %s in the last complete frame is corruption', async (place) => {
    const head = await frames(HEADER, turnStart(0, 1));
    const last = await frames(turnEnd(1, 1));
    const at = place === 'checksum' ? last.length - 1 : 20;
    last[at] = (last[at] ?? 0) ^ 1;
    const session = await open(Buffer.concat([head, last]));
    expect(session.eventCount).toBe(1);
    expect(kinds(session)).toEqual(['corrupt-frame']);
    expect(session.damage[0]).toMatchObject({ byte: head.length, frame: 2 });
    expect(answers(session)).toEqual({ list: 'accepts', open: 'refuses' });
  });

  it('what follows a corrupt frame has no seq but can be read', async () => {
    const bad = await frames(title(1));
    bad[bad.length - 1] = (bad.at(-1) ?? 0) ^ 1;
    const bytes = Buffer.concat([await frames(HEADER, turnStart(0, 1)), bad, await frames(title(2), turnEnd(3, 1))]);
    const session = await open(bytes);
    expect(session.eventCount).toBe(1);
    expect([...session.salvagedLines()].map(({ frame, text }) => [frame, text])).toEqual([
      [3, title(2).trimEnd()],
      [4, turnEnd(3, 1).trimEnd()],
    ]);
    expect(session.forkBoundary(1)).toMatchObject({ legal: false, code: 'UNREADABLE' });
  });

  it('bytes that are no frame after the frames are corruption; frames beyond them are salvage', async () => {
    const head = await frames(HEADER, turnStart(0, 1));
    const session = await open(Buffer.concat([head, Buffer.from('not a frame'), await frames(turnEnd(1, 1))]));
    expect(kinds(session)).toEqual(['foreign-bytes']);
    expect(answers(session)).toEqual({ list: 'accepts', open: 'refuses' });
    expect([...session.salvagedLines()].map(({ text }) => text)).toEqual([turnEnd(1, 1).trimEnd()]);
  });

  it('complete frames that end in the middle of a line are corruption', async () => {
    const session = await open(await frames(HEADER, turnStart(0, 1), turnEnd(1, 1).slice(0, 20)));
    expect(session.eventCount).toBe(1);
    expect(kinds(session)).toEqual(['torn-record']);
    expect(session.damage[0]).toMatchObject({ frame: 2, line: 3 });
    expect(answers(session)).toEqual({ list: 'accepts', open: 'refuses' });
  });

  it('a line may go on in the next frame', async () => {
    const line = turnEnd(1, 1);
    const session = await open(
      await frames(HEADER, turnStart(0, 1) + line.slice(0, 9), line.slice(9, 20), line.slice(20) + title(2)),
    );
    expect(session.eventCount).toBe(3);
    expect(session.damage).toEqual([]);
    expect(session.rawLineOf(1)).toBe(line.trimEnd());
    expect(session.lineOf(1)).toEqual({ line: 3, frame: 1 });
  });

  it.each([
    ['the header and a line', HEADER + turnStart(0, 1)],
    ['two header lines', HEADER + HEADER],
    ['half a line', HEADER.slice(0, 30)],
    ['nothing', ''],
  ])('a first frame that holds %s is refused, and breaks the list of a v0 root', async (_, first) => {
    const session = await open(await frames(first, turnEnd(1, 1)));
    expect(kinds(session)).toContain('first-frame');
    expect(answers(session)).toEqual({ list: 'breaks-root', open: 'refuses' });
  });

  it('a first frame without its line end still gives the header', async () => {
    const session = await open(await frames(HEADER.trimEnd(), turnStart(0, 1)));
    expect(session.header).toEqual(header);
    expect(session.eventCount).toBe(1);
    expect(answers(session)).toEqual({ list: 'breaks-root', open: 'refuses' });
  });

  it('a file that ends inside its first frame', async () => {
    const session = await open((await frames(HEADER)).subarray(0, 30));
    expect(session.refusal?.kind).toBe('no-header');
    expect(answers(session)).toEqual({ list: 'skips', open: 'refuses' });
  });

  it('a 0-byte file: the list skips it, opening is an error', async () => {
    const session = await open(Buffer.alloc(0));
    expect(kinds(session)).toEqual(['empty-file', 'header']);
    expect(session.refusal?.kind).toBe('no-header');
    expect(answers(session)).toEqual({ list: 'skips', open: 'refuses' });
  });

  it.each([
    ['no JSON', 'nonsense\n'],
    ['a wrong seq', title(7)],
    ['a list', '[1]\n'],
    ['an empty line', '\n'],
  ])('%s inside complete frames is refused, with a turn/end after it or without', async (_, bad) => {
    for (const after of ['', title(1) + turnEnd(2, 1)]) {
      const session = await open(await frames(HEADER, turnStart(0, 1) + bad + after));
      expect(session.eventCount).toBe(1);
      expect(session.damage[0]).toMatchObject({ line: 3, frame: 1 });
      expect(answers(session)).toEqual({ list: 'accepts', open: 'refuses' });
    }
  });

  it('a lone row at the end whose seq skips ahead is refused', async () => {
    const session = await open(await frames(HEADER, turnStart(0, 1) + turnEnd(1, 1), title(3)));
    expect(kinds(session)).toEqual(['wrong-seq']);
    expect(session.damage[0]?.message).toBe('Line 4 has the seq 3 where 2 is due');
    expect(answers(session)).toEqual({ list: 'accepts', open: 'refuses' });
  });

  it('a skippable frame is no frame', async () => {
    const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]);
    const session = await open(Buffer.concat([await frames(HEADER, turnStart(0, 1)), skippable, await frames(turnEnd(1, 1))]));
    expect(kinds(session)).toEqual(['foreign-bytes']);
    expect(answers(session).open).toBe('refuses');
  });

  it('rows recovered from a torn frame follow the rule of the raw tail', async () => {
    const head = await frames(HEADER, turnStart(0, 1));
    const bad = storedFrame(`${title(1)}nonsense\n${title(2)}`);
    const session = await open(Buffer.concat([head, bad.subarray(0, bad.length - 4)]));
    expect([session.eventCount, answers(session).open]).toEqual([2, 'repairs']);
    const committed = storedFrame(`nonsense\n${turnEnd(1, 1)}`);
    expect(answers(await open(Buffer.concat([head, committed.subarray(0, committed.length - 4)]))).open).toBe('refuses');
  });
});

describe('plain lines', () => {
  it('a last line without its line end is a torn tail', async () => {
    const session = await raw(HEADER, turnStart(0, 1), turnEnd(1, 1).trimEnd());
    expect(session.eventCount).toBe(1);
    expect(kinds(session)).toEqual(['torn-line']);
    expect(session.damage[0]).toMatchObject({ line: 3, byte: HEADER.length + turnStart(0, 1).length });
    expect(answers(session)).toEqual({ list: 'accepts', open: 'repairs' });
  });

  it.each([
    ['no JSON', 'nonsense\n'],
    ['a wrong seq', title(7)],
    ['a malformed packed line', '{"type":"text-chunks","seq0":1}\n'],
  ])('%s, and a turn/end after it, is corruption', async (_, bad) => {
    const session = await raw(HEADER, turnStart(0, 1), bad, turnEnd(1, 1));
    expect(session.eventCount).toBe(1);
    expect(session.damage[0]).toMatchObject({ line: 3 });
    expect(answers(session)).toEqual({ list: 'accepts', open: 'refuses' });
    expect([...session.salvagedLines()].at(-1)).toEqual({ frame: 0, line: 4, text: turnEnd(1, 1).trimEnd() });
  });

  it('a turn/end in the very row with the wrong seq makes it corruption too', async () => {
    expect(answers(await raw(HEADER, turnStart(0, 1), turnEnd(5, 1))).open).toBe('refuses');
  });

  it.each([
    ['no JSON', 'nonsense\n'],
    ['a wrong seq', title(7)],
    ['a number', '5\n'],
    ['an empty line', '\n'],
  ])('%s without a turn/end after it: everything from it on is an uncommitted tail', async (_, bad) => {
    const session = await raw(HEADER, turnStart(0, 1), turnEnd(1, 1), bad, title(2));
    expect(session.eventCount).toBe(2);
    expect(kinds(session)).toEqual(['uncommitted-tail']);
    expect(session.damage[0]).toMatchObject({ line: 4, seq: 2 });
    expect(answers(session)).toEqual({ list: 'accepts', open: 'repairs' });
  });

  it('a null row crashes the reader of dsh wherever it stands', async () => {
    expect(answers(await raw(HEADER, turnStart(0, 1), 'null\n')).open).toBe('refuses');
    expect(answers(await raw(HEADER, turnStart(0, 1), 'nonsense\n', 'null\n')).open).toBe('refuses');
  });

  it('CRLF line ends are accepted', async () => {
    const session = await raw(...[HEADER, turnStart(0, 1), turnEnd(1, 1)].map((line) => line.replace('\n', '\r\n')));
    expect([session.eventCount, session.damage]).toEqual([2, []]);
  });

  it('a BOM before the header is no header', async () => {
    const session = await raw('\ufeff', HEADER, turnStart(0, 1));
    expect(session.refusal?.kind).toBe('no-header');
    expect(answers(session)).toEqual({ list: 'skips', open: 'refuses' });
    expect([...session.salvagedLines()].map(({ line }) => line)).toEqual([2]);
  });

  it('a 0-byte file', async () => {
    expect(answers(await raw(''))).toEqual({ list: 'skips', open: 'refuses' });
  });

  it('a header without its line end is none', async () => {
    const session = await raw(HEADER.trimEnd());
    expect(session.refusal?.kind).toBe('no-header');
    expect(answers(session)).toEqual({ list: 'skips', open: 'refuses' });
  });

  it('bytes that are no UTF-8 are replaced, said, and accepted', async () => {
    const line = Buffer.from(title(0, 'X'));
    line[line.indexOf('X')] = 0xff;
    const session = await openBytes(Buffer.concat([Buffer.from(HEADER), line]), 'none');
    expect(session.eventAt(0)?.data).toMatchObject({ title: '\ufffd' });
    expect(kinds(session)).toEqual(['invalid-utf8']);
    expect(answers(session)).toEqual({ list: 'accepts', open: 'accepts' });
  });

  it('a replacement character that is really there is no damage', async () => {
    expect((await raw(HEADER, title(0, '\ufffd'))).damage).toEqual([]);
  });
});

it('reading never changes the file, and a directory without a log is an error', async () => {
  const { readFile } = await import('node:fs/promises');
  const session = await raw(HEADER, turnStart(0, 1), 'nonsense\n');
  const before = await readFile(session.path);
  await session.close();
  expect(await readFile(session.path)).toEqual(before);
  await expect(openSession(join(root.path))).rejects.toThrow(/no session log/);
  await expect(openSession(join(root.path, 'absent'))).rejects.toThrow();
});

/** Bytes of a frame before the text of its one stored block. */
const STORED_HEAD = 4 + 2 + 3;

/** A frame with one stored (raw) block and a checksum that is not looked at here: only ever used torn. */
function storedFrame(text: string): Buffer {
  const body = Buffer.from(text);
  const block = (body.length << 3) | 1;
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, block & 255, (block >> 8) & 255, block >> 16];
  return Buffer.concat([Buffer.from(head), body, Buffer.alloc(4)]);
}
