import { SMALL, type Size } from "../panel/size";
import { readAnimation } from "../panel/webp";

/** The server accepts no larger file. */
export const BYTES_MAX = 196_608;

export type PictureKind = "png" | "gif" | "webp";

/** Facts from a file's header. */
export interface PictureFacts {
	kind: PictureKind;
	width: number;
	height: number;
	isAnimated: boolean;
}

function ascii(bytes: Uint8Array, at: number, length: number): string {
	return String.fromCharCode(...bytes.subarray(at, at + length));
}

function viewOf(bytes: Uint8Array): DataView {
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function pngFacts(bytes: Uint8Array): PictureFacts | undefined {
	if (ascii(bytes, 1, 3) !== "PNG" || bytes.length < 24) return undefined;
	const view = viewOf(bytes);
	// The server uses only the still picture of an animated PNG.
	return { kind: "png", width: view.getUint32(16), height: view.getUint32(20), isAnimated: false };
}

/** Finds the end of the sub-blocks that begin at an offset. */
function afterBlocks(bytes: Uint8Array, at: number): number {
	let place = at;
	for (;;) {
		const size = bytes[place] ?? 0;
		place += 1 + size;
		if (size === 0 || place >= bytes.length) return place;
	}
}

function tableSize(packed: number): number {
	return packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0;
}

function gifFrames(bytes: Uint8Array): number {
	let at = 13 + tableSize(bytes[10] ?? 0);
	let frames = 0;
	while (at < bytes.length) {
		const block = bytes[at];
		if (block === 0x21) at = afterBlocks(bytes, at + 2);
		else if (block === 0x2c) {
			frames += 1;
			at = afterBlocks(bytes, at + 11 + tableSize(bytes[at + 9] ?? 0));
		} else break;
	}
	return frames;
}

function gifFacts(bytes: Uint8Array): PictureFacts | undefined {
	if (ascii(bytes, 0, 4) !== "GIF8" || bytes.length < 13) return undefined;
	const view = viewOf(bytes);
	const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
	return { kind: "gif", width, height, isAnimated: gifFrames(bytes) > 1 };
}

function webpSize(bytes: Uint8Array): [number, number] | undefined {
	const view = viewOf(bytes);
	if (bytes.length < 30) return undefined;
	switch (ascii(bytes, 12, 4)) {
		case "VP8X":
			return [
				1 + (view.getUint32(24, true) & 0xffffff),
				1 + (view.getUint16(27, true) | ((bytes[29] ?? 0) << 16)),
			];
		case "VP8L": {
			const bits = view.getUint32(21, true);
			return [1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff)];
		}
		case "VP8 ":
			return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
		default:
			return undefined;
	}
}

function webpFacts(bytes: Uint8Array): PictureFacts | undefined {
	const animation = readAnimation(bytes);
	const size = animation && webpSize(bytes);
	if (!animation || !size) return undefined;
	return { kind: "webp", width: size[0], height: size[1], isAnimated: animation.frames > 1 };
}

/** Reads the header; undefined: it is no format that the server accepts. */
export function readFacts(bytes: Uint8Array): PictureFacts | undefined {
	return pngFacts(bytes) ?? gifFacts(bytes) ?? webpFacts(bytes);
}

/** Way to fit a picture of another size to a panel. */
export type Fit = "scale" | "crop";

interface Rectangle {
	x: number;
	y: number;
	width: number;
	height: number;
}

/**
 * Places the picture on the panel: if scaled, it is shown as a whole, with black beside it.
 * If cropped, it fills the panel, and `at` (0 to 1) selects the part that is kept.
 */
export function placeOf(
	width: number,
	height: number,
	fit: Fit,
	at = 0.5,
	size: Size = SMALL,
): Rectangle {
	const scales = [size.width / width, size.height / height];
	const scale = fit === "scale" ? Math.min(...scales) : Math.max(...scales);
	const [wide, high] = [
		Math.max(1, Math.round(width * scale)),
		Math.max(1, Math.round(height * scale)),
	];
	const share = fit === "scale" ? 0.5 : at;
	return {
		x: Math.round((size.width - wide) * share),
		y: Math.round((size.height - high) * share),
		width: wide,
		height: high,
	};
}

/** Returns a name for the rotation: that of the file, without characters that an ID must not have. */
export function entryName(file: string): string {
	const stem = file.replace(/\.[a-z0-9]{1,5}$/i, "");
	const clean = stem.replace(/[\u0000-\u001f\u007f-\u009f/\\]/g, " ").trim();
	const name = Array.from(clean).slice(0, 64).join("");
	return name === "" || name === "." || name === ".." ? "picture" : name;
}

/** Returns the name, with a number appended if it is taken. */
export function freeName(name: string, taken: readonly string[]): string {
	if (!taken.includes(name)) return name;
	for (let number = 2; ; number++) {
		const end = ` ${number}`;
		const next = Array.from(name)
			.slice(0, 64 - end.length)
			.join("")
			.concat(end);
		if (!taken.includes(next)) return next;
	}
}
