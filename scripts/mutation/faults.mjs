/**
 * Faults the tests of the core must notice: one exact replacement each. `find` occurs once in `file`.
 * @typedef {{ readonly file: string, readonly find: string, readonly put: string, readonly what: string }} Fault
 */

/**
 * @param {string} file below src/core
 * @param {string} what
 * @param {string} find
 * @param {string} put
 * @returns {Fault}
 */
const fault = (file, what, find, put) => ({ file: `src/core/${file}`, what, find, put });

/** @type {readonly Fault[]} */
export const faults = [
  // surface
  fault(
    'surface.ts',
    'a replacement goes to the end, not to the place of its range',
    'this.#nodes.splice(at, replacement.shadowedSeqs.length, plan.seq);',
    'this.#nodes.splice(at, replacement.shadowedSeqs.length); this.#nodes.push(plan.seq);',
  ),
  fault(
    'surface.ts',
    'the end of a replaced range is exclusive',
    'this.#nodes.slice(at, last + 1)',
    'this.#nodes.slice(at, Math.max(last, at + 1))',
  ),
  fault('surface.ts', 'a range is ordered by seq, not by place', 'if (last < at)', 'if (end < start)'),
  fault('surface.ts', 'removed nodes need not be cited', 'if (missing !== undefined)', 'if (missing === -1)'),
  fault(
    'surface.ts',
    'only the ends of a range need to be cited',
    'shadowedSeqs.find((node) => !cites(node))',
    'shadowedSeqs.find((node) => (node === start || node === end) && !cites(node))',
  ),
  fault(
    'surface.ts',
    'the head may be replaced by anything',
    "return event.type !== 'system/message' || last !== 0;",
    'return false;',
  ),
  fault(
    'surface.ts',
    'a system message may replace more than the head',
    "return event.type !== 'system/message' || last !== 0;",
    "return event.type !== 'system/message';",
  ),
  fault(
    'surface.ts',
    'a first system message may come late',
    "if (event.type !== 'system/message' || first === undefined) return undefined;",
    'return undefined;',
  ),
  fault('surface.ts', 'any type may carry surface marks', 'if (marked && !opaque)', 'if (marked && opaque)'),
  fault(
    'surface.ts',
    'an ignorable event may not carry marks in v3 and later',
    'const opaque = version >= 3 && event.ignorable === true && !knownSessionEventTypes(version).has(event.type);',
    'const opaque = false;',
  ),
  fault(
    'surface.ts',
    'an extra key of a range is overlooked',
    "op['op'] !== 'replace' || Object.keys(op).length !== 3",
    "op['op'] !== 'replace'",
  ),
  fault(
    'surface.ts',
    'an empty list of sources is fine for every type',
    'if (runs.length === 0 && !isAnswer)',
    'if (runs.length < 0 && !isAnswer)',
  ),
  fault(
    'surface.ts',
    'answers may cite sources in every format',
    "if (isAnswer && dialect.answerSources === 'forbidden')",
    "if (isAnswer && dialect.answerSources === 'forbidden' && event.seq < 0)",
  ),
  fault(
    'surface.ts',
    'the content generation ignores projections',
    'return this.#replacements.length + this.#projections.length;',
    'return this.#replacements.length;',
  ),
  fault('surface.ts', 'projections later than the asked seq count', 'if (seq > atSeq) break;', ''),
  fault(
    'surface-order.ts',
    'a node shadowed later is shadowed already',
    "return shadowedBy === 0 || shadowedBy > atSeq ? 'current' : { shadowedBy };",
    "return shadowedBy === 0 ? 'current' : { shadowedBy };",
  ),
  fault(
    'surface-order.ts',
    'only the first removed node is shadowed',
    'for (const gone of removed) this.#shadowedBy[this.#indexOf(gone)] = seq;',
    'this.#shadowedBy[first] = seq;',
  ),
  fault('surface-rules.ts', 'a tool result may replace several nodes', 'if (shadowed.length !== 1)', 'if (shadowed.length < 1)'),
  fault(
    'surface-rules.ts',
    'a rewritten result may change its identity',
    'if (equalJson(withoutContent(original, dialect), withoutContent(event, dialect))) return undefined;',
    'return undefined;',
  ),
  fault(
    'projections.ts',
    'offloaded images are not counted any more',
    "if (block['type'] === 'image') images++;",
    "if (block['type'] === 'image' && block['offloaded'] !== true) images++;",
  ),
  fault(
    'derive.ts',
    'an empty answer is a message',
    "const mayBeEmpty = event.type === 'user/message' || event.type === 'tool/result';",
    "const mayBeEmpty = event.type !== 'system/message';",
  ),
  // sessions
  fault(
    'session.ts',
    'the event is published before it is in the log',
    'this.#admit(typed);\n      publisher?.committed(typed);',
    'publisher?.committed(typed);\n      this.#admit(typed);',
  ),
  fault('session.ts', 'observers may append to the session they hear', 'if (this.#appending) throw', 'if (this.seq < 0) throw'),
  fault(
    'session.ts',
    'the caller keeps a hand in the log',
    'const copy = snapshotJsonValue(data);',
    "const copy = snapshotJsonValue(data) === undefined ? undefined : (data as never as import('./json.ts').JsonValue);",
  ),
  fault(
    'session.ts',
    'messages are not rebuilt after a replacement',
    'if (contentGeneration !== this.#derivedGeneration) {',
    'if (contentGeneration < 0) {',
  ),
  fault(
    'session.ts',
    'a restored session is marked again each time',
    "} else if (last?.type !== 'session/end-seed') {",
    '} else {',
  ),
  fault(
    'store.ts',
    'a detach takes effect while an event is published',
    'if (!entry.detachRequested || entry.publishing > 0) return;',
    'if (!entry.detachRequested) return;',
  ),
  // forks
  fault(
    'fork.ts',
    'every boundary is between turns',
    'if (!edges.isOpenAt(seq)) return { legal: true, closes: false };',
    'return { legal: true, closes: false };',
  ),
  fault(
    'fork.ts',
    'the boundary event is left out',
    'const seed = events.slice(0, boundary + 1);',
    'const seed = events.slice(0, boundary);',
  ),
  fault(
    'fork.ts',
    'the marker of v4 carries the time of the fork',
    "time: dialect.openTurnFork === 'closed' ? last.time : options.now,",
    'time: options.now,',
  ),
  fault(
    'fork.ts',
    'a prefix that ends in a marker gets none in any format',
    "if (dialect.cut === 'seed-length' && last.type === 'session/end-seed') return undefined;",
    "if (last.type === 'session/end-seed') return undefined;",
  ),
  fault('fork.ts', 'the marker is never tagged', "data: dialect.cut === 'marker' ? { inherited: true } : {}", 'data: {}'),
  fault(
    'fork.ts',
    'an open turn stays open in the child',
    'if (!legality.closes) return { events: seed, cut };',
    'return { events: seed, cut };',
  ),
  fault('fork.ts', 'closers of a fork say interrupted', "cause: 'forked' }", "cause: 'interrupted' }"),
  fault('cut.ts', 'the first tagged marker is the cut', 'this.#lastTagged = event.seq;', 'this.#lastTagged ??= event.seq;'),
  fault(
    'repair.ts',
    'started and unstarted calls are told apart no more',
    'if (call !== undefined) call.started = event.seq;',
    'if (call === undefined) return;',
  ),
  fault(
    'repair.ts',
    'the not-started sentence is worded differently',
    'as started. Retry it if it is still needed.',
    'as started. Retry it if needed.',
  ),
  fault(
    'repair.ts',
    'calls of a closed step are closed again',
    "case 'step/end':\n        this.step = undefined;\n        this.#calls.clear();",
    "case 'step/end':\n        this.step = undefined;",
  ),
  // codecs
  fault('codec/chunk-rows.ts', 'two deltas are packed already', 'const MIN_RUN = 3;', 'const MIN_RUN = 2;'),
  fault(
    'codec/chunk-rows.ts',
    'ignorable chunks are packed',
    "!hasExactly(event, ['type', 'seq', 'time', 'data'])",
    'Object.keys(event).length < 4',
  ),
  fault(
    'codec/chunk-rows.ts',
    'packed lines are read in every format',
    "if (version >= 2) return 'packed lines ended with format 1';",
    '',
  ),
  fault(
    'codec/chunk-runs.ts',
    'a tool name may come and go within a run',
    '&& a.name === b.name',
    '&& (a.name ?? b.name) === (b.name ?? a.name)',
  ),
  fault(
    'codec/chunk-runs.ts',
    'time steps may be one too many',
    'dt.length !== members.length - 1',
    'dt.length < members.length - 1',
  ),
  fault(
    'codec/stream-records.ts',
    'deltas without a call id are packed',
    "|| delta.id === '' || delta.name === ''",
    "|| delta.name === ''",
  ),
  fault(
    'codec/stream-records.ts',
    'times restart at every member',
    'if (k > 0) time += run.dt[k - 1] ?? 0;',
    'time = run.time0 + (run.dt[k - 1] ?? 0);',
  ),
  fault('codec/source-ranges.ts', 'two neighbours make a range', 'const MIN_RUN = 3;', 'const MIN_RUN = 2;'),
  fault(
    'codec/source-ranges.ts',
    'unsorted lists are coded too',
    'if ((seqs[i] ?? 0) <= (seqs[i - 1] ?? 0)) return [...seqs];',
    'if ((seqs[i] ?? 0) === (seqs[i - 1] ?? 0)) return [...seqs];',
  ),
  fault(
    'codec/source-ranges.ts',
    'a source may be the event itself',
    '>= ownSeq) return undefined;',
    '> ownSeq) return undefined;',
  ),
  fault(
    'json.ts',
    'negative zero is lossless',
    'return Number.isFinite(value) && !Object.is(value, -0) ? null : undefined;',
    'return Number.isFinite(value) ? null : undefined;',
  ),
  // gates
  fault(
    'dialects/gates.ts',
    'any truthy mark makes an event ignorable',
    'if (ignorable === true ||',
    'if (Boolean(ignorable) ||',
  ),
  fault(
    'dialects/gates.ts',
    'v2 still knows assistant/chunk',
    "['assistant/chunk'], ['assistant/attempt'",
    "[], ['assistant/attempt'",
  ),
  fault(
    'dialects/gates.ts',
    'the direction of a refusal is turned',
    'if (version > SESSION_FORMAT_VERSION) {',
    'if (version < SESSION_FORMAT_VERSION) {',
  ),
  fault(
    'dialects/gates.ts',
    'legacy names pass in every format',
    'return version === 0 && LEGACY_V0_TYPES.has(type);',
    'return LEGACY_V0_TYPES.has(type);',
  ),
  // migrations
  fault(
    'migrations/v0-to-v1.ts',
    'an ignorable unknown type is migrated',
    'if (knownSessionEventTypes(version).has(type) || (version === 0',
    'if (event.ignorable === true || knownSessionEventTypes(version).has(type) || (version === 0',
  ),
  fault(
    'migrations/v1-to-v2.ts',
    'a settled attempt takes the time of what settles it',
    'seq: origin, time: last.time, data }',
    'seq: origin, time: this.#lastTime, data }',
  ),
  fault(
    'migrations/v1-to-v2.ts',
    'a finish does not end an attempt',
    "attempt.finished = isRecord(chunk) && chunk['type'] === 'finish';",
    'attempt.finished = false;',
  ),
  fault(
    'migrations/v1-to-v2.ts',
    'the cut at the end of the log gets no marker',
    'if (this.#cut !== this.#sourceCount) return;',
    'if (this.#cut !== -1) return;',
  ),
  fault(
    'migrations/v1-to-v2.ts',
    'answers keep their sources',
    'const { sourceEventSeqs: _dropped, ...envelope } = event;',
    'const envelope = event;',
  ),
  fault(
    'migrations/v1-to-v2.ts',
    'an attempt may cross the cut',
    'if (attempt.crossedCut) refuse(1',
    'if (attempt.crossedCut && seq < 0) refuse(1',
  ),
  fault(
    'migrations/v2-to-v3.ts',
    'a system node is inserted at every step',
    "if (this.#head === undefined) this.#insertPrompt(event, 'append');",
    "this.#insertPrompt(event, 'append');",
  ),
  fault(
    'migrations/v2-to-v3.ts',
    'empty tool lists are kept',
    'Array.isArray(tools) && tools.length === 0 ? withoutTools : rest',
    'Array.isArray(tools) && tools.length < 0 ? withoutTools : rest',
  ),
  fault(
    'migrations/v2-to-v3.ts',
    'the generated id depends on the target seq',
    'this.#sessionId, anchor.seq, anchor.type]',
    'this.#sessionId, this.#next, anchor.type]',
  ),
  fault(
    'migrations/v3-to-v4.ts',
    'an ignorable unknown type keeps its name',
    '{ ...event, type: `plugin:${type}` }',
    '{ ...event }',
  ),
  fault('migrations/v3-to-v4.ts', 'catalog rows of ancestors count', 'this.#catalog.cut();', ''),
  fault(
    'migrations/v4-messages.ts',
    'the prompt plugin is a system prompt in every role',
    "return role === 'system' ? 'system-prompt' : 'runtime-context';",
    "return 'system-prompt';",
  ),
  fault(
    'migrations/v4-messages.ts',
    'the error mark of a result is lost',
    "if (Object.hasOwn(wrapper, 'isError')) moved['isError'] = wrapper['isError'];",
    '',
  ),
  fault(
    'migrations/interrupted-turn.ts',
    'a turn left open stays open',
    "typeof left === 'number' ? left : undefined",
    "typeof left === 'string' ? left : undefined",
  ),
  fault(
    'migrations/remap.ts',
    'titles point at old seqs',
    "case 'session/title':\n    case 'session/title-llm-request':\n      return moveLists(data, ['messageSeqs'], move);",
    "case 'session/title':\n    case 'session/title-llm-request':\n      return data;",
  ),
  fault(
    'migrations/remap.ts',
    'the shadowed range points at old seqs',
    "{ ...moved, shadowedRange: moveMembers(shadowedRange, ['start', 'end'], move) }",
    'moved',
  ),
];
