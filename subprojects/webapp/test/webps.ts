/** WebP files without pixels: what the container says is all that the panel reads of them. */

function bytesOf(text: string): number[] {
	return [...new TextEncoder().encode(text)];
}

function littleEndian(value: number, length: number): number[] {
	return Array.from({ length }, (_, i) => (value >> (8 * i)) & 255);
}

function chunk(type: string, data: number[]): number[] {
	return [
		...bytesOf(type),
		...littleEndian(data.length, 4),
		...data,
		...(data.length % 2 ? [0] : []),
	];
}

function file(chunks: number[]): Uint8Array {
	return Uint8Array.from([
		...bytesOf("RIFF"),
		...littleEndian(chunks.length + 4, 4),
		...bytesOf("WEBP"),
		...chunks,
	]);
}

export function still(): Uint8Array {
	return file(chunk("VP8L", [1, 2, 3]));
}

export function animation(durationsMs: number[], loops = 0): Uint8Array {
	const frames = durationsMs.flatMap((durationMs) =>
		chunk("ANMF", [...Array<number>(12).fill(0), ...littleEndian(durationMs, 3), 0, 9]),
	);
	return file([...chunk("ANIM", [0, 0, 0, 0, ...littleEndian(loops, 2)]), ...frames]);
}
