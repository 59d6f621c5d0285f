import { it } from 'vitest';
import { useView } from './support/set-up.ts';

const { logs, open } = useView();

it('the selections are gone through backwards and forwards, by command as by key, and stay at either end', async () => {
  const view = await open(logs.sample('session-0d7c9a44'), { reveal: 4 });
  const shows = (seq: number): Promise<void> =>
    view.page
      .locator('dsh-inspector h2')
      .filter({ hasText: `#${String(seq)} ` })
      .waitFor();
  await shows(4);
  for (const seq of [10, 94]) {
    await view.send('reveal', { seq });
    await shows(seq);
  }
  await view.send('command', { name: 'back' });
  await shows(10);
  await view.page.keyboard.press('[');
  await shows(4);
  await view.send('command', { name: 'back' });
  await view.rest();
  await shows(4);
  await view.send('command', { name: 'forward' });
  await shows(10);
  await view.page.keyboard.press(']');
  await shows(94);
  await view.send('command', { name: 'forward' });
  await view.rest();
  await shows(94);
});
