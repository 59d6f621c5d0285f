import type { SessionForkErrorCode } from './errors.ts';
import type { Text } from './text.ts';

/**
 * Whether a fork at an inclusive seq is legal. `closes`: a v4 fork inside an open turn, closed with synthetic
 * events. `before` and `after` name the nearest boundaries that need no closers. format/fork-resume.md §2.
 */
export type ForkBoundary =
  | { readonly legal: true; readonly closes: false }
  | { readonly legal: true; readonly closes: true }
  | {
      readonly legal: false;
      readonly code: SessionForkErrorCode | 'UNREADABLE';
      readonly message: string;
      readonly text: Text;
      readonly before?: number;
      readonly after?: number;
    };
