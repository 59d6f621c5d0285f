import type { Dialect } from './dialect.ts';
import { V1_DIALECT } from './v1.ts';

/** dsh 0.1.3: chunks move into the answer or attempt they belong to, and a tagged end-seed records the cut. */
export const V2_DIALECT: Dialect = { ...V1_DIALECT, version: 2, packedRows: false, embeddedStreams: true, cut: 'marker' };
