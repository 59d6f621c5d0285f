import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ImageAnswer } from '../../src/protocol/index.ts';
import { isObsolete } from '../api/session-client.ts';
import { reasonOf, say, t } from '../l10n/strings.ts';
import { icon } from '../theme/icon.ts';
import { sharedStyles } from '../theme/shared-styles.ts';

/** An image out of the attachment store. Its bytes are asked for once it is in sight; why there are none stands in its place. */
export class DshImage extends LitElement {
  static override properties = {
    attachmentId: { attribute: false },
    name: { attribute: false },
    load: { attribute: false },
    source: { state: true },
    problem: { state: true },
  };
  declare attachmentId: string;
  declare name: string;
  declare load: (id: string, signal: AbortSignal) => Promise<ImageAnswer>;
  declare source: string;
  declare problem: string;
  #asking: AbortController | undefined;
  readonly #sight = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) void this.#ask();
  });

  constructor() {
    super();
    this.source = '';
    this.problem = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#sight.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#forget();
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('attachmentId')) return;
    this.#forget();
    this.source = '';
    this.problem = '';
    this.#sight.observe(this); // tells anew whether it is in sight
  }

  #forget(): void {
    this.#sight.disconnect();
    this.#asking?.abort();
    this.#asking = undefined;
  }

  async #ask(): Promise<void> {
    this.#sight.disconnect();
    const asking = new AbortController();
    this.#asking = asking;
    try {
      const answer = await this.load(this.attachmentId, asking.signal);
      const source = 'problem' in answer ? '' : await dataUri(answer.mediaType, answer.bytes);
      if (asking.signal.aborted) return;
      this.source = source;
      if ('problem' in answer) this.problem = say(answer.problem);
    } catch (error) {
      if (asking.signal.aborted || isObsolete(error)) return;
      this.problem = t('This image could not be read: {reason}', {
        reason: reasonOf(error),
      });
    }
  }

  override render(): TemplateResult | typeof nothing {
    if (this.problem !== '') return html`<p>${icon('warning')}<span>${this.problem}</span></p>`;
    if (this.source === '') return nothing;
    return html`<img
      src=${this.source}
      alt=${this.name === '' ? t('Image without a name') : this.name}
      decoding="async"
      @error=${() => {
        this.problem = t('This image is damaged: it cannot be drawn.');
      }}
    />`;
  }

  static override styles = [
    sharedStyles,
    css`
      :host {
        display: block;
        min-width: 16px;
        min-height: 16px;
      }
      img {
        display: block;
        max-width: 100%;
        max-height: 420px;
        object-fit: contain;
      }
      p {
        display: flex;
        gap: 6px;
        margin: 0;
        overflow-wrap: anywhere;
      }
    `,
  ];
}

/** The page's policy lets images come from `data:` and from nowhere else but the extension. */
function dataUri(mediaType: string, bytes: ArrayBuffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      resolve(typeof reader.result === 'string' ? reader.result : ''); // always text, of a data URI
    };
    reader.onerror = () => {
      reject(reader.error ?? new Error(t('This image is damaged: it cannot be drawn.')));
    };
    reader.readAsDataURL(new Blob([bytes], { type: mediaType }));
  });
}

customElements.define('dsh-image', DshImage);
