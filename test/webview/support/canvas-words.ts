import type { View } from './harness.ts';

/** Words the canvases write when they are painted anew. */
export async function written(view: View): Promise<string[]> {
  await view.page.evaluate(() => {
    const words: string[] = [];
    Object.assign(window, { words });
    const { prototype } = CanvasRenderingContext2D;
    prototype.fillText = (text: string): void => {
      words.push(text);
    };
  });
  await view.setTheme('light');
  await view.rest();
  return view.page.evaluate(() => (window as unknown as { words: string[] }).words);
}
