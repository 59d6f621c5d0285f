import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { english } from '../../../src/core/index.ts';
import { readImage } from '../../../src/storage/index.ts';
import { objectPath, redPixel, sha256, storeObject } from '../../support/images.ts';
import { tempRoot } from '../../support/temp-root.ts';

const root = tempRoot();

function place(): { home: string; log: string } {
  const home = root.fresh();
  const log = join(home, 'sessions', '--home-dev--', 'one', 'session.v4.jsonl.zstd');
  mkdirSync(dirname(log), { recursive: true });
  return { home, log };
}

async function problemOf(log: string, id: string): Promise<string> {
  const image = await readImage(log, id);
  return 'problem' in image ? english(image.problem) : `an image of ${String(image.bytes.length)} bytes`;
}

const elsewhere = 'This image is not read: its place in the attachment store leads elsewhere.';
const padded = (head: string, size = 40): Buffer => Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(size)]);

describe('an image of the attachment store', () => {
  it('is read exactly as it is stored', async () => {
    const { home, log } = place();
    const image = await readImage(log, storeObject(home, redPixel));
    expect(image).toEqual({ mediaType: 'image/png', bytes: new Uint8Array(redPixel) });
  });

  it.each([
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/gif', 'GIF89a'],
    ['image/gif', 'GIF87a'],
    ['image/webp', 'RIFF\x24\x00\x00\x00WEBP'],
  ])('is %s by its first bytes %j', async (mediaType, head) => {
    const { home, log } = place();
    expect(await readImage(log, storeObject(home, padded(head)))).toMatchObject({ mediaType });
  });

  it.each(['<svg xmlns="http://www.w3.org/2000/svg"/>', '<html>', '', 'RIFF\x24\x00\x00\x00WAVE', '\x89PNG'])(
    'is none when it begins with %j',
    async (head) => {
      const { home, log } = place();
      const id = storeObject(home, Buffer.from(head, 'latin1'));
      expect(await problemOf(log, id)).toBe('This image is not shown: the stored bytes are no PNG, JPEG, WebP or GIF.');
    },
  );

  it('is missed in a sentence', async () => {
    const { log } = place();
    expect(await problemOf(log, `sha256:${'a'.repeat(64)}`)).toBe('This image is no longer in the attachment store.');
  });

  it('is refused when its bytes are others', async () => {
    const { home, log } = place();
    const id = storeObject(home, redPixel, sha256(Buffer.from('another')));
    expect(await problemOf(log, id)).toBe('This image is not shown: the stored bytes are not the ones its id names.');
  });

  it('is read up to 8 MiB and no further', async () => {
    const { home, log } = place();
    const limit = 8 * 1024 * 1024;
    const fits = storeObject(home, padded('GIF89a', limit - 6));
    const larger = storeObject(home, padded('GIF89a', limit - 5));
    expect(await problemOf(log, fits)).toBe('an image of 8388608 bytes');
    expect(await problemOf(log, larger)).toBe('This image is too large to be shown: 8388609 bytes, at most 8388608.');
  });
});

describe('an id', () => {
  const hash = sha256(redPixel);
  it.each([
    '',
    hash,
    `sha256:${hash.toUpperCase()}`,
    `SHA256:${hash}`,
    `sha256:${hash}\n`,
    ` sha256:${hash}`,
    `sha256:${hash.slice(1)}`,
    `sha256:${hash}0`,
    `sha256:${hash}/../${hash}`,
    'sha256:../../../../etc/passwd',
    `sha256:${'../'.repeat(21)}x`,
    `sha256:${hash.slice(0, 63)}\0`,
    `sha1:${hash}`,
    `file:///etc/passwd`,
  ])('of the shape %j names nothing', async (id) => {
    const { home, log } = place();
    storeObject(home, redPixel);
    expect(await problemOf(log, id)).toBe('This image has no valid attachment id.');
  });

  it('of any other shape names nothing, and nothing throws', async () => {
    const { log } = place();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.string().map((tail) => `sha256:${tail}`),
        ),
        async (id) => {
          fc.pre(!/^sha256:[0-9a-f]{64}$/.test(id));
          expect(await problemOf(log, id)).toBe('This image has no valid attachment id.');
        },
      ),
      { numRuns: 100 },
    );
  });

  it('names nothing for a log that lies in no root', async () => {
    const { home } = place();
    const id = storeObject(home, redPixel);
    expect(await problemOf(join(home, 'Downloads', 'one', 'session.jsonl'), id)).toBe(
      'This log does not lie in a sessions folder, so the place of its images is not known.',
    );
  });
});

describe.skipIf(process.platform === 'win32')('the place of an image', () => {
  it('may not be a link, not even to the right bytes', async () => {
    const { home, log } = place();
    const id = storeObject(home, redPixel);
    const path = objectPath(home, sha256(redPixel));
    renameSync(path, join(home, 'moved'));
    symlinkSync(join(home, 'moved'), path);
    expect(await problemOf(log, id)).toBe(elsewhere);
  });

  it.each(['attachments', 'attachments/v1', 'attachments/v1/objects'])(
    'may not be reached through a link at %s',
    async (part) => {
      const { home, log } = place();
      const id = storeObject(home, redPixel);
      renameSync(join(home, part), join(home, 'moved'));
      symlinkSync(join(home, 'moved'), join(home, part));
      expect(await problemOf(log, id)).toBe(elsewhere);
    },
  );

  it('may lie in a home that is reached through a link', async () => {
    const { home, log } = place();
    const id = storeObject(home, redPixel);
    const alias = root.fresh();
    symlinkSync(home, alias);
    expect(await problemOf(log.replace(home, alias), id)).toBe(`an image of ${String(redPixel.length)} bytes`);
  });

  it('may hold no folder, and no pipe to wait at', async () => {
    const { home, log } = place();
    const folder = sha256(Buffer.from('folder'));
    mkdirSync(objectPath(home, folder), { recursive: true });
    const pipe = sha256(Buffer.from('pipe'));
    mkdirSync(dirname(objectPath(home, pipe)), { recursive: true });
    execFileSync('mkfifo', [objectPath(home, pipe)]);
    const noFile = 'This image is not read: its place in the attachment store holds no file.';
    expect(await problemOf(log, `sha256:${folder}`)).toBe(noFile);
    expect(await problemOf(log, `sha256:${pipe}`)).toBe(noFile);
  });

  it('is missing where a file stands in for a folder', async () => {
    const { home, log } = place();
    writeFileSync(join(home, 'attachments'), '');
    expect(await problemOf(log, `sha256:${sha256(redPixel)}`)).toBe('This image is no longer in the attachment store.');
  });
});
