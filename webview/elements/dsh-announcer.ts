import { html, LitElement, type TemplateResult } from 'lit';
import { say, t } from '../l10n/strings.ts';
import { ModelController } from '../state/model-controller.ts';
import type { TimelineModel } from '../state/model.ts';
import { sharedStyles } from '../theme/shared-styles.ts';

/**
 * The live region. The list speaks for itself while it has the focus; only a selection made elsewhere, and problems, are
 * announced. While a replay plays it is still: it says where the playhead came to rest.
 */
export class DshAnnouncer extends LitElement {
  static override properties = { model: { attribute: false }, message: { state: true } };
  declare model: TimelineModel;
  declare message: string;
  #wasPlaying = false;

  constructor() {
    super();
    this.message = '';
    new ModelController(this, ['detail', 'problem', 'search', 'playhead'], (topic) => {
      const { detail, problem, search, replay } = this.model;
      const hasStopped = this.#wasPlaying && !replay.isPlaying;
      this.#wasPlaying = replay.isPlaying;
      if (topic === 'problem' && problem) this.message = problem;
      else if (topic === 'search' && search.query !== '' && !search.isRunning) {
        this.message = search.total === 1 ? t('1 match') : t('{count} matches', { count: search.total });
      } else if ((topic === 'detail' || hasStopped) && !replay.isPlaying && detail?.value && !this.#listHasFocus()) {
        this.message = t('Selected #{seq}: {title}', { seq: detail.seq, title: say(detail.value.row.title) });
      }
    });
  }

  #listHasFocus(): boolean {
    const root = this.getRootNode();
    return root instanceof ShadowRoot && root.activeElement?.localName === 'dsh-list';
  }

  override render(): TemplateResult {
    return html`<div class="sr" role="status" aria-live="polite">${this.message}</div>`;
  }

  static override styles = sharedStyles;
}

customElements.define('dsh-announcer', DshAnnouncer);
