import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], extra: object = {}): { extends: true; test: object } => ({
  extends: true,
  test: { name, include, ...extra },
});

/** Of every project with property tests. */
const setupFiles = ['test/support/fixed-seed.ts'];

export default defineConfig({
  test: {
    // Two cores are shared with whatever else runs; more workers only fight each other.
    maxWorkers: 2,
    testTimeout: 20_000,
    projects: [
      project('unit', ['test/unit/**/*.test.ts'], { exclude: ['test/unit/house/**'], setupFiles }),
      project('house', ['test/unit/house/**/*.test.ts'], { testTimeout: 60_000 }),
      project('conformance', ['test/conformance/**/*.test.ts'], { testTimeout: 120_000, hookTimeout: 120_000 }),
      project('peers', ['test/peers/**/*.test.ts'], { setupFiles, testTimeout: 120_000, hookTimeout: 120_000 }),
      project('webview', ['test/webview/**/*.test.ts'], {
        setupFiles,
        testTimeout: 60_000,
        hookTimeout: 120_000,
        fileParallelism: false,
      }),
      project('bench', ['test/bench/**/*.bench.ts'], { testTimeout: 300_000, hookTimeout: 300_000, fileParallelism: false }),
      project('pictures', ['test/pictures/*.pictures.ts'], { testTimeout: 120_000, hookTimeout: 180_000 }),
      project('e2e', ['test/e2e/**/*.spec.ts'], { testTimeout: 120_000, hookTimeout: 180_000, fileParallelism: false }),
    ],
  },
});
