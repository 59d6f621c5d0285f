/** What the tree says of a session, before translation: badges, the sign in front of it, tooltip lines. */
import { type Damage, type DshOutcome, plainLine, text, type Text } from '../../core/index.ts';
import type { SessionItem } from '../../protocol/index.ts';
import { absoluteTime, byteSize, grouped } from './formats.ts';
import type { ForestSession } from './session-forest.ts';
import { lastSegment } from './path-rules.ts';

/**
 * How badly a file is off: `damaged` if dsh would leave it out or refuse it, `tail` if dsh opens it after repairing its
 * end (normal while somebody writes), `remarks` if dsh does not mind.
 */
export type Health = 'fine' | 'remarks' | 'tail' | 'damaged';

export function healthOf(damage: readonly Damage[]): Health {
  const bad = (outcome: DshOutcome): boolean => outcome === 'skips' || outcome === 'refuses' || outcome === 'breaks-root';
  if (damage.some(({ dsh }) => bad(dsh.list) || bad(dsh.open))) return 'damaged';
  if (damage.some(({ dsh }) => dsh.list === 'repairs' || dsh.open === 'repairs')) return 'tail';
  return damage.length > 0 ? 'remarks' : 'fine';
}

export type SessionSign = 'unreadable' | 'newer' | 'damaged' | 'live' | 'subagent' | 'fork' | 'empty' | 'session';

/** The one sign in front of a session; everything it stands for is also said in words. */
export function signOf(item: SessionItem, isLive: boolean): SessionSign {
  if (item.refusal?.kind === 'no-header') return 'unreadable';
  if (item.refusal) return 'newer';
  if (healthOf(item.damage) === 'damaged') return 'damaged';
  if (isLive) return 'live';
  if (item.origin === 'subagent') return 'subagent';
  if (item.parentSession !== undefined) return 'fork';
  return item.isEmpty ? 'empty' : 'session';
}

/** Title, else id, else the name of the directory: never nothing. At most `max` UTF-16 units. */
export function sessionLabel(item: SessionItem, max = 120): string {
  const label = plainLine(item.title ?? '', max) || plainLine(item.id ?? '', max);
  return label || plainLine(lastSegment(item.path.replace(/[/\\][^/\\]*$/, '')), max) || item.path;
}

/**
 * What a row of the tree is called. A fork without a title or prompt of its own is called after its parent, and told from it and from its
 * siblings by the point it was made at.
 */
export function rowLabel({ item, origin }: ForestSession, max: number): string {
  const label = sessionLabel(item, max);
  const { cut } = item;
  if (origin === undefined || cut === undefined || cut === 0 || item.origin === 'subagent') return label;
  const parent = sessionLabel(origin.item, max);
  return item.titleIsInherited || label === parent ? `#${cut - 1} · ${parent}` : label;
}

/** Enough of an id to tell it from others at a glance: the first part of dsh's `session-<uuid>`, any other whole. */
export function shortId(id: string): string {
  const uuid = /^(?:session-)?([0-9a-f]{8})-[0-9a-f]{4}-/.exec(id);
  return uuid?.[1] ?? plainLine(id, 24);
}

/** What is wrong with a session, in words; shown first, since a narrow view cuts the end. */
export function alarmsOf({ item, isDuplicate }: ForestSession): Text[] {
  const alarms: Text[] = [];
  if (item.refusal?.kind === 'newer-format') alarms.push(text('newer format'));
  else if (item.refusal?.kind === 'unknown-event') alarms.push(text('unknown event'));
  else if (item.refusal?.kind === 'no-header') alarms.push(text('unreadable'));
  if (healthOf(item.damage) === 'damaged' && item.refusal?.kind !== 'no-header') alarms.push(damagedBadge(item.damage));
  if (isDuplicate) alarms.push(text('id used twice'));
  return alarms;
}

/** Everything else a row says behind title and time; strings are content. */
export function badgesOf(session: ForestSession, isLive: boolean, locale: string): (Text | string)[] {
  const { item } = session;
  const badges: (Text | string)[] = [];
  if (isLive) badges.push(text('live'));
  if (session.isNamesake && item.id !== undefined) badges.push(shortId(item.id));
  if (item.origin === 'subagent') badges.push(text('subagent'));
  else if (item.parentSession !== undefined) badges.push(forkBadge(item));
  if (item.turns === undefined && item.isEmpty) badges.push(text('empty'));
  else if (item.turns !== undefined) badges.push(turnCount(item, locale));
  const health = healthOf(item.damage);
  if (health === 'tail' && !isLive) badges.push(text('unfinished tail'));
  else if (health === 'remarks') badges.push(text('remarks'));
  if (session.isPinned) badges.push(text('pinned'));
  if (session.isHidden) badges.push(text('hidden'));
  return badges;
}

/** A fork is called like its parent until it gets a title of its own: the point tells siblings apart. */
function forkBadge({ cut }: SessionItem): Text {
  return cut === undefined || cut === 0 ? text('fork') : text('fork at #{seq}', { seq: cut - 1 });
}

function turnCount(item: SessionItem, locale: string): Text {
  if (item.isEmpty || item.turns === 0) return text('empty');
  return item.turns === 1 ? text('1 turn') : text('{n} turns', { n: grouped(item.turns ?? 0, locale) });
}

function damagedBadge(damage: readonly Damage[]): Text {
  const placed = damage.find(({ seq }) => seq !== undefined);
  return placed?.seq === undefined ? text('damaged') : text('damaged at #{seq}', { seq: placed.seq });
}

const damageLines = 5;

/** Tooltip, one entry a line; strings are content or paths. Shown as plain text, so nothing in it can act. */
export function tooltipOf(session: ForestSession, isLive: boolean, locale: string): (Text | string)[] {
  const { item } = session;
  const lines: (Text | string)[] = [plainLine(item.title ?? '', 300) || sessionLabel(item)];
  if (item.lastActivity !== undefined)
    lines.push(text('Last activity: {time}', { time: absoluteTime(item.lastActivity, locale) }));
  if (item.createdAt !== undefined) lines.push(text('Created: {time}', { time: absoluteTime(item.createdAt, locale) }));
  if (isLive) lines.push(text('Live: the log has grown within the last minute'));
  if (item.turns !== undefined && item.turns > 0) lines.push(turnCount(item, locale));
  else if (item.isEmpty) lines.push(text('No turn yet'));
  lines.push(formatLine(item, locale));
  lines.push(item.cwd === undefined ? text('No project folder') : text('Project: {path}', { path: plainLine(item.cwd, 400) }));
  lines.push(text('Log: {path}', { path: plainLine(item.path, 600) }));
  if (item.id !== undefined) lines.push(text('Id: {id}', { id: plainLine(item.id, 200) }));
  if (item.agentPreset !== undefined) lines.push(text('Agent preset: {name}', { name: plainLine(item.agentPreset, 120) }));
  lines.push(...lineage(session));
  if (session.isDuplicate) lines.push(text('Another log of this root has the same id'));
  if (item.olderCopies.length > 0) lines.push(text('Older copies beside it: {n}', { n: item.olderCopies.length }));
  if (item.refusal) lines.push(item.refusal.text);
  for (const damage of item.damage.slice(0, damageLines)) lines.push(damage.text, ...dshSays(damage));
  if (item.damage.length > damageLines)
    lines.push(text('… and {n} more; see the damage report', { n: item.damage.length - damageLines }));
  return lines;
}

function formatLine(item: SessionItem, locale: string): Text {
  const size = byteSize(item.size, locale);
  if (item.version === undefined) return text('Unknown format · {size}', { size });
  return item.encoding === 'none'
    ? text('Format v{version} · uncompressed · {size}', { version: item.version, size })
    : text('Format v{version} · zstd · {size}', { version: item.version, size });
}

function lineage({ item, origin }: ForestSession): Text[] {
  if (item.parentSession === undefined) return [];
  const name = origin ? sessionLabel(origin.item) : plainLine(item.parentSession, 120);
  if (!origin) {
    return item.origin === 'subagent'
      ? [text('Subagent of {name}, which is not in this root', { name })]
      : [text('Fork of {name}, which is not in this root', { name })];
  }
  if (item.origin === 'subagent') return [text('Subagent of “{name}”', { name })];
  const { cut } = item;
  return [
    cut === undefined || cut === 0
      ? text('Fork of “{name}”', { name })
      : text('Fork of “{name}” at #{seq}', { name, seq: cut - 1 }),
  ];
}

/** A log that keeps dsh from listing the whole root, and why. */
export interface RootProblem {
  readonly item: SessionItem;
  readonly damage: Damage;
}

/** Every such log of a listing, each once. */
export function rootProblemsOf(items: readonly SessionItem[]): RootProblem[] {
  return items.flatMap((item) => {
    const damage = item.damage.find(({ dsh }) => dsh.list === 'breaks-root');
    return damage ? [{ item, damage }] : [];
  });
}

/** What dsh itself makes of a damage, in words; nothing where it does not mind. */
export function dshSays({ dsh }: Damage): Text[] {
  const said: Text[] = [];
  if (dsh.list === 'repairs') said.push(text('dsh lists it without its unfinished end'));
  else if (dsh.list === 'skips') said.push(text('dsh leaves it out of its list'));
  else if (dsh.list === 'refuses') said.push(text('dsh cannot list it'));
  else if (dsh.list === 'breaks-root') said.push(text('While this file is here, dsh cannot list any session of this root'));
  if (dsh.open === 'repairs') said.push(text('dsh opens it after repairing its end'));
  else if (dsh.open === 'skips') said.push(text('dsh does not find it'));
  else if (dsh.open === 'refuses') said.push(text('dsh refuses to open it'));
  else if (dsh.open === 'breaks-root') said.push(text('While this file is here, dsh cannot open any session of this root'));
  return said;
}
