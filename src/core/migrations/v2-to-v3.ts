import type { SessionHeader, StoredEvent, SurfaceOp } from '../events.ts';
import { rawMessageOf } from '../derive.ts';
import { isRecord, isSeq, type UnknownRecord } from '../json.ts';
import { sha256Hex } from '../sha256.ts';
import { text } from '../text.ts';
import { SeqMap, refuse, type Edge, type Sink } from './edge.ts';
import { migratedHeader } from './header.ts';
import { isCanonicalRepairId } from './repair-ids.ts';
import { remapReferences } from './remap.ts';

const GENERATED = 'v2-to-v3-system-';
const PROMPT_PLUGIN = '@deepseek-ai/dsh-system-prompt';

const RENAMED: Readonly<Record<string, string>> = {
  'tool/code-dispatch-start': 'tool/ptc-dispatch-start',
  'tool/code-dispatch': 'tool/ptc-dispatch',
};

const SURFACE: ReadonlySet<string> = new Set(['user/message', 'assistant/message', 'tool/result']);

/** v2 → v3: the system prompt becomes a node of the surface. format/migrations.md §3. */
export class V2ToV3 implements Edge {
  readonly from = 2;
  readonly header: SessionHeader;
  readonly seqs = new SeqMap();
  readonly #sink: Sink;
  readonly #sessionId: string;
  readonly #generated = new Set<string>();
  /** Ids of the log that look like generated ones, with their seqs. */
  readonly #lookalikes = new Map<string, number>();
  #next = 0;
  #turn: unknown;
  #step: unknown;
  /** Seq of the system node in the target; undefined before the first step. */
  #head: number | undefined;
  #prompt = '';
  #cut: number | undefined;

  constructor(header: SessionHeader, sink: Sink) {
    this.#sink = sink;
    this.#sessionId = header.id;
    this.header = migratedHeader(header);
  }

  get inheritedEventCount(): number {
    return this.#cut ?? 0;
  }

  push(event: StoredEvent): void {
    const { type } = event;
    if (SURFACE.has(type)) this.#surface(event);
    this.#checkIds(event);
    const data = isRecord(event.data) ? event.data : {};
    switch (type) {
      case 'step/start':
        this.#turn = data['turn'];
        this.#step = data['step'];
        this.#write(event);
        if (this.#head === undefined) this.#insertPrompt(event, 'append');
        return;
      case 'step/end':
      case 'turn/end':
        this.#step = undefined;
        this.#write(event);
        return;
      case 'request/header':
        this.#requestHeader(event, data);
        return;
      case 'session/end-seed':
        if (data['inherited'] === true) this.#cut = this.#next;
        this.#write(event);
        return;
      case 'agent-preset/selected':
        this.#write(data['agentPreset'] === 'code' ? { ...event, data: { ...data, agentPreset: 'ptc' } } : event);
        return;
      default:
        this.#write(withRenamedSources({ ...event, type: RENAMED[type] ?? type }));
    }
  }

  finish(): void {
    // Nothing is held back on this edge.
  }

  #surface(event: StoredEvent): void {
    const { type, seq } = event;
    if (this.#head === undefined) {
      refuse(2, seq, text('{type} at #{seq} comes before the first step, so no system prompt can precede it', { type, seq }));
    }
    if (type === 'assistant/message' && event.sourceEventSeqs !== undefined) {
      refuse(2, seq, text('The answer at #{seq} still cites sources', { seq }));
    }
    if (type === 'tool/result' && !isCanonicalRepairId(event)) {
      refuse(2, seq, text('The repaired tool result at #{seq} has an id that no repair makes', { seq }));
    }
  }

  #checkIds(event: StoredEvent): void {
    const id = rawMessageOf(event)?.['id'];
    if (typeof id !== 'string' || !id.startsWith(GENERATED)) return;
    this.#lookalikes.set(id, event.seq);
    if (this.#generated.has(id)) this.#collision(event.seq);
  }

  #collision(seq: number): never {
    return refuse(2, seq, text('The message at #{seq} has the id that the migration makes for a system prompt', { seq }));
  }

  #requestHeader(event: StoredEvent, data: UnknownRecord): void {
    const header = isRecord(data['header']) ? data['header'] : {};
    const prompt = typeof header['system'] === 'string' ? header['system'] : '';
    if (prompt !== this.#prompt) {
      if (this.#head === undefined || this.#step === undefined) {
        refuse(2, event.seq, text('The request header at #{seq} changes the system prompt outside a step', { seq: event.seq }));
      }
      this.#prompt = prompt;
      this.#insertPrompt(event, { op: 'replace', startSeq: this.#head, endSeq: this.#head });
    }
    this.#write({ ...event, data: { ...data, header: withoutRetired(header) } });
  }

  #insertPrompt(anchor: StoredEvent, surfaceOp: SurfaceOp): void {
    const key = JSON.stringify(['session-format-v2-to-v3', this.#sessionId, anchor.seq, anchor.type]);
    const id = `${GENERATED}${sha256Hex(key)}`;
    this.#generated.add(id);
    const taken = this.#lookalikes.get(id);
    if (taken !== undefined) this.#collision(taken);
    const message = {
      id,
      role: 'system',
      source: { kind: 'plugin', plugin: PROMPT_PLUGIN },
      content: this.#prompt === '' ? [] : [{ type: 'text', text: this.#prompt }],
    };
    const head = this.#head;
    this.#head = this.#next;
    const seq = this.#next++;
    const data = { turn: this.#turn, step: this.#step, message };
    const sources = head === undefined ? {} : { sourceEventSeqs: [head] };
    this.#sink({ type: 'system/message', seq, time: anchor.time, data, surfaceOp, ...sources }, anchor.seq);
  }

  #write(event: StoredEvent): void {
    const moved = withRangeSpelling(remapReferences(event, this.seqs, 2));
    const seq = this.#next++;
    this.seqs.set(event.seq, seq);
    this.#sink(moved.seq === seq ? moved : { ...moved, seq }, event.seq);
  }
}

/** `system` moved to the surface; empty lists are left out from v3 on. */
function withoutRetired(header: UnknownRecord): UnknownRecord {
  const { system: _moved, ...rest } = header;
  const { tools, adapterDefaults } = rest;
  const { tools: _tools, ...withoutTools } = rest;
  const kept: UnknownRecord = Array.isArray(tools) && tools.length === 0 ? withoutTools : rest;
  if (!isRecord(adapterDefaults) || Object.keys(adapterDefaults).length > 0) return kept;
  const { adapterDefaults: _defaults, ...withoutDefaults } = kept;
  return withoutDefaults;
}

function withRangeSpelling(event: StoredEvent): StoredEvent {
  const op: unknown = event.surfaceOp;
  if (!isRecord(op) || !isSeq(op['start']) || !isSeq(op['end'])) return event;
  const { start, end, ...rest } = op;
  return { ...event, surfaceOp: { ...rest, op: 'replace', startSeq: start, endSeq: end } };
}

/** The plugin that ran code tools changed its name. */
function withRenamedSources(event: StoredEvent): StoredEvent {
  const { data, type } = event;
  if (!isRecord(data)) return event;
  switch (type) {
    case 'user/message':
      return { ...event, data: renamedMessage(data) };
    case 'assistant/message':
    case 'tool/result':
      return isRecord(data['message']) ? { ...event, data: { ...data, message: renamedMessage(data['message']) } } : event;
    case 'agent/inbox/spliced':
      return { ...event, data: renamedList(data, 'inserted') };
    case 'session/title-llm-request':
      return { ...event, data: renamedList(data, 'messages') };
    default:
      return event;
  }
}

function renamedList(data: UnknownRecord, name: string): UnknownRecord {
  const list = data[name];
  if (!Array.isArray(list)) return data;
  return { ...data, [name]: (list as unknown[]).map((message) => (isRecord(message) ? renamedMessage(message) : message)) };
}

function renamedMessage(message: UnknownRecord): UnknownRecord {
  const { source } = message;
  if (!isRecord(source) || source['kind'] !== 'plugin' || source['plugin'] !== 'tools-code-mode') return message;
  return { ...message, source: { ...source, plugin: 'tools-ptc' } };
}
