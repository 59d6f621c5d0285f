/** What a command tells while it works: nothing of a quick act, a notice with Cancel of one that keeps its user waiting. */
import * as vscode from 'vscode';
import { whenSlow } from './when-slow.ts';

/** Ends when told to, and may say how much of it is done (0 to 1, growing). */
type Work<T> = (signal: AbortSignal, onShare: (share: number) => void) => Promise<T>;

/**
 * Does the work, and hands back or throws what it does. The notice is left out of quick work: it would stand beside the result for the
 * editor's shortest while, and the editor drops messages that come too many at once.
 */
export function cancellable<T>(title: string, work: Work<T>): Promise<T> {
  const controller = new AbortController();
  let done = 0;
  let onMore: (() => void) | undefined;
  const working = work(controller.signal, (share) => {
    done = share;
    onMore?.();
  });
  return whenSlow(working, (settled) => {
    void vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (progress, token) => {
        token.onCancellationRequested(() => controller.abort());
        let shown = 0;
        onMore = () => {
          const percent = Math.floor(done * 100);
          if (percent > shown) progress.report({ increment: percent - shown });
          shown = Math.max(shown, percent);
        };
        if (done > 0) onMore();
        return settled;
      },
    );
  });
}
