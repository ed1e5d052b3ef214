/** Animation of a WebP file, from the container's chunks (RFC 9649), without the pixels. */
export interface Animation {
	frames: number;
	/** Duration of one loop; 0 for a still picture. */
	durationMs: number;
}

const CHUNKS_AT = 12;

function fourCharacters(bytes: Uint8Array, at: number): string {
	return String.fromCharCode(...bytes.subarray(at, at + 4));
}

/** Yields offset, type and size of each chunk; ends at the first one that is invalid. */
function* chunks(bytes: Uint8Array): Generator<{ type: string; at: number; size: number }> {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	let at = CHUNKS_AT;
	while (at + 8 <= bytes.length) {
		const size = view.getUint32(at + 4, true);
		if (at + 8 + size > bytes.length) return;
		yield { type: fourCharacters(bytes, at), at: at + 8, size };
		at += 8 + size + (size % 2);
	}
}

/** Browsers show a frame of 10 ms or less for 100 ms, so its duration must be counted so. */
function shownMs(durationMs: number): number {
	return durationMs <= 10 ? 100 : durationMs;
}

/** Reads the animation; undefined: it is no WebP. */
export function readAnimation(bytes: Uint8Array): Animation | undefined {
	if (fourCharacters(bytes, 0) !== "RIFF" || fourCharacters(bytes, 8) !== "WEBP") return undefined;
	const result = { frames: 0, durationMs: 0 };
	for (const { type, at, size } of chunks(bytes)) {
		if (type !== "ANMF" || size < 16) continue;
		const low = bytes[at + 12] ?? 0;
		const middle = bytes[at + 13] ?? 0;
		const high = bytes[at + 14] ?? 0;
		result.frames += 1;
		result.durationMs += shownMs(low | (middle << 8) | (high << 16));
	}
	return result.frames === 0 ? { frames: 1, durationMs: 0 } : result;
}

/** Returns a copy that loops for ever, as panels play it regardless of its loop count. */
export function withEndlessLoop(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
	const copy = Uint8Array.from(bytes);
	for (const { type, at, size } of chunks(copy)) {
		if (type === "ANIM" && size >= 6) copy.fill(0, at + 4, at + 6);
	}
	return copy;
}
