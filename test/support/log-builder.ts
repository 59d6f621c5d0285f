import { packStream } from '../../src/core/codec/stream-records.ts';
import type { SessionEventMap, SessionHeader, StoredEvent, SurfaceOp, ToolDefinition } from '../../src/core/events.ts';
import type { Block, LlmFailure, Message, MessageSource, TimedChunk } from '../../src/core/messages.ts';
import { streamAnswer, type AnswerSpec, type StreamedAnswer } from './answer-stream.ts';
import { DEFAULT_SYSTEM, DEFAULT_TOOLS } from './log-defaults.ts';
import { randomFrom, type Random } from './random.ts';

export type Version = 0 | 1 | 2 | 3 | 4;

export interface LogOptions {
  readonly version: Version;
  readonly id: string;
  readonly createdAt: number;
  readonly cwd?: string;
  readonly parentSession?: string;
  readonly origin?: 'subagent';
  readonly delegationDepth?: number;
  readonly agentPreset?: string;
  readonly model?: string;
  readonly contextWindow?: number;
  readonly system?: string;
  readonly tools?: readonly ToolDefinition[];
  /** Tokens counted for one character of content; raise it for a context that fills quickly. */
  readonly tokensPerCharacter?: number;
}

export interface CallSpec {
  readonly name: string;
  /** Written as JSON, or as it stands when it is text. */
  readonly args: Record<string, unknown> | string;
  readonly result: string | readonly Block[];
  /** Milliseconds the call takes. */
  readonly takes?: number;
  readonly meta?: unknown;
  readonly error?: { readonly name: string; readonly code: string };
  /** Between tool/call and tool/result. */
  readonly during?: (call: { readonly id: string }) => void;
}

interface Surface {
  readonly surfaceOp: SurfaceOp;
  readonly sourceEventSeqs?: readonly number[];
}

const DEFAULT_MODEL = 'deepseek-v4';
const PROVIDER = 'deepseek-official';

/**
 * Makes a valid log of any format version, event by event, the way a session grows: it keeps the clock, the open turn and step, the surface
 * and the sizes, so that what it writes obeys format/events.md §7 and format/surface.md. Deterministic for the same calls.
 */
export class LogBuilder {
  readonly version: Version;
  readonly header: SessionHeader;
  readonly events: StoredEvent[] = [];
  /** Epoch milliseconds of the next event. */
  now: number;
  turn = 0;
  step = 0;
  turnOpen = false;
  stepOpen = false;
  /** Seqs of the current surface, in model order. */
  nodes: number[] = [];

  readonly #options: LogOptions;
  readonly #random: Random;
  readonly #tokens = new Map<number, number>();
  #requested = 0;
  #context = 900;
  #requestHeader = '';
  #firstPrompt: number | undefined;
  #resumed = false;
  #ids = 0;
  #headerText = '';
  #model: string;

  constructor(options: LogOptions, header?: SessionHeader) {
    this.version = options.version;
    this.#options = options;
    this.#random = randomFrom(options.id);
    this.#model = options.model ?? DEFAULT_MODEL;
    this.now = options.createdAt;
    this.header = header ?? headerOf(options);
  }

  /** Lets time pass. */
  wait(milliseconds: number): this {
    this.now += milliseconds;
    return this;
  }

  newId(): string {
    this.#ids += 1;
    const hex = (digits: number): string =>
      this.#random
        .below(16 ** digits)
        .toString(16)
        .padStart(digits, '0');
    return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(6)}${this.#ids.toString(16).padStart(6, '0')}`;
  }

  /** Appends an event of a known type at the current time. */
  emit<T extends keyof SessionEventMap>(type: T, data: SessionEventMap[T], surface?: Surface): number {
    return this.push(type, data, surface);
  }

  /** Appends any event, known or not; the caller answers for its validity. */
  push(type: string, data: unknown, rest: Partial<Omit<StoredEvent, 'type' | 'seq' | 'time' | 'data'>> = {}): number {
    const seq = this.events.length;
    this.adopt({ type, seq, time: this.now, data, ...rest });
    this.now += 1 + this.#random.below(4);
    return seq;
  }

  /** Takes an event as it stands and follows its effect on turn, step and surface. */
  adopt(event: StoredEvent): void {
    this.events.push(event);
    const data = event.data as { turn: number; step: number };
    if (event.type === 'turn/start') {
      [this.turn, this.step, this.turnOpen, this.stepOpen] = [data.turn, 0, true, false];
    } else if (event.type === 'turn/end') this.turnOpen = false;
    else if (event.type === 'session/end-seed') this.#resumed = this.#requestHeader !== '';
    else if (event.type === 'request/header') {
      const { header } = event.data as SessionEventMap['request/header'];
      [this.#requestHeader, this.#headerText, this.#resumed] = [JSON.stringify(header), header.system ?? '', false];
    } else if (event.type === 'step/start') [this.step, this.stepOpen] = [data.step, true];
    else if (event.type === 'step/end') this.stepOpen = false;
    if (event.surfaceOp === undefined) return;
    if (event.type === 'user/message' && isHuman(event.data as Message)) this.#firstPrompt ??= event.seq;
    this.#tokens.set(event.seq, Math.ceil(messageLength(event.data) * (this.#options.tokensPerCharacter ?? 0.28)));
    this.#context += this.#tokensOf(event.seq);
    if (event.surfaceOp === 'append') {
      this.nodes.push(event.seq);
      return;
    }
    const op = event.surfaceOp;
    const first = this.nodes.indexOf('start' in op ? op.start : op.startSeq);
    const last = this.nodes.indexOf('end' in op ? op.end : op.endSeq);
    if (first < 0 || last < first) throw new Error(`event ${String(event.seq)} replaces what is not on the surface`);
    for (const seq of this.nodes.splice(first, last - first + 1, event.seq)) this.#context -= this.#tokensOf(seq);
  }

  /** Tokens of the current surface, as this builder counts them. */
  contextTokens(): number {
    return this.#context;
  }

  // -- session state --------------------------------------------------------------------------------------------------

  setUp(
    options: { preset?: string; sandbox?: 'read-only' | 'workspace-write' | 'danger-full-access'; ask?: boolean } = {},
  ): this {
    const sandbox = options.sandbox ?? 'workspace-write';
    this.emit('permission/preset', { preset: options.preset ?? sandbox });
    this.emit('sandbox/mode', { mode: sandbox });
    this.emit('approval/policy', { policy: (options.ask ?? true) ? 'ask' : 'never' });
    return this;
  }

  title(title: string, source: 'provider' | 'user' | 'fallback' = 'provider'): number {
    return this.emit('session/title', {
      title,
      messageSeqs: source === 'user' || this.#firstPrompt === undefined ? [] : [this.#firstPrompt],
      source:
        source === 'provider'
          ? { kind: 'provider', provider: 'session-title-first-prompt-llm', model: this.route() }
          : { kind: source },
    });
  }

  todos(...items: readonly (readonly [content: string, status: 'pending' | 'in_progress' | 'completed'])[]): number {
    return this.emit('todo/write', { todos: items.map(([content, status]) => ({ content, status })) });
  }

  /** A slash command around what it does; `run` may give the seq of the event the command is settled by. */
  command(name: string, args: string, run: (commandId: string) => number | undefined, settled = 'Done.'): void {
    const commandId = `cmd-${String(this.events.length)}`;
    this.emit('command/run', { commandId, name, args, source: { kind: 'user' } });
    const sourceEventSeq = run(commandId);
    this.emit('command/done', {
      commandId,
      kind: 'success',
      text: settled,
      ...(sourceEventSeq === undefined ? {} : { sourceEventSeq }),
    });
  }

  selectModel(model: string): number {
    this.#model = model;
    return this.emit('model/selection', this.route());
  }

  endSeed(): number {
    return this.emit('session/end-seed', {});
  }

  route(): { provider: string; model: string } {
    return { provider: PROVIDER, model: this.#model };
  }

  // -- turns ----------------------------------------------------------------------------------------------------------

  /** A human prompt: queued, its turn and first step opened, claimed, and the request settled. */
  prompt(content: string | readonly Block[]): number {
    const message = this.message('user', blocksOf(content), { kind: 'user' });
    this.emit('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [message] });
    this.startTurn();
    this.emit('agent/inbox/spliced', { target: 'next-turn', start: 0, removedCount: 1, inserted: [] });
    this.wait(20).startStep();
    if (this.nodes.length === 0) this.system(this.#options.system ?? DEFAULT_SYSTEM);
    const seq = this.emit('user/message', message, { surfaceOp: 'append' });
    this.request();
    return seq;
  }

  startTurn(): this {
    this.emit('turn/start', { turn: this.turn + 1 });
    return this;
  }

  startStep(): this {
    this.emit('step/start', { turn: this.turn, step: this.step + 1 });
    return this;
  }

  endStep(): this {
    this.emit('step/end', this.address());
    return this;
  }

  endTurn(reason: SessionEventMap['turn/end']['reason'] = { kind: 'completed' }): this {
    if (this.stepOpen) this.endStep();
    this.emit('turn/end', { turn: this.turn, reason });
    return this;
  }

  address(): { turn: number; step: number } {
    return { turn: this.turn, step: this.step };
  }

  /** v3+: the system prompt as a node (the head, or a replacement of it); before, it travels in the request header. */
  system(text: string): number | undefined {
    this.#headerText = text;
    if (this.version < 3) return undefined;
    const source = this.version === 4 ? { kind: 'system-prompt' } : { kind: 'plugin', plugin: '@deepseek-ai/dsh-system-prompt' };
    const data = { ...this.address(), message: this.message('system', blocksOf(text), source) };
    const head = this.nodes[0];
    if (head === undefined) return this.emit('system/message', data, { surfaceOp: 'append' });
    return this.emit('system/message', data, { sourceEventSeqs: [head], surfaceOp: this.replaceOp(head, head) });
  }

  /** Injected context in the user role; `producer` names who made it. */
  inject(text: string, producer: string, extra: Record<string, unknown> = {}): number {
    const direct = ['session-reference', 'agent-message', 'subagent-settled', 'webhook', 'team-message'].includes(producer);
    const source = this.version === 4 || direct ? { kind: producer, ...extra } : { kind: 'plugin', plugin: producer, ...extra };
    return this.emit('user/message', this.message('user', blocksOf(text), source), { surfaceOp: 'append' });
  }

  /** The request header and route, where they differ from the last ones or the session was taken up again. */
  request(): void {
    const header = {
      config: { ...this.route(), maxTokens: 32_000, reasoningEffort: 'high' },
      adapterDefaults: { maxTokens: true as const, reasoningEffort: true as const },
      tools: this.#options.tools ?? DEFAULT_TOOLS,
      ...(this.version < 3 ? { system: this.#headerText } : {}),
    };
    const [before, now] = [this.#requestHeader, JSON.stringify(header)];
    if (before === now && !this.#resumed) return;
    this.emit('request/header', { header, reason: before === '' ? 'initial' : this.#resumed ? 'resume' : 'change' });
    this.emit('request/context', { ...this.route(), contextWindow: this.#options.contextWindow ?? 128_000 });
  }

  /** One step: an answer with calls, every call run in turn, the step closed. */
  work(spec: Omit<AnswerSpec, 'calls'> & { readonly calls: readonly CallSpec[] }): this {
    if (!this.stepOpen) this.wait(30).startStep();
    const calls = spec.calls.map((call) => ({ ...call, ...this.#named(call) }));
    this.answer({ ...spec, calls });
    for (const call of calls) this.run(call);
    return this.endStep();
  }

  /** The last step of a turn: a text answer, step and turn closed. */
  reply(text: string, spec: Omit<AnswerSpec, 'text'> = {}): this {
    if (!this.stepOpen) this.wait(30).startStep();
    this.answer({ ...spec, text });
    return this.endTurn();
  }

  /** The stream of an answer and its message. */
  answer(spec: AnswerSpec): number {
    const { content, chunks, usage } = this.#stream(spec);
    const message = this.message('assistant', content, { kind: 'model', ...this.route() });
    const data = {
      ...this.address(),
      message,
      usage,
      ...(spec.interrupted === undefined ? {} : { interrupted: spec.interrupted }),
    };
    if (this.version >= 2) {
      return this.emit('assistant/message', { ...data, stream: packStream(chunks) }, { surfaceOp: 'append' });
    }
    return this.emit('assistant/message', data, { sourceEventSeqs: this.#chunkEvents(chunks), surfaceOp: 'append' });
  }

  /** A model attempt that came to nothing. */
  failedAttempt(spec: AnswerSpec): void {
    const { chunks } = this.#stream(spec);
    if (this.version < 2) this.#chunkEvents(chunks);
    else this.emit('assistant/attempt', { ...this.address(), stream: packStream(chunks) });
  }

  retry(retry: number, delayMs: number, failure: LlmFailure, retryId: string): void {
    const where = { retryId, ...this.address() };
    this.emit('llm/retry', {
      ...where,
      provider: PROVIDER,
      mode: 'normal',
      maxRetries: 5,
      policyKey: '["normal"]',
      retry,
      delayMs,
      failure,
    });
    this.wait(delayMs).emit('llm/retry-started', { ...where, retry });
  }

  call(call: { readonly id: string; readonly name: string; readonly arguments: string }): number {
    return this.emit('tool/call', { ...this.address(), callId: call.id, name: call.name, arguments: call.arguments });
  }

  result(callId: string, callSeq: number | undefined, spec: Pick<CallSpec, 'result' | 'meta' | 'error'>): number {
    return this.emit('tool/result', this.#resultData(this.newId(), callId, spec), {
      ...(callSeq === undefined ? {} : { sourceEventSeqs: [callSeq] }),
      surfaceOp: 'append',
    });
  }

  /** Runs one advertised call from start to result. */
  run(call: CallSpec & { readonly id: string; readonly arguments: string }): number {
    const seq = this.call(call);
    call.during?.(call);
    return this.wait(call.takes ?? 180 + this.#random.below(900)).result(call.id, seq, call);
  }

  // -- context edits --------------------------------------------------------------------------------------------------

  /** Folds the surface into a summary, leaving the system head and the last `keep` nodes. Gives the seq of the replacement. */
  compact(summary: string, options: { readonly keep?: number; readonly commandId?: string } = {}): number {
    const head = this.events[this.nodes[0] ?? -1]?.type === 'system/message' ? 1 : 0;
    const shadowed = this.nodes.slice(head, this.nodes.length - (options.keep ?? 0));
    const [start, end] = [shadowed[0], shadowed.at(-1)];
    if (start === undefined || end === undefined) throw new Error('nothing to compact');
    const compactionId = this.newId();
    const own = { compactionId, ...(options.commandId === undefined ? {} : { sourceCommandId: options.commandId }) };
    const turn = this.turnOpen ? this.turn : null;
    const startSeq = this.emit('compaction/start', { ...own, turn });
    const shadowedTokenCount = shadowed.reduce((sum, seq) => sum + this.#tokensOf(seq), 0);
    const summarySeq = this.wait(6_500).emit('compaction/summary', {
      ...own,
      summary: blocksOf(summary),
      rawOutput: blocksOf(summary),
      llmStreamCall: true,
      shadowedRange: { start, end },
      shadowedSeqs: shadowed,
      shadowedTokenCount,
      ...this.route(),
      usage: { inputTokens: 1_200, outputTokens: Math.ceil(summary.length / 3), cacheReadTokens: shadowedTokenCount },
    });
    const source = this.version === 4 ? { kind: 'compact-checkpoint', ...own } : { kind: 'plugin', plugin: 'compact', ...own };
    const content = blocksOf(`The earlier part of this conversation was condensed.\n\n${summary}`);
    const seq = this.emit('user/message', this.message('user', content, source), {
      sourceEventSeqs: [startSeq, summarySeq, ...shadowed],
      surfaceOp: this.replaceOp(start, end),
    });
    this.emit('compaction/end', { ...own, turn });
    this.#requested = 0;
    return seq;
  }

  /** Shortens the stored result of a call for the model. */
  prune(resultSeq: number, text: string): number {
    const original = this.events[resultSeq];
    if (original?.type !== 'tool/result') throw new Error(`event ${String(resultSeq)} is not a tool result`);
    this.emit('compaction/prune', {
      shadowedRange: { start: resultSeq, end: resultSeq },
      shadowedSeqs: [resultSeq],
      shadowedTokenCount: this.#tokensOf(resultSeq),
    });
    const data = original.data as SessionEventMap['tool/result'];
    const shorter = { ...data, message: withContent(data.message, blocksOf(text), this.version) };
    return this.emit('tool/result', shorter, { sourceEventSeqs: [resultSeq], surfaceOp: this.replaceOp(resultSeq, resultSeq) });
  }

  replaceOp(start: number, end: number): SurfaceOp {
    return this.version < 3 ? { op: 'replace', start, end } : { op: 'replace', startSeq: start, endSeq: end };
  }

  message(role: Message['role'], content: readonly Block[], source: MessageSource): Message {
    return { id: this.newId(), role, source, content };
  }

  #tokensOf(seq: number): number {
    return this.#tokens.get(seq) ?? 0;
  }

  #named(call: CallSpec): { id: string; arguments: string } {
    this.#ids += 1;
    return {
      id: `call_${String(this.#ids).padStart(2, '0')}_${this.#random.below(16 ** 6).toString(16)}`,
      arguments: typeof call.args === 'string' ? call.args : JSON.stringify(call.args),
    };
  }

  #resultData(id: string, callId: string, spec: Pick<CallSpec, 'result' | 'meta' | 'error'>): SessionEventMap['tool/result'] {
    const isError = spec.error !== undefined;
    const content = blocksOf(spec.result);
    const source = { kind: 'tool', callId };
    const message: Message =
      this.version === 4
        ? { role: 'tool', source, toolCallId: callId, content, isError, id }
        : { role: 'user', source, content: [{ type: 'tool-result', toolCallId: callId, content, isError }], id };
    return {
      ...this.address(),
      message,
      ...(spec.error === undefined ? {} : { error: spec.error }),
      ...(spec.meta === undefined ? {} : { meta: spec.meta as NonNullable<SessionEventMap['tool/result']['meta']> }),
    };
  }

  #chunkEvents(chunks: readonly TimedChunk[]): number[] {
    const end = this.now;
    const seqs = chunks.map(({ time, chunk }) => {
      this.now = time;
      return this.emit('assistant/chunk', { ...this.address(), chunk });
    });
    this.now = Math.max(this.now, end);
    return seqs;
  }

  #stream(spec: AnswerSpec): StreamedAnswer {
    this.wait(spec.waits ?? 600 + this.#random.below(1_400));
    const context = this.contextTokens();
    const answer = streamAnswer(spec, {
      now: this.now,
      random: this.#random,
      context,
      cached: Math.min(this.#requested, context),
    });
    this.#requested = context;
    this.now = answer.end;
    return answer;
  }
}

export function headerOf(options: LogOptions): SessionHeader {
  return {
    type: 'session',
    version: options.version,
    id: options.id,
    createdAt: options.createdAt,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.parentSession === undefined ? {} : { parentSession: options.parentSession }),
    ...(options.version < 2 ? {} : { isSeeded: false }),
    ...(options.origin === undefined ? {} : { origin: options.origin }),
    delegationDepth: options.delegationDepth ?? 0,
    ...(options.agentPreset === undefined ? {} : { agentPreset: options.agentPreset }),
  };
}

/** Characters the model is sent for an event. */
function messageLength(data: unknown): number {
  const message = (data as { readonly message?: Message }).message ?? (data as Message);
  return JSON.stringify(message.content).length;
}

function isHuman(message: Message): boolean {
  return message.source.kind === 'user';
}

function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function withContent(message: Message, content: readonly Block[], version: Version): Message {
  if (version === 4) return { ...message, content };
  return { ...message, content: message.content.map((block) => ({ ...block, content }) as Block) };
}
