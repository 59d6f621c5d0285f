import { vi } from 'vitest';

/** Asks again and again until the answer is yes: for states that no event announces. */
export async function until(what: string, holds: () => Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  try {
    await vi.waitUntil(holds, { timeout: timeoutMs, interval: 50 });
  } catch (cause) {
    throw new Error(`waited ${timeoutMs} ms in vain for ${what}`, { cause });
  }
}
