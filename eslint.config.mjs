import js from '@eslint/js';
import { configs as lit } from 'eslint-plugin-lit';
import ts from 'typescript-eslint';

export default ts.config(
  { ignores: ['dist/', 'coverage/', '**/.out/', 'src/ambient.d.ts'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [ts.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // `void promise` is how a deliberately unawaited promise is marked, and `void f()` keeps a callback's result out.
      'no-void': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  { files: ['webview/**/*.ts'], extends: [lit['flat/recommended']] },
  {
    // The worker's and the host's words go through the protocol and the output channel; tests and scripts print.
    files: ['test/**/*.ts', 'scripts/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // Tests index into what they have just built; a miss fails the test with a clear place anyway.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: Object.fromEntries(
        ['process', 'console', 'performance', 'URL', 'setTimeout', 'clearTimeout', 'fetch', 'require'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
  },
);
