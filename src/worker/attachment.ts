import { Transfer, type ImageAnswer } from '../protocol/index.ts';
import { readImage } from '../storage/index.ts';

/** An image of a log's store, its bytes moved rather than copied. */
export async function imageAnswer(path: string, id: string): Promise<Transfer<ImageAnswer>> {
  const image = await readImage(path, id);
  if ('problem' in image) return new Transfer<ImageAnswer>(image, []);
  const bytes = image.bytes.slice().buffer; // exact size
  return new Transfer<ImageAnswer>({ mediaType: image.mediaType, bytes }, [bytes]);
}
