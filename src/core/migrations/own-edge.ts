import { SessionMigrationRefusedError } from '../errors.ts';
import type { SessionHeader, StoredEvent } from '../events.ts';
import { V0ToV1 } from './v0-to-v1.ts';
import { V1ToV2 } from './v1-to-v2.ts';
import { V2ToV3 } from './v2-to-v3.ts';
import { V3ToV4 } from './v3-to-v4.ts';
import type { Edge, Sink } from './edge.ts';

const NOWHERE: Sink = () => undefined;

/**
 * Runs the edges that keep a log's own numbering of the source (v0 and v1 share one) and throws the outcome away, to learn what they
 * would refuse. Stops at the first refusal; what it makes is never looked at.
 */
export class OwnEdge {
  readonly #edges: readonly Edge[];
  #refusal: SessionMigrationRefusedError | undefined;

  constructor(header: SessionHeader) {
    this.#edges = edgesOf(header);
  }

  push(event: StoredEvent): void {
    this.#attempt(() => this.#edges[0]?.push(event));
  }

  finish(): SessionMigrationRefusedError | undefined {
    for (const edge of this.#edges) {
      this.#attempt(() => {
        edge.finish();
      });
    }
    return this.#refusal;
  }

  #attempt(run: () => void): void {
    if (this.#refusal !== undefined) return;
    try {
      run();
    } catch (error) {
      if (!(error instanceof SessionMigrationRefusedError)) throw error;
      this.#refusal = error;
    }
  }
}

function edgesOf(header: SessionHeader): Edge[] {
  switch (header.version) {
    case 0: {
      const chunks = new V1ToV2({ ...header, version: 1 }, NOWHERE);
      const legacy = new V0ToV1(header, (event) => {
        chunks.push(event);
      });
      return [legacy, chunks];
    }
    case 1:
      return [new V1ToV2(header, NOWHERE)];
    case 2:
      return [new V2ToV3(header, NOWHERE)];
    case 3:
      return [new V3ToV4(header, NOWHERE, [])];
    default:
      return [];
  }
}
