import type { SessionHeader } from '../events.ts';
import { isRecord, isSeq } from '../json.ts';
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

/** What is wrong with a header by the strict codec of its version, or undefined. format/on-disk.md §5. */
export function headerProblem(header: SessionHeader): Text | undefined {
  const early = header.version <= 1;
  const rules: Readonly<Record<string, HeaderRule>> = early ? EARLY : LATER;
  if (!isRecord(header)) return text('The header is not a record');
  for (const name of early ? REQUIRED : [...REQUIRED, 'isSeeded']) {
    if (!Object.hasOwn(header, name)) return text('The header lacks "{member}"', { member: name });
  }
  for (const [name, value] of Object.entries(header)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) return text('The header has the member "{member}", which its format does not know', { member: name });
    if (!rule(value)) return text('The header member "{member}" has a value its format does not allow', { member: name });
  }
  return undefined;
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
