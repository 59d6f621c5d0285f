import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The session core as one script for a browser, which sets `core`. Fails on any warning: one would mean it needs more than a browser has. */
export async function coreBundle(): Promise<string> {
  const { outputFiles, warnings } = await build({
    absWorkingDir: fileURLToPath(new URL('../../', import.meta.url)),
    entryPoints: ['src/core/index.ts'],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'core',
    target: 'es2022',
    logLevel: 'silent',
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join('; '));
  return outputFiles[0]!.text;
}
