import { text, wordOf } from '../../core/index.ts';
import { ENTRY_FLAG, fields, messageOf, NONE } from '../../timeline/index.ts';
import { turnReason } from '../labels/outcomes.ts';
import { seedTitle } from '../labels/seed.ts';
import { keyArgument } from '../labels/tool-call.ts';
import { isCheckpoint, line } from '../labels/words.ts';
import type { LoadedLog } from '../loaded.ts';
import { sessionName } from './history.ts';
import type { Lines } from './lines.ts';
import { addMessage, type Translate } from './message-text.ts';

/**
 * What people read: appended messages in log order, never removed by later replacements, a marker where context was
 * compacted, calls, retries and the ends of turns. format/surface.md §8.
 */
export function addTranscript(lines: Lines, loaded: LoadedLog, t: Translate): void {
  lines.add(t(text('Transcript of {session}', { session: sessionName(loaded) }))).add();
  const { length, columns } = loaded.timeline.tables.entries;
  for (let entry = 0; entry < length && lines.complete; entry++) {
    const flags = columns.flags[entry] ?? 0;
    if (flags & ENTRY_FLAG.streamed) continue;
    const event = loaded.event(columns.seq[entry] ?? NONE);
    if (!event) continue;
    const data = fields(event.data);
    switch (event.type) {
      case 'turn/start':
        lines.add(`──── ${t(text('turn {turn}', { turn: wordOf(data['turn']) }))} ────`).add();
        break;
      case 'turn/end':
        lines.add(`──── ${t(text('turn {turn}', { turn: wordOf(data['turn']) }))}: ${t(turnReason(data['reason']))} ────`).add();
        break;
      case 'tool/call':
        lines.add(`#${event.seq} → ${line(data['name'], 80)}: ${keyArgument(line(data['name'], 80), data['arguments'])}`).add();
        break;
      case 'llm/retry':
        lines.add(`#${event.seq} ${t(text('a retry was scheduled'))}`).add();
        break;
      case 'session/end-seed':
        lines.add(`──── #${event.seq} ${t(seedTitle(event, loaded.cut))} ────`).add();
        break;
      case 'user/message':
      case 'assistant/message':
      case 'tool/result':
      case 'system/message':
      case 'developer/message':
        if (flags & ENTRY_FLAG.replace) {
          if (isCheckpoint(messageOf(event.type, event.data)['source']))
            lines.add(`──── #${event.seq} ${t(text('earlier context was compacted'))} ────`).add();
        } else addMessage(lines, event.seq, messageOf(event.type, event.data), t);
        break;
      default:
    }
  }
}
