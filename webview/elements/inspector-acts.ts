/** What can be done from the inspector on the selected event: the commands of its menu that people look for there. */
import { html, type TemplateResult } from 'lit';
import type { EventDetail, ViewAct } from '../../src/protocol/index.ts';
import { NONE } from '../../src/timeline/index.ts';
import { t } from '../l10n/strings.ts';
import { replacementOf } from '../state/menu-of.ts';
import type { TimelineModel } from '../state/model.ts';

/** Events that stand for a request: its settings, its route, and the step it was made in. */
const OF_A_REQUEST: ReadonlySet<string> = new Set(['request/header', 'request/context', 'step/start']);

export function eventActs(model: TimelineModel, { seq, type, step, model: seen }: EventDetail): TemplateResult[] {
  const act = (name: ViewAct, label: string): TemplateResult => {
    const run = (): void => {
      model.client.call('act', { name, seq }).catch((error: unknown) => {
        model.fail(error);
      });
    };
    return html`<button class="link" @click=${run}>${label}</button>`;
  };
  // Nothing is derived, forked or played from an event of a kind that is not known on.
  if (seen.state === 'refused') return [];
  const acts = [act('forkHere', t('Fork from Here')), act('replayHere', t('Replay from Here'))];
  const entry = model.selectedEntry;
  if (model.tables && entry !== NONE && replacementOf(model.tables, entry) !== NONE) {
    acts.push(act('compareCompaction', t('Compare Before and After')));
    acts.push(act('whatWasRemoved', t('What Did This Compaction Remove?')));
  }
  if (step !== undefined && OF_A_REQUEST.has(type)) acts.push(act('compareNextRequest', t('Compare with Next Request')));
  return acts;
}
