import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const repoRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** A bin of an installed package, as arguments for `node`, so that no shell and no `.cmd` file is involved. */
export const bins = {
  tsc: path.join(repoRoot, 'node_modules/typescript/bin/tsc'),
  eslint: path.join(repoRoot, 'node_modules/eslint/bin/eslint.js'),
  prettier: path.join(repoRoot, 'node_modules/prettier/bin/prettier.cjs'),
  knip: path.join(repoRoot, 'node_modules/knip/bin/knip.js'),
  vitest: path.join(repoRoot, 'node_modules/vitest/vitest.mjs'),
  vsce: path.join(repoRoot, 'node_modules/@vscode/vsce/vsce'),
};

/**
 * Runs a program to its end. `output` is stdout and stderr as they came; with `show` it is also printed.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, show?: boolean }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, { cwd = repoRoot, env = process.env, show = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (chunk) => {
        output += chunk;
        if (show) process.stdout.write(chunk);
      });
    }
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code: code ?? (signal ? 1 : 0), output }));
  });
}

/**
 * An environment without any wish about colours: tools that find two of them print warnings of their own.
 * @param {NodeJS.ProcessEnv} env
 */
export function colorless(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'FORCE_COLOR' && name !== 'NO_COLOR'));
}

/** Like {@link run}, but a failure ends everything, with the output as the reason. */
export async function must(command, args, options) {
  const result = await run(command, args, options);
  if (result.code !== 0) {
    throw new Error(
      `${path.basename(command)} ${args.join(' ')} ended with ${result.code}\n${options?.show ? '' : result.output}`,
    );
  }
  return result.output;
}
