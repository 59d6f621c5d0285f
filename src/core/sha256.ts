/**
 * SHA-256 of a string's UTF-8 bytes as lower-case hex. Written here because the core is synchronous and runs where neither `node:crypto`
 * nor a synchronous Web Crypto exists; it hashes a handful of short ids, so speed does not matter. Lone surrogates become U+FFFD, as every
 * UTF-8 encoder makes them.
 */
export function sha256Hex(message: string): string {
  const bytes = padded(utf8(message));
  const state = Uint32Array.from(INITIAL);
  const schedule = new Uint32Array(64);
  const view = new DataView(bytes.buffer);
  for (let offset = 0; offset < bytes.length; offset += BLOCK) {
    for (let i = 0; i < 16; i++) schedule[i] = view.getUint32(offset + 4 * i);
    compress(state, schedule);
  }
  let hex = '';
  for (const word of state) hex += word.toString(16).padStart(8, '0');
  return hex;
}

const BLOCK = 64;
/** The last eight bytes of the padded message hold its length in bits. */
const LENGTH_BYTES = 8;

const { initial: INITIAL, round: ROUND } = constants();

/** The fractional bits of the square roots of the first 8 primes, and of the cube roots of the first 64. */
function constants(): { initial: readonly number[]; round: readonly number[] } {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (!primes.some((prime) => n % prime === 0)) primes.push(n);
  const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32);
  return {
    initial: primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))),
    round: primes.map((prime) => fraction(Math.cbrt(prime))),
  };
}

function compress(state: Uint32Array, w: Uint32Array): void {
  for (let i = 16; i < 64; i++) {
    const near = at(w, i - 2);
    const far = at(w, i - 15);
    const s0 = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3);
    const s1 = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10);
    w[i] = at(w, i - 16) + s0 + at(w, i - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + s1 + choice + (ROUND[i] ?? 0) + at(w, i)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + s0 + majority) | 0;
  }
  const added = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i++) state[i] = at(state, i) + (added[i] ?? 0);
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}

function padded(message: readonly number[]): Uint8Array {
  const length = Math.ceil((message.length + 1 + LENGTH_BYTES) / BLOCK) * BLOCK;
  const bytes = new Uint8Array(length);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(length - 4, (message.length << 3) >>> 0);
  return bytes;
}

function utf8(message: string): number[] {
  const bytes: number[] = [];
  for (const character of message) {
    let code = character.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), tail(code));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), tail(code >> 6), tail(code));
    else bytes.push(0xf0 | (code >> 18), tail(code >> 12), tail(code >> 6), tail(code));
  }
  return bytes;
}

function tail(code: number): number {
  return 0x80 | (code & 0x3f);
}
