import { fitted, toBlob } from "./canvas";
import { SMALL, type Size } from "../panel/size";
import { BYTES_MAX, type Fit } from "./picture";

export interface Frame {
	/** A still WebP file of the panel's size. */
	bytes: Uint8Array;
	durationMs: number;
}

const HEADER = 12;

function ascii(text: string): number[] {
	return Array.from(text, (character) => character.charCodeAt(0));
}

function little(value: number, length: number): number[] {
	return Array.from({ length }, (_, i) => Math.floor(value / 2 ** (8 * i)) & 255);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
	const padding = data.length % 2;
	return Uint8Array.from([
		...ascii(type),
		...little(data.length, 4),
		...data,
		...Array<number>(padding).fill(0),
	]);
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		all.set(part, at);
		at += part.length;
	}
	return all;
}

/** The chunks of a still file that hold its pixels. */
function imageData(bytes: Uint8Array): Uint8Array {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const parts: Uint8Array[] = [];
	for (let at = HEADER; at + 8 <= bytes.length;) {
		const type = String.fromCharCode(...bytes.subarray(at, at + 4));
		const end = at + 8 + view.getUint32(at + 4, true);
		const padded = end + (end % 2);
		if (type === "VP8 " || type === "VP8L" || type === "ALPH") parts.push(bytes.slice(at, padded));
		at = padded;
	}
	return join(parts);
}

/** Makes an animated WebP, which loops for ever, of still ones (RFC 9649, 2.7). */
export function joinFrames(
	frames: readonly Frame[],
	{ width, height }: Size = SMALL,
): Uint8Array<ArrayBuffer> {
	const size = [...little(width - 1, 3), ...little(height - 1, 3)];
	const animation = 0x02;
	const noBlend = 0x02;
	const parts = [
		chunk("VP8X", Uint8Array.from([animation, 0, 0, 0, ...size])),
		chunk("ANIM", new Uint8Array(6)),
		...frames.map(({ bytes, durationMs }) => {
			const head = [...little(0, 6), ...size, ...little(Math.round(durationMs), 3), noBlend];
			return chunk("ANMF", join([Uint8Array.from(head), imageData(bytes)]));
		}),
	];
	const body = join([Uint8Array.from(ascii("WEBP")), ...parts]);
	return join([Uint8Array.from([...ascii("RIFF"), ...little(body.length, 4)]), body]);
}

export async function canScaleAnimations(type: string): Promise<boolean> {
	// Browsers provide it only for https and localhost, and some not yet.
	return "ImageDecoder" in globalThis && ImageDecoder.isTypeSupported(type);
}

/** Browsers show frames of this duration or less for 100 ms. */
const HASTY_MS = 10;
const QUALITIES = [1, 0.9, 0.75, 0.5];

async function encode(
	frames: { canvas: HTMLCanvasElement; durationMs: number }[],
	quality: number,
	size: Size,
) {
	const made: Frame[] = [];
	for (const { canvas, durationMs } of frames) {
		const blob = await toBlob(canvas, "image/webp", quality);
		if (blob.type !== "image/webp") throw new Error("this browser cannot write WebP");
		made.push({ bytes: new Uint8Array(await blob.arrayBuffer()), durationMs });
	}
	return joinFrames(made, size);
}

/** Scales every frame of an animation to the panel; reduces quality until the file fits the server's
 * limit. */
export async function fittedAnimation(blob: Blob, fit: Fit, at: number, size: Size): Promise<Blob> {
	const decoder = new ImageDecoder({ data: await blob.arrayBuffer(), type: blob.type });
	await Promise.all([decoder.tracks.ready, decoder.completed]);
	const count = decoder.tracks.selectedTrack?.frameCount ?? 0;
	if (count === 0) throw new Error("no frames found");
	const frames: { canvas: HTMLCanvasElement; durationMs: number }[] = [];
	for (let frameIndex = 0; frameIndex < count; frameIndex++) {
		const { image } = await decoder.decode({ frameIndex });
		const { displayWidth: width, displayHeight: height } = image;
		const durationMs = (image.duration ?? 0) / 1000;
		frames.push({
			canvas: fitted({ source: image, width, height }, fit, at, size),
			durationMs: durationMs <= HASTY_MS ? 100 : durationMs,
		});
		image.close();
	}
	decoder.close();
	let bytes = new Uint8Array();
	for (const quality of QUALITIES) {
		bytes = await encode(frames, quality, size);
		if (bytes.length <= BYTES_MAX) break;
	}
	return new Blob([bytes], { type: "image/webp" });
}
