import { isRecord } from '../core/index.ts';

/** Levels kept of a value that is nested too deeply to be written as a whole. */
const DEPTH = 100;

/**
 * A value of a log as JSON text, `null` for none. Nesting has no limit in a log, but it has one in `JSON.stringify`: beyond that the deeper
 * levels are left out, and an ellipsis stands in their place.
 */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? 'null';
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return JSON.stringify(shallow(value, DEPTH), null, indent);
  }
}

function shallow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.map((member: unknown) => shallow(member, levels - 1));
  if (!isRecord(value)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shallow(member, levels - 1)]));
}
