import { text, type Damage, type DshOutcome, type Refusal, type Text } from '../../core/index.ts';
import type { LoadedLog } from '../loaded.ts';
import type { Lines } from './lines.ts';
import { sessionName } from './history.ts';
import type { Translate } from './message-text.ts';

/** Every departure of the file from its format: what, where, what is still readable, and what dsh does with it. */
export function addDamage(lines: Lines, loaded: LoadedLog, t: Translate): void {
  const { log } = loaded;
  lines
    .add(t(text('Damage report of {session}', { session: sessionName(loaded) })))
    .add(log.path)
    .add(t(text('readable events: {count}', { count: log.eventCount })))
    .add(t(text('not yet committed: {count}', { count: log.uncommittedEvents })));
  if (log.refusal)
    lines
      .add()
      .add(t(log.refusal.text))
      .add(t(refusedBy(log.refusal.kind)));
  lines.add();
  if (log.damage.length === 0 && !log.refusal) lines.add(t(text('No damage was found.')));
  const hasFrames = log.encoding === 'zstd';
  for (const [i, damage] of log.damage.entries()) addOne(lines, { number: i + 1, damage, hasFrames }, t);
  let salvaged = 0;
  for (const { frame, line, text: stored } of log.salvagedLines()) {
    if (salvaged++ === 0)
      lines
        .add()
        .add(t(text('Lines after the damage that can still be read; they have no seq:')))
        .add();
    const place = hasFrames ? text('frame {frame}, line {line}', { frame, line }) : text('line {line}', { line });
    lines.add(`${t(place)}: ${stored}`);
    if (!lines.complete) break;
  }
}

function refusedBy(kind: Refusal['kind']): Text {
  return kind === 'newer-format'
    ? text('A dsh that is no newer than this extension refuses to open this session.')
    : text('dsh itself refuses to open this session.');
}

interface Numbered {
  readonly number: number;
  readonly damage: Damage;
  /** Plain lines are read as one frame, which nobody else would call so. */
  readonly hasFrames: boolean;
}

function addOne(lines: Lines, { number, damage, hasFrames }: Numbered, t: Translate): void {
  const place: string[] = [];
  if (damage.byte !== undefined) place.push(t(text('byte {byte}', { byte: damage.byte })));
  if (hasFrames && damage.frame !== undefined) place.push(t(text('frame {frame}', { frame: damage.frame })));
  if (damage.line !== undefined) place.push(t(text('line {line}', { line: damage.line })));
  if (damage.seq !== undefined) place.push(`#${damage.seq}`);
  lines.add(`${number}. ${damage.kind}${place.length === 0 ? '' : ` (${place.join(', ')})`}`);
  lines.add(`   ${t(damage.text)}`);
  if (damage.isElsewhere) lines.add(`   ${t(text('This is about the sessions folder; this log itself is as it should be.'))}`);
  lines.add(`   ${t(text('dsh on listing: {outcome}', { outcome: t(outcomeText(damage.dsh.list)) }))}`);
  lines.add(`   ${t(text('dsh on opening: {outcome}', { outcome: t(outcomeText(damage.dsh.open)) }))}`);
}

function outcomeText(outcome: DshOutcome): Text {
  switch (outcome) {
    case 'accepts':
      return text('accepts it');
    case 'repairs':
      return text('repairs it');
    case 'skips':
      return text('skips the session');
    case 'refuses':
      return text('refuses the session');
    case 'breaks-root':
      return text('fails for the whole root');
  }
}
