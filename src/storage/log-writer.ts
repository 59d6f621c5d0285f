import { randomBytes } from 'node:crypto';
import * as nodeFs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { english, text, type SessionHeader, type Text } from '../core/index.ts';
import { generationFilename, type Encoding } from './generations.ts';
import { projectDirectoryName, sessionDirectoryName } from './names.ts';
import { errorCode, scanRoot } from './root-scan.ts';

/** The part of the file system a writer uses; tests hand in one that fails or stops. */
export type WriterFs = Pick<typeof nodeFs, 'mkdir' | 'open' | 'link' | 'lstat' | 'rename' | 'unlink' | 'rmdir'>;

/** A log that could not be written. Nothing of it is left on disk, unless the message names what is. */
export class LogWriteError extends Error {
  override readonly name = 'LogWriteError';
  /** The file or directory it happened at. */
  readonly path: string;
  /** `EEXIST`, `ENOSPC`, … of the file system. */
  readonly code: string;
  readonly text: Text;

  constructor(sentence: Text, path: string, code: string, options?: ErrorOptions) {
    super(english(sentence), options);
    this.text = sentence;
    this.path = path;
    this.code = code;
  }
}

export interface NewLog {
  readonly root: string;
  /** Its id, cwd and version name the place. */
  readonly header: SessionHeader;
  readonly encoding: Encoding;
  /** The whole file. */
  readonly bytes: Uint8Array;
}

export interface CreateLogOptions {
  /** Looks at the durable file before it gets its name; what it throws stops the publication. */
  readonly verify?: (path: string) => Promise<void>;
  /** Looks at the published session; what it throws takes it away again. */
  readonly confirm?: (path: string) => Promise<void>;
  /** Heeded until the log is published. */
  readonly signal?: AbortSignal;
  readonly fs?: WriterFs;
}

/** Where the harness keeps a log of this header. */
export function logPathOf(root: string, header: SessionHeader, encoding: Encoding): string {
  return join(
    root,
    projectDirectoryName(header.cwd),
    sessionDirectoryName(header.id),
    generationFilename(header.version, encoding),
  );
}

/**
 * Publishes a new session: its own new directory (0700), a temporary file (0600) made durable, verified and linked to its final name, which
 * never replaces a file. Where hard links do not exist it is renamed to that name, after a look that nothing has it: nobody else is in a
 * directory that did not exist before, and unlike a final file written in place a rename leaves a killed writer's session complete or
 * absent. A failure throws a {@link LogWriteError} and takes away whatever had been made. Gives the path of the log. format/on-disk.md §10.
 */
export async function createSessionLog(log: NewLog, options: CreateLogOptions = {}): Promise<string> {
  const path = logPathOf(log.root, log.header, log.encoding);
  const publication = new Publication(path, options.fs ?? nodeFs);
  try {
    await publication.run(log, options);
  } catch (error) {
    const left = await publication.undo();
    options.signal?.throwIfAborted();
    const code = errorCode(error);
    // What `verify` throws is its own; only the file system's failures are put into words here.
    if (error instanceof LogWriteError || !/^E[A-Z0-9]+$/.test(code)) throw error;
    if (code === 'EEXIST') throw existing(path, error);
    const sentence =
      left === undefined
        ? failureText(path, code)
        : text('The session could not be written at {path} ({code}), and {left} could not be removed again', {
            path,
            code,
            left,
          });
    throw new LogWriteError(sentence, path, code, { cause: error });
  }
  return path;
}

/** What kept a session from being written, in the words a person would use. */
export function failureText(path: string, code: string): Text {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return text('The disk is full: the session could not be written at {path} ({code})', { path, code });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return text('Writing is not permitted: the session could not be written at {path} ({code})', { path, code });
    default:
      return text('The session could not be written at {path} ({code})', { path, code });
  }
}

function existing(path: string, cause: unknown): LogWriteError {
  const sentence = text('There is already something at {path}; nothing was written', { path });
  return new LogWriteError(sentence, path, 'EEXIST', { cause });
}

/** File systems without hard links say so in many ways. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EINVAL']);

interface Made {
  readonly path: string;
  readonly kind: 'file' | 'directory';
}

class Publication {
  readonly #path: string;
  readonly #fs: WriterFs;
  /** What a failure has to take away, newest last. */
  readonly #made: Made[] = [];

  constructor(path: string, fs: WriterFs) {
    this.#path = path;
    this.#fs = fs;
  }

  async run(log: NewLog, { verify, confirm, signal }: CreateLogOptions): Promise<void> {
    signal?.throwIfAborted();
    const session = dirname(this.#path);
    const project = dirname(session);
    const made = await this.#fs.mkdir(log.root, { recursive: true, mode: 0o700 });
    if (made !== undefined) {
      const levels = [log.root];
      while (levels[0] !== made && levels[0] !== undefined && levels[0] !== dirname(levels[0]))
        levels.unshift(dirname(levels[0]));
      for (const level of levels) this.#made.push({ path: level, kind: 'directory' });
      await this.#syncDirectory(dirname(made));
    }
    if (await this.#makeDirectory(project)) await this.#syncDirectory(log.root);
    if (!(await this.#makeDirectory(session))) throw existing(session, undefined);
    await this.#syncDirectory(project);

    signal?.throwIfAborted();
    const temporary = `${this.#path}.${randomBytes(6).toString('hex')}.tmp`;
    await this.#writeNew(temporary, log.bytes);
    await verify?.(temporary);
    signal?.throwIfAborted();
    await this.#publish(temporary);
    await this.#syncDirectory(session);
    await confirm?.(this.#path);
    // Where this fails the session is complete all the same, and readers pass over a stray temporary file.
    await this.#removed({ path: temporary, kind: 'file' });
  }

  async #publish(temporary: string): Promise<void> {
    try {
      await this.#fs.link(temporary, this.#path);
    } catch (error) {
      if (!NO_LINKS.has(errorCode(error))) throw error;
      if (await this.#isTaken()) throw existing(this.#path, error);
      await this.#fs.rename(temporary, this.#path);
    }
    this.#made.push({ path: this.#path, kind: 'file' });
  }

  async #isTaken(): Promise<boolean> {
    try {
      await this.#fs.lstat(this.#path);
      return true;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }

  async #makeDirectory(path: string): Promise<boolean> {
    try {
      await this.#fs.mkdir(path, { mode: 0o700 });
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
    this.#made.push({ path, kind: 'directory' });
    return true;
  }

  async #writeNew(path: string, bytes: Uint8Array): Promise<void> {
    const file = await this.#fs.open(path, 'wx', 0o600);
    this.#made.push({ path, kind: 'file' });
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Makes the names in a directory durable. Windows has no such thing. */
  async #syncDirectory(path: string): Promise<void> {
    if (process.platform === 'win32') return;
    const directory = await this.#fs.open(path, 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  }

  /** Takes away what was made; gives the file that would not go, if any. Directories in which others have settled stay. */
  async undo(): Promise<string | undefined> {
    let left: string | undefined;
    for (const one of this.#made.reverse()) if (!(await this.#removed(one)) && one.kind === 'file') left ??= one.path;
    return left;
  }

  async #removed({ path, kind }: Made): Promise<boolean> {
    try {
      await (kind === 'file' ? this.#fs.unlink(path) : this.#fs.rmdir(path));
    } catch (error) {
      return errorCode(error) === 'ENOENT';
    }
    return true;
  }
}

/** Why a session must not be written below a root. */
export interface TargetProblem {
  readonly code: 'ROOT_UNREADABLE' | 'OTHER_ENCODING' | 'ID_TAKEN' | 'DUPLICATE_IDS';
  readonly text: Text;
}

/**
 * Why a session of this id and encoding must not be written below `root`, or undefined: the root has the other encoding, or the id exists
 * in any of its projects, or one that is there exists twice. One wrong child makes dsh's list fail for the whole root. format/on-disk.md §10.
 */
export async function targetProblem(
  root: string,
  id: string,
  encoding: Encoding,
  signal?: AbortSignal,
): Promise<TargetProblem | undefined> {
  const { sessions, problems } = await scanRoot(root, signal);
  const [unreadable] = problems;
  if (unreadable !== undefined) return { code: 'ROOT_UNREADABLE', text: unreadable };
  const name = sessionDirectoryName(id);
  const places = new Map<string, string>();
  for (const { directory, generations } of sessions) {
    const other = generations.find((generation) => generation.encoding !== encoding);
    if (other !== undefined) {
      const path = join(directory, other.name);
      const sentence = text(
        'The root holds logs of the other encoding, such as {path}; dsh wants one encoding for a whole root',
        {
          path,
        },
      );
      return { code: 'OTHER_ENCODING', text: sentence };
    }
    const own = basename(directory);
    const twin = places.get(own);
    if (twin !== undefined && own !== name) {
      const sentence = text('The root holds one session id twice, at {path} and {other}; dsh cannot list it until one is moved', {
        path: twin,
        other: directory,
      });
      return { code: 'DUPLICATE_IDS', text: sentence };
    }
    places.set(own, directory);
  }
  const path = places.get(name);
  return path === undefined
    ? undefined
    : { code: 'ID_TAKEN', text: text('The session id {id} already exists at {path}', { id, path }) };
}
