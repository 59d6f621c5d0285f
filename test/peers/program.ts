import fc from 'fast-check';

/**
 * Random programs against a version 0 session: what to append next, in terms of the surface as it stands when the step runs. Most steps
 * are valid; a good part bends one rule. No outcome is built in: two cores run the same program and have to agree.
 */
export interface Step {
  readonly type: string;
  readonly data: DataSpec;
  readonly marks: MarkSpec;
}

type DataSpec =
  | { readonly kind: 'plain'; readonly value: unknown }
  | { readonly kind: 'message'; readonly id: string | undefined; readonly blocks: number }
  | { readonly kind: 'answer'; readonly id: string; readonly calls: readonly string[]; readonly text: boolean }
  | { readonly kind: 'result'; readonly callId: string; readonly text: string }
  /** The result at a surface place again, with one thing changed. */
  | { readonly kind: 'rewrite'; readonly place: number; readonly change: 'content' | 'id' | 'meta' | 'step' | 'order' };

type MarkSpec =
  | { readonly kind: 'none' }
  | { readonly kind: 'append'; readonly sources: unknown }
  | { readonly kind: 'odd'; readonly value: unknown }
  | {
      readonly kind: 'replace';
      readonly from: number;
      readonly length: number;
      readonly flip: boolean;
      readonly sources: 'covering' | 'reversed' | 'more' | 'missing' | 'holed' | 'twice' | 'absent';
    };

/** What a step needs to know of the session it runs against. */
export interface View {
  readonly seq: number;
  readonly nodes: readonly number[];
  readonly eventAt: (seq: number) => { readonly type: string; readonly data: unknown } | undefined;
}

export interface Resolved {
  readonly type: string;
  readonly data: unknown;
  readonly opts: Record<string, unknown> | undefined;
}

class Exotic {
  readonly value = 1;
}

/** JSON, and the things that look like it. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown[]>(
      undefined,
      NaN,
      -0,
      [-0],
      Infinity,
      { a: undefined },
      { a: { b: NaN } },
      new Map([[1, 2]]),
      new Date(0),
      new Exotic(),
      1n,
      Symbol.iterator,
      () => 1,
      Object.assign([1], { extra: 1 }),
      Object.assign(Object.create(null), { a: [1] }),
      Object(1),
      JSON.parse('{"__proto__": 1}'),
    ),
  },
);

const turn = fc.integer({ min: 1, max: 3 });
const callId = fc.constantFrom('c0', 'c1', 'c2');
const header = fc.record(
  {
    config: fc.record({ provider: fc.constantFrom('p', ''), model: fc.constantFrom('m', 'n') }),
    tools: fc.constantFrom([], [{ name: 't', description: 'd', parameters: {} }]),
    system: fc.constantFrom('', 'S'),
    adapterDefaults: fc.constantFrom({}, { maxTokens: true }, { reasoningEffort: true }),
    messagePrefix: fc.constant([]),
  },
  { requiredKeys: ['config'] },
);

const sources = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.uniqueArray(fc.nat(12), { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown[]>([], [-1], [0, 0], [1.5], 'x', null, [[0, 2]], ['0'], [-0]) },
);

const oddOps: unknown[] = [
  null,
  'replace',
  { op: 'replace' },
  { op: 'replace', start: 0, end: 0, extra: 1 },
  { op: 'replace', startSeq: 0, endSeq: 0 },
  { op: 'append', start: 0, end: 0 },
  { op: 'replace', start: '0', end: 0 },
  { op: 'replace', start: -1, end: 0 },
  { op: 'replace', start: 0, end: 1e9 },
  [],
  1,
];

const NO_MARKS: MarkSpec = { kind: 'none' };

const marks: fc.Arbitrary<MarkSpec> = fc.oneof(
  { weight: 6, arbitrary: sources.map((value): MarkSpec => ({ kind: 'append', sources: value })) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('replace' as const),
      from: fc.nat(20),
      length: fc.nat(3),
      flip: fc.constantFrom(false, false, false, false, true),
      sources: fc.constantFrom('covering', 'covering', 'covering', 'reversed', 'more', 'missing', 'holed', 'twice', 'absent'),
    }),
  },
  { weight: 1, arbitrary: fc.constant(NO_MARKS) },
  { weight: 1, arbitrary: fc.constantFrom(...oddOps).map((value): MarkSpec => ({ kind: 'odd', value })) },
);

const hardlyAny: fc.Arbitrary<MarkSpec> = fc.oneof(
  { weight: 15, arbitrary: fc.constant(NO_MARKS) },
  { weight: 1, arbitrary: fc.constant<MarkSpec>({ kind: 'append', sources: undefined }) },
);

const logOnly: fc.Arbitrary<Step> = fc.oneof(
  step('turn/start', plain(fc.record({ turn }))),
  step('turn/end', plain(fc.record({ turn, reason: fc.constant({ kind: 'completed' }) }))),
  step('step/start', plain(fc.record({ turn, step: turn }))),
  step('step/end', plain(fc.record({ turn, step: turn }))),
  step('tool/call', plain(fc.record({ turn, step: turn, callId, name: fc.constant('n'), arguments: fc.string() }))),
  step('request/header', plain(fc.record({ header, reason: fc.constantFrom('initial', 'change', 'resume', 'fallback') }))),
  step('request/context', plain(fc.record({ provider: fc.constant('p'), model: fc.string() }))),
  step('plan/mode', plain(anyValue)),
  step('x/unknown', plain(anyValue)),
  step('request/header-delta', plain(anyValue)),
  step('session/end-seed', plain(fc.constant({}))),
);

const surface: fc.Arbitrary<Step> = fc.oneof(
  step(
    'user/message',
    fc.record({
      kind: fc.constant('message' as const),
      id: fc.oneof({ weight: 19, arbitrary: fc.string({ minLength: 1 }) }, { weight: 1, arbitrary: fc.constant(undefined) }),
      blocks: fc.nat(3),
    }),
    marks,
  ),
  step(
    'assistant/message',
    fc.record({
      kind: fc.constant('answer' as const),
      id: fc.string({ minLength: 1 }),
      calls: fc.uniqueArray(callId, { maxLength: 3 }),
      text: fc.boolean(),
    }),
    marks,
  ),
  step('tool/result', fc.record({ kind: fc.constant('result' as const), callId, text: fc.string() }), marks),
  step(
    'tool/result',
    fc.record({
      kind: fc.constant('rewrite' as const),
      place: fc.nat(20),
      change: fc.constantFrom('content', 'content', 'order', 'id', 'meta', 'step'),
    }) as fc.Arbitrary<DataSpec>,
    marks,
  ),
);

export const program: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: logOnly },
    { weight: 8, arbitrary: surface },
    // A payload that is no record derives to nothing here and to itself there; no reader of either side lets one in.
    { weight: 1, arbitrary: step('user/message', plain(fc.dictionary(fc.string(), anyValue)), marks) },
  ),
  { minLength: 1, maxLength: 40, size: 'max' },
);

/** The append a step stands for. The same for both cores as long as they have agreed so far. */
export function resolve(spec: Step, view: View): Resolved {
  const rewritten = spec.data.kind === 'rewrite' ? rewriteOf(spec.data.place, spec.data.change, view) : undefined;
  if (rewritten === undefined || spec.marks.kind !== 'replace') {
    return { type: spec.type, data: rewritten?.data ?? dataOf(spec.data, view.seq), opts: optionsOf(spec.marks, view) };
  }
  return { type: spec.type, data: rewritten.data, opts: replaceOptions(rewritten.seq, rewritten.seq, [rewritten.seq]) };
}

function dataOf(spec: DataSpec, seq: number): unknown {
  switch (spec.kind) {
    case 'plain':
      return spec.value;
    case 'message': {
      const content = Array.from({ length: spec.blocks }, (_, i) => ({ type: 'text', text: `${String(seq)}.${String(i)}` }));
      return { ...(spec.id === undefined ? {} : { id: spec.id }), role: 'user', content, source: { kind: 'user' } };
    }
    case 'answer': {
      const calls = spec.calls.map((id) => ({ type: 'tool-call', id, name: 'n', arguments: '{}' }));
      const content = [...(spec.text ? [{ type: 'text', text: 'answer' }] : []), ...calls];
      const source = { kind: 'model', provider: 'p', model: 'm' };
      return { turn: 1, step: 1, message: { id: spec.id, role: 'assistant', content, source } };
    }
    case 'result':
      return resultData(`t${String(seq)}`, spec.callId, spec.text);
    case 'rewrite':
      return resultData(`t${String(seq)}`, 'c0', '');
  }
}

function resultData(id: string, call: string, resultText: string): ResultData {
  const content = [{ type: 'tool-result', toolCallId: call, content: [{ type: 'text', text: resultText }] }];
  const message = { id, role: 'user', content, source: { kind: 'tool', callId: call } };
  return { turn: 1, step: 1, message, meta: { a: 1, b: [1, { c: 2 }] } };
}

interface ResultData {
  readonly turn: number;
  readonly step: number;
  readonly message: { readonly id: string; readonly role: string; readonly content: readonly object[]; readonly source: unknown };
  readonly meta?: unknown;
}

function rewriteOf(place: number, change: string, view: View): { readonly seq: number; readonly data: unknown } | undefined {
  const results = view.nodes.filter((node) => view.eventAt(node)?.type === 'tool/result');
  const seq = results[place % results.length];
  if (seq === undefined) return undefined;
  // Every result of a program has the shape resultData gives it.
  const original = view.eventAt(seq)?.data as ResultData;
  const block = { ...original.message.content[0], content: [{ type: 'text', text: 'short' }] };
  const shorter = { ...original, message: { ...original.message, content: [block] } };
  switch (change) {
    case 'order':
      return { seq, data: { ...reversed(shorter), meta: { b: [1, { c: 2 }], a: 1 } } };
    case 'id':
      return { seq, data: { ...shorter, message: { ...shorter.message, id: 'other' } } };
    case 'meta':
      return { seq, data: { ...shorter, meta: { a: 1, b: [1, { c: 3 }] } } };
    case 'step':
      return { seq, data: { ...shorter, step: original.step + 1 } };
    default:
      return { seq, data: shorter };
  }
}

function reversed(record: object): object {
  return Object.fromEntries(Object.entries(record).reverse());
}

function optionsOf(spec: MarkSpec, view: View): Record<string, unknown> | undefined {
  switch (spec.kind) {
    case 'none':
      return undefined;
    case 'append':
      return { surfaceOp: 'append', ...(spec.sources === undefined ? {} : { sourceEventSeqs: spec.sources }) };
    case 'odd':
      return { surfaceOp: spec.value };
    case 'replace': {
      const from = view.nodes.length === 0 ? 0 : spec.from % view.nodes.length;
      const removed = view.nodes.slice(from, from + 1 + spec.length);
      const [start = 0, end = 0] = [removed[0], removed.at(-1)];
      const cited = sourcesOf(spec.sources, removed, view.seq);
      return spec.flip ? replaceOptions(end, start, cited) : replaceOptions(start, end, cited);
    }
  }
}

function replaceOptions(start: number, end: number, cited: readonly number[] | undefined): Record<string, unknown> {
  return { surfaceOp: { op: 'replace', start, end }, ...(cited === undefined ? {} : { sourceEventSeqs: cited }) };
}

function sourcesOf(kind: string, removed: readonly number[], seq: number): readonly number[] | undefined {
  switch (kind) {
    case 'reversed':
      return [...removed].reverse();
    case 'more':
      return [...new Set([...removed, 0, Math.max(0, seq - 1)])];
    case 'missing':
      return removed.slice(1);
    case 'holed':
      return removed.filter((_, i) => i !== 1);
    case 'twice':
      return [...removed, ...removed];
    case 'absent':
      return undefined;
    default:
      return removed;
  }
}

function plain(value: fc.Arbitrary<unknown>): fc.Arbitrary<DataSpec> {
  return value.map((inner) => ({ kind: 'plain', value: inner }));
}

function step(type: string, data: fc.Arbitrary<DataSpec>, mark: fc.Arbitrary<MarkSpec> = hardlyAny): fc.Arbitrary<Step> {
  return fc.record({ type: fc.constant(type), data, marks: mark });
}
