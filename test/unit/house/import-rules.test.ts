import { describe, expect, it } from 'vitest';
import { importProblems } from './import-rules.ts';
import { formatProblems } from './problem.ts';
import { sourceFiles } from './source-files.ts';

const problemsOf = (file: string, content: string): string[] => formatProblems(importProblems({ file, content }));

describe('import rules', () => {
  it('hold in every product file', () => {
    const files = sourceFiles(['src', 'webview'], ['.ts']);
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap((source) => formatProblems(importProblems(source)))).toEqual([]);
  });
});

describe('the rule itself', () => {
  it.each([
    ['src/core/a.ts', "import fs from 'node:fs';", 'core may not import node:fs'],
    ['src/core/a.ts', "import { x } from 'fzstd';", 'core may not import fzstd'],
    ['src/core/a.ts', "import type { Uri } from 'vscode';", 'core may not import vscode'],
    ['src/core/dialects/a.ts', "import { x } from '../../storage/b.ts';", 'core may not import storage'],
    ['src/core/a.ts', "const x = await import('../timeline/b.ts');", 'core may not import timeline'],
    ['src/core/a.ts', "type X = import('../timeline/b.ts').B;", 'core may not import timeline'],
    ['src/core/a.ts', "const u = new URL('../storage/b.ts', import.meta.url);", 'core may not import storage'],
    ['src/core/a.ts', "const u = import.meta.resolve('../storage/b.ts');", 'core may not import storage'],
    ['src/storage/a.ts', "const x = require('vscode');", 'storage may not import vscode'],
    ['src/storage/a.ts', "import x = require('lit');", 'storage may not import lit'],
    ['src/timeline/a.ts', '/// <reference types="node" />\nexport const x = 1;', 'timeline may not import node'],
    ['src/protocol/a.ts', "import { lanes } from '../timeline/lanes.ts';", 'protocol may import only types of timeline'],
    ['src/protocol/a.ts', "import { type A, b } from '../timeline/lanes.ts';", 'protocol may import only types of timeline'],
    ['src/worker/a.ts', "import { x } from '../host/b.ts';", 'worker may not import host'],
    ['src/worker/a.ts', "import * as vscode from 'vscode';", 'worker may not import vscode'],
    ['src/host/a.ts', "import { x } from '../storage/b.ts';", 'host may not import storage'],
    ['src/host/a.ts', "import { x } from '../worker/b.ts';", 'host may not import worker'],
    ['webview/a.ts', "import { x } from '../src/host/b.ts';", 'webview may not import host'],
    ['webview/a.ts', "import { x } from '../src/storage/b.ts';", 'webview may not import storage'],
    ['webview/a.ts', "import { x } from 'node:path';", 'webview may not import node:path'],
    ['webview/a.ts', "import { x } from 'lithium';", 'webview may not import lithium'],
    ['src/host/a.ts', "import { x } from '../../test/support/b.ts';", '../../test/support/b.ts leads out of the layers'],
    ['src/core/a.ts', "import { x } from './b';", './b: relative imports carry their extension'],
    ['src/core/a.ts', 'const x = await import(name);', 'computed import; the rules can only be checked for a literal one'],
    ['src/core/a.ts', "export { x } from './b.ts';", "re-exports ./b.ts; only a layer's index.ts may"],
    ['src/core/codec/index.ts', "export * from './b.ts';", "re-exports ./b.ts; only a layer's index.ts may"],
    ['src/core/a.ts', 'export default function f() {}', 'default export; export it by name'],
    ['src/core/a.ts', 'const f = 1; export default f;', 'default export; export it by name'],
    ['src/core/a.ts', 'const f = 1; export { f as default };', 'default export; export it by name'],
    ['src/core/a.ts', 'export const x = Buffer.from([1]);', 'core may not use the global Buffer'],
    ['src/core/a.ts', 'export const x = process.env.A;', 'core may not use the global process'],
    ['src/timeline/a.ts', 'export const x = globalThis.document;', 'timeline may not use the global document'],
    ['src/worker/a.ts', 'document.title = "";', 'worker may not use the global document'],
    ['webview/a.ts', 'const b = Buffer.alloc(1);', 'webview may not use the global Buffer'],
    ['src/odd/a.ts', 'export const x = 1;', 'is in no layer of core, storage, timeline, protocol, worker, host, webview'],
  ])('%s: %s', (file, content, message) => {
    const found = problemsOf(file, content);
    expect(found).toContainEqual(expect.stringContaining(message));
  });

  it('names file and line', () => {
    expect(problemsOf('src/core/a.ts', "\n\nimport fs from 'node:fs';\n")).toEqual([
      'src/core/a.ts:3 core may not import node:fs',
    ]);
  });

  it.each([
    ['src/core/a.ts', "import { x } from './b.ts'; import { y } from './codec/c.ts';"],
    ['src/core/index.ts', "export { x } from './b.ts'; export type { Y } from './c.ts';"],
    ['src/storage/a.ts', "import zlib from 'node:zlib'; import { x } from '../core/index.ts'; import { d } from 'fzstd';"],
    ['src/protocol/a.ts', "import type { Lane } from '../timeline/lanes.ts'; import { type Span } from '../timeline/spans.ts';"],
    ['src/worker/main.ts', "import { parentPort } from 'node:worker_threads'; import { x } from '../storage/index.ts';"],
    ['src/host/a.ts', "import * as vscode from 'vscode'; import { x } from '../protocol/index.ts';"],
    ['webview/a.ts', "import { html } from 'lit'; import { m } from 'lit/directives/map.js'; document.title = '';"],
    ['src/timeline/a.ts', 'export function cut(window: [number, number]) { return window[0]; }'],
    ['src/core/a.ts', 'export interface A { process: string; module: number } export const f = (a: A) => a.process;'],
  ])('allows %s: %s', (file, content) => {
    expect(problemsOf(file, content)).toEqual([]);
  });
});
