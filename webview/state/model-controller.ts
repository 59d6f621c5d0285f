import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { TimelineModel, Topic } from './model.ts';

/** Re-renders an element, or calls it, when the model says something it is interested in. */
export class ModelController implements ReactiveController {
  readonly #host: ReactiveControllerHost & { readonly model: TimelineModel };
  readonly #topics: ReadonlySet<Topic>;
  readonly #onChange: ((topic: Topic) => void) | undefined;
  #stop: (() => void) | undefined;

  constructor(
    host: ReactiveControllerHost & { readonly model: TimelineModel },
    topics: readonly Topic[],
    onChange?: (topic: Topic) => void,
  ) {
    this.#host = host;
    this.#topics = new Set(topics);
    this.#onChange = onChange;
    host.addController(this);
  }

  hostConnected(): void {
    this.#stop = this.#host.model.subscribe((topic) => {
      if (!this.#topics.has(topic)) return;
      if (this.#onChange) this.#onChange(topic);
      else this.#host.requestUpdate();
    });
  }

  hostDisconnected(): void {
    this.#stop?.();
  }
}
