import type { Dialect } from './dialect.ts';
import { V0_DIALECT } from './v0.ts';

/** The physical layout of v0 under another number and file name; legacy payloads are gone. */
export const V1_DIALECT: Dialect = { ...V0_DIALECT, version: 1 };
