import { afterAll, beforeAll, beforeEach } from 'vitest';
import { Code } from './code.ts';
import type { Home } from './home.ts';
import type { ServerOptions } from './server.ts';

/** Opens the workspace of a home, with what the tests want otherwise. */
export type StartCode = (options?: Partial<ServerOptions>) => Promise<Code>;

/**
 * One window for the tests of a file or a describe: `begin` fills the home and starts it, a test that fails leaves a picture of it, and both
 * are gone after the last.
 */
export function withCode(home: Home, begin: (start: StartCode) => Promise<void>): void {
  let code: Code | undefined;
  beforeAll(() =>
    begin(async (options) => {
      code = await Code.start({ dshHome: home.dshHome, workspace: home.workspace, ...options });
      return code;
    }),
  );
  beforeEach(() => {
    code?.pictureOnFailure();
  });
  afterAll(async () => {
    await code?.close();
    home.remove();
  });
}
