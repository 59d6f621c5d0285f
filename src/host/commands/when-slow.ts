/** From this many milliseconds on an act is one its user waits for. */
export const slowMs = 400;

/**
 * The outcome of the work, told about to `onSlow` once, if it is still going on after `slowMs`, with a promise that ends, and never fails,
 * when the work has ended either way.
 */
export async function whenSlow<T>(work: Promise<T>, onSlow: (settled: Promise<void>) => void): Promise<T> {
  const end = (): void => undefined;
  const timer = setTimeout(() => onSlow(work.then(end, end)), slowMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
