import type { SessionHeader } from '../events.ts';
import { isSeq } from '../json.ts';
import { text, type Text } from '../text.ts';

type HeaderRule = (value: unknown) => boolean;

const string: HeaderRule = (value) => typeof value === 'string';

const COMMON: Readonly<Record<string, HeaderRule>> = {
  type: (value) => value === 'session',
  version: isSeq,
  id: string,
  createdAt: isSeq,
  // Whether a path is absolute depends on the platform that opens the log; either kind passes.
  cwd: (value) => typeof value === 'string' && /^(?:\/|\\|[A-Za-z]:[\\/])/.test(value),
  parentSession: string,
  origin: (value) => value === 'subagent',
  delegationDepth: isSeq,
  agentPreset: string,
};

const EARLY = { ...COMMON, seedLength: isSeq };
const LATER = { ...COMMON, isSeeded: (value: unknown) => typeof value === 'boolean' };
/** `delegationDepth` may be absent in memory, where it means 0. */
const REQUIRED = ['type', 'version', 'id', 'createdAt'];

/** One fault of a header. `toleratedOnOpen`: only the strict codecs of the migrations mind. */
export interface HeaderProblem {
  readonly text: Text;
  readonly toleratedOnOpen: boolean;
}

/** Members every release since they were retired refuses. */
const RETIRED: ReadonlySet<string> = new Set(['sandboxMode', 'approvalPolicy']);

/** What is wrong with a header by the strict codec of its version (0–4). format/on-disk.md §5. */
export function headerProblems(header: SessionHeader): HeaderProblem[] {
  const early = header.version <= 1;
  const rules: Readonly<Record<string, HeaderRule>> = early ? EARLY : LATER;
  const problems: HeaderProblem[] = [];
  const note = (sentence: Text, toleratedOnOpen = false): void => {
    problems.push({ text: sentence, toleratedOnOpen });
  };
  for (const name of early ? REQUIRED : [...REQUIRED, 'isSeeded']) {
    if (!Object.hasOwn(header, name)) note(text('The header lacks "{member}"', { member: name }));
  }
  for (const [name, value] of Object.entries(header)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      const tolerated = header.version === 0 && !RETIRED.has(name);
      note(text('The header has the member "{member}", which its format does not know', { member: name }), tolerated);
    } else if (!rule(value)) note(text('The header member "{member}" has a value its format does not allow', { member: name }));
  }
  return problems;
}

/** The header of the next version, members in the order writers use. format/migrations.md §1–§4. */
export function migratedHeader(header: SessionHeader): SessionHeader {
  const version = header.version + 1;
  const { cwd, parentSession, seedLength, isSeeded, origin, agentPreset } = header;
  const preset = version === 3 && agentPreset === 'code' ? 'ptc' : agentPreset;
  return {
    type: 'session',
    version,
    id: header.id,
    createdAt: header.createdAt,
    ...(cwd === undefined ? {} : { cwd }),
    ...(parentSession === undefined ? {} : { parentSession }),
    ...(version > 1 || seedLength === undefined ? {} : { seedLength }),
    ...(version < 2 ? {} : { isSeeded: version === 2 ? seedLength !== undefined : isSeeded === true }),
    ...(origin === undefined ? {} : { origin }),
    delegationDepth: header.delegationDepth ?? 0,
    ...(preset === undefined ? {} : { agentPreset: preset }),
  };
}
