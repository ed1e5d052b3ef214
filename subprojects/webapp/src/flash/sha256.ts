/** The first count primes. */
function primes(count: number): number[] {
	const found: number[] = [];
	for (let n = 2; found.length < count; n++) if (found.every((p) => n % p !== 0)) found.push(n);
	return found;
}

/** The first 32 bits behind the point. */
function fraction(value: number): number {
	return ((value - Math.floor(value)) * 2 ** 32) >>> 0;
}

const START = primes(8).map((p) => fraction(Math.sqrt(p)));
const ROUNDS = Uint32Array.from(primes(64), (p) => fraction(Math.cbrt(p)));

const turned = (x: number, by: number) => (x >>> by) | (x << (32 - by));

/** Adds a block of 64 bytes to the state. words: room for 64 of them. */
function addBlock(state: Uint32Array, words: Uint32Array, block: DataView, at: number): void {
	const w = (i: number) => words[i] ?? 0;
	for (let i = 0; i < 16; i++) words[i] = block.getUint32(at + 4 * i);
	for (let i = 16; i < 64; i++) {
		const early = turned(w(i - 15), 7) ^ turned(w(i - 15), 18) ^ (w(i - 15) >>> 3);
		const late = turned(w(i - 2), 17) ^ turned(w(i - 2), 19) ^ (w(i - 2) >>> 10);
		words[i] = w(i - 16) + early + w(i - 7) + late;
	}
	let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
	for (let i = 0; i < 64; i++) {
		const mixed = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
		const one = (h + mixed + ((e & f) ^ (~e & g)) + (ROUNDS[i] ?? 0) + w(i)) | 0;
		const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
		[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
	}
	for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] ?? 0) + value;
}

/** SHA-256 (FIPS 180-4). Browsers have one for pages of https and localhost only. */
export function sha256(bytes: Uint8Array): Uint8Array {
	const state = Uint32Array.from(START);
	const words = new Uint32Array(64);
	const whole = bytes.length - (bytes.length % 64);
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	for (let at = 0; at < whole; at += 64) addBlock(state, words, view, at);
	const rest = bytes.subarray(whole);
	const last = new Uint8Array(rest.length < 56 ? 64 : 128);
	last.set(rest);
	last[rest.length] = 0x80;
	const end = new DataView(last.buffer);
	end.setUint32(last.length - 8, Math.floor(bytes.length / 2 ** 29));
	end.setUint32(last.length - 4, bytes.length * 8);
	for (let at = 0; at < last.length; at += 64) addBlock(state, words, end, at);
	const sum = new DataView(new ArrayBuffer(32));
	for (const [i, value] of state.entries()) sum.setUint32(4 * i, value);
	return new Uint8Array(sum.buffer);
}

/** The hash in hexadecimal digits. */
export function hexOf(bytes: Uint8Array): string {
	return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
