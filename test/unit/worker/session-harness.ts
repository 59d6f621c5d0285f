import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { english, type Text } from '../../../src/core/index.ts';
import {
  Transfer,
  type ArgsOf,
  type RowText,
  type Section,
  type SessionMethods,
  type ValueOf,
} from '../../../src/protocol/index.ts';
import { openSession } from '../../../src/storage/index.ts';
import { createSessionService, type SessionServiceOptions } from '../../../src/worker/session-service.ts';
import type { LogBuilder } from '../../support/log-builder.ts';
import { logBytes } from '../../support/write-log.ts';

export type Call = <K extends keyof SessionMethods>(
  method: K,
  args: ArgsOf<SessionMethods[K]>,
  signal?: AbortSignal,
) => Promise<ValueOf<SessionMethods[K]>>;

/** A session service without a worker; calls are checked as they would be on arrival. */
export function openService(
  path: string,
  options: Partial<SessionServiceOptions> = {},
): { call: Call; dispose: () => Promise<void> } {
  const session = createSessionService(path, {
    open: (file, how) => openSession(file, { ...how, placement: false }),
    ...options,
  });
  const call: Call = async (method, args, signal = new AbortController().signal) => {
    const { check, run } = session.service[method];
    const checked = check(args);
    if (checked === undefined) throw new Error(`${method} refuses ${JSON.stringify(args)}`);
    const value = await run(checked, signal);
    return value instanceof Transfer ? value.value : value;
  };
  return { call, dispose: () => session.dispose() };
}

/** Writes a built log as one file and gives its path. */
export async function writeBuilt(folder: string, log: LogBuilder): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, log.version === 0 ? 'session.jsonl.zstd' : `session.v${log.version}.jsonl.zstd`);
  writeFileSync(path, await logBytes(log.header, log.events));
  return path;
}

const said = (value: Text | string | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : english(value);

export const rowSaid = ({ title, detail, note }: RowText): string =>
  [said(title), said(detail), said(note)].join(' | ').replace(/( \| )+$/, '');

/** A section as one line of text, for comparing. */
export function sectionSaid(section: Section): string {
  const heading = 'heading' in section && section.heading ? `${said(section.heading)}: ` : '';
  switch (section.kind) {
    case 'facts':
      return heading + section.facts.map(({ name, value }) => `${said(name)}=${said(value)}`).join(', ');
    case 'links':
      return heading + section.links.map(({ seq, title }) => `#${seq} ${said(title)}`).join(', ');
    case 'note':
      return `${section.tone}: ${said(section.text)}`;
    case 'diff':
      return `${heading}${section.path ?? ''}: ${section.before} => ${section.after}`;
    case 'checklist':
      return heading + section.items.map((item) => `${item.state} ${item.text}`).join(', ');
    case 'image':
      return `${heading}${section.attachmentId} ${section.width}x${section.height}${section.offloaded ? ' offloaded' : ''}`;
    default:
      return heading + section.text;
  }
}
