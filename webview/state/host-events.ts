/** What the host tells the view, as acts of the model. */
import { t } from '../l10n/strings.ts';
import type { TimelineModel } from './model.ts';

export function onHostEvent(model: TimelineModel, name: string, data: unknown): void {
  const fields: Readonly<Record<string, unknown>> = typeof data === 'object' && data !== null ? { ...data } : {};
  const seq = Number.isSafeInteger(fields['seq']) ? (fields['seq'] as number) : undefined; // just checked
  if (name === 'changed') void model.load();
  else if (name === 'deleted') {
    model.fail(new Error(t('The log file is gone. What was read of it stays here until you close this editor.')));
  } else if (name === 'unreadable') {
    model.fail(new Error(t('The log changed and could not be read again. What was read before stays here.')));
  } else if (name === 'reveal' && seq !== undefined) model.reveal(seq);
  else if (name === 'replay' && seq !== undefined) void model.replay.open(seq);
  else if (name === 'parent') model.setParentTitle(typeof fields['title'] === 'string' ? fields['title'] : undefined);
  else if (name === 'command') run(model, fields['name']);
}

function run(model: TimelineModel, command: unknown): void {
  const { collapseIdle } = model.kept;
  if (command === 'expandAll') model.foldAll(false);
  else if (command === 'collapseAll') model.foldAll(true);
  else if (command === 'toggleAxis') model.setAxis(model.axis === 'time' ? 'seq' : 'time');
  else if (command === 'toggleIdle') model.setCollapseIdle(!collapseIdle);
  else if (command === 'find') model.search.open();
  else if (command === 'back' || command === 'forward') model.goSelection(command === 'back' ? -1 : 1);
}
