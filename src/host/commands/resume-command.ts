/** The program a session is taken up with in a terminal: the words of a setting, run without any shell in between. */
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

export interface ResumeFacts {
  readonly sessionId: string;
  readonly cwd: string | undefined;
}

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * The words of a command line: blanks part them, single or double quotes keep them together. A backslash is an ordinary character, since
 * paths of Windows are full of them. Undefined when a quote is not closed or nothing is there.
 */
export function commandWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word = '';
  let inWord = false;
  let quote = '';
  for (const character of line) {
    if (quote !== '') {
      if (character === quote) quote = '';
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      inWord = true;
    } else if (/\s/.test(character)) {
      if (inWord) words.push(word);
      [word, inWord] = ['', false];
    } else {
      word += character;
      inWord = true;
    }
  }
  if (quote !== '') return undefined;
  if (inWord) words.push(word);
  return words.length === 0 ? undefined : words;
}

/** `${sessionId}` and `${cwd}` filled in word by word, after parting: whatever an id holds, it stays one argument. */
export function resumeProgram(template: string, facts: ResumeFacts): Program | undefined {
  const words = commandWords(template);
  if (words === undefined) return undefined;
  const values: Readonly<Record<string, string>> = { sessionId: facts.sessionId, cwd: facts.cwd ?? '' };
  const [file = '', ...args] = words.map((word) =>
    word.replace(/\$\{(sessionId|cwd)\}/g, (_, name: string) => values[name] ?? ''),
  );
  return file === '' ? undefined : { file, args };
}

/** Where a program lies on the search path, or undefined. */
export function findOnPath(name: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | undefined {
  const onWindows = platform === 'win32';
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(onWindows ? ';' : ':').filter((folder) => path.isAbsolute(folder));
  const endings = onWindows ? (env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';') : [''];
  for (const folder of folders) {
    for (const ending of endings) {
      const file = path.join(folder, `${name}${ending}`);
      if (isProgram(file)) return file;
    }
  }
  return undefined;
}

/** Batch files are run by a shell, which reads its own meaning into some characters; only words without any of them get through. */
export function isSafeForShell(program: Program): boolean {
  return !/\.(?:cmd|bat)$/i.test(program.file) || program.args.every((word) => /^[\w.:\\/ -]*$/.test(word));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // not there, or not ours to run
  }
}
