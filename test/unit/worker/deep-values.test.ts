import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { DocumentRef } from '../../../src/protocol/index.ts';
import { jsonText } from '../../../src/worker/json-text.ts';
import { tempRoot } from '../../support/temp-root.ts';
import { openService } from './session-harness.ts';

/** JSON of a log may be nested without end; what the worker answers has to pass a thread border all the same. */

const LEVELS = 100_000;
const list = '['.repeat(LEVELS) + ']'.repeat(LEVELS);
const record = '{"a":'.repeat(LEVELS) + '1' + '}'.repeat(LEVELS);

const root = tempRoot();
const open: { dispose(): Promise<void> }[] = [];
afterAll(async () => {
  for (const service of open) await service.dispose();
});

function write(version: 0 | 4, header: string, lines: readonly string[]): string {
  const directory = join(root.fresh(), '--w--', 's');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, version === 0 ? 'session.jsonl' : 'session.v4.jsonl');
  writeFileSync(path, `${[header, ...lines].join('\n')}\n`);
  return path;
}

const header = (version: 0 | 4, more = ''): string =>
  `{"type":"session","version":${version},"id":"s","createdAt":1,"cwd":"/w",${version === 0 ? '' : '"isSeeded":false,'}"delegationDepth":0${more}}`;

function events(version: 0 | 4): string[] {
  const tool = (content: string): string =>
    version === 4
      ? `{"id":"r","role":"tool","toolCallId":"c","source":{"kind":"tool","callId":"c"},"content":${content}}`
      : `{"id":"r","role":"user","source":{"kind":"tool","callId":"c"},"content":[{"type":"tool-result","toolCallId":"c","content":${content}}]}`;
  const op = version === 4 ? '"startSeq":5,"endSeq":5' : '"start":5,"end":5';
  return [
    `{"type":"turn/start","data":{"turn":1}}`,
    `{"type":"step/start","data":{"turn":1,"step":1}}`,
    `{"type":"x/y","data":${list},"ignorable":true}`,
    `{"type":"user/message","data":{"id":"m","role":"user","content":[{"type":"text","text":"hi"},{"type":"zz","content":${list}}],"source":{"kind":"user","x":${record}}},"surfaceOp":"append"}`,
    `{"type":"tool/call","data":{"turn":1,"step":1,"callId":"c","name":"n","arguments":${JSON.stringify(record)}}}`,
    `{"type":"tool/result","data":{"turn":1,"step":1,"meta":${record},"message":${tool(`[{"type":"text","text":"x","y":${list}}]`)}},"surfaceOp":"append"}`,
    `{"type":"tool/result","data":{"turn":1,"step":1,"meta":${record},"message":${tool('[]')}},"sourceEventSeqs":[5],"surfaceOp":{"op":"replace",${op}}}`,
    `{"type":"goal/change","data":{"kind":"goal/change","goal":${record}}}`,
    `{"type":"request/header","data":{"header":{"config":{"provider":"p","model":"m","stop":${list}},"tools":[{"name":"t","description":"d","parameters":${record}}]},"reason":"initial"}}`,
    `{"type":"turn/end","data":{"turn":1,"reason":${record}}}`,
    `{"type":"plan/mode","time":${list},"data":${list},"surfaceOp":${list},"sourceEventSeqs":${list}}`,
    `{"type":${list},"data":1}`,
  ].map((line, seq) => `{"seq":${seq},${line.includes('"time"') ? '' : '"time":1,'}${line.slice(1)}`);
}

describe.each([0, 4] as const)('a log of format %i nested %#', (version) => {
  it('is opened, shown and told of', async () => {
    const lines = events(version);
    const service = openService(write(version, header(version), lines));
    open.push(service);
    const overview = await service.call('overview', {});
    expect(overview.eventCount).toBe(lines.length);
    structuredClone(overview);
    const entries = [...lines.keys()];
    structuredClone(await service.call('rows', { generation: overview.generation, turns: [0], steps: [0], entries }));
    for (const seq of lines.keys()) {
      const detail = await service.call('detail', { generation: overview.generation, seq });
      expect(structuredClone(detail).seq).toBe(seq);
    }
    const refs: DocumentRef[] = [{ kind: 'transcript' }, { kind: 'damage' }, { kind: 'jsonl' }, { kind: 'history', seq: 4 }];
    for (const seq of lines.keys()) refs.push({ kind: 'event', seq });
    for (const ref of refs) expect((await service.call('document', { ref })).text).not.toBe('');
  });
});

describe('a header with fields that are nested, or no texts', () => {
  it('is shown without them', async () => {
    const odd = `,"agentPreset":${list},"origin":null,"parentSession":5,"extra":${record}`;
    const service = openService(write(4, header(4, odd), []));
    open.push(service);
    const overview = structuredClone(await service.call('overview', {}));
    expect(overview.header).toEqual({
      type: 'session',
      version: 4,
      id: 's',
      createdAt: 1,
      cwd: '/w',
      isSeeded: false,
      delegationDepth: 0,
    });
  });
});

describe('jsonText', () => {
  it('is what JSON.stringify gives where that gives anything', () => {
    for (const value of [null, 5, 'x', [1, { a: [] }], { b: { c: null } }]) {
      expect(jsonText(value)).toBe(JSON.stringify(value));
      expect(jsonText(value, 2)).toBe(JSON.stringify(value, null, 2));
    }
    expect(jsonText(undefined)).toBe('null');
  });

  it('puts an ellipsis where the nesting goes on too long', () => {
    const cut = jsonText({ near: 1, far: JSON.parse(list) as unknown });
    expect(cut.startsWith('{"near":1,"far":[[[')).toBe(true);
    expect(cut).toContain('["…"]');
    expect(cut.length).toBeLessThan(1000);
  });
});
