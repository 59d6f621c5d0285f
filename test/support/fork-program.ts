import { join } from 'node:path';
import { build } from 'esbuild';

/** Makes one file of the forking program, see fork-and-stop.ts, that any Node runs; gives its path. */
export async function builtProgram(folder: string): Promise<string> {
  const outfile = join(folder, 'fork-and-stop.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'fork-and-stop.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return outfile;
}
