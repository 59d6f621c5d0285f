import { text, type Text } from '../core/index.ts';

/** Why a file could not be read, for whoever wanted to see it; another error's own words where the disk did not refuse. */
export function readProblem(error: unknown): Text | string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return text('The file is not there');
  if (code === 'EACCES' || code === 'EPERM') return text('There is no permission to read the file');
  if (typeof code === 'string') return text('The file cannot be read ({code})', { code });
  return error instanceof Error ? error.message : String(error);
}
