import { SMALL, type Size } from "../panel/size";
import { placeOf, type Fit } from "./picture";

/** Anything that a canvas can draw, with its size. */
export interface Drawable {
	source: CanvasImageSource;
	width: number;
	height: number;
}

function surface(width: number, height: number): [HTMLCanvasElement, CanvasRenderingContext2D] {
	const canvas = document.createElement("canvas");
	canvas.width = width;
	canvas.height = height;
	const context = canvas.getContext("2d");
	if (!context) throw new Error("this browser has no canvas");
	return [canvas, context];
}

/** Halves a picture until it is less than twice as large as wanted: a canvas alone would skip
 * pixels. */
function halved({ source, width, height }: Drawable, wanted: number): Drawable {
	let now: Drawable = { source, width, height };
	while (now.width >= 2 * wanted && now.height >= 2) {
		const [wide, high] = [Math.ceil(now.width / 2), Math.ceil(now.height / 2)];
		const [canvas, context] = surface(wide, high);
		context.imageSmoothingQuality = "high";
		context.drawImage(now.source, 0, 0, wide, high);
		now = { source: canvas, width: wide, height: high };
	}
	return now;
}

/** The picture as a panel can show it: in its size, over black. */
export function fitted(
	picture: Drawable,
	fit: Fit,
	at: number,
	size: Size = SMALL,
): HTMLCanvasElement {
	const place = placeOf(picture.width, picture.height, fit, at, size);
	const [canvas, context] = surface(size.width, size.height);
	const { source } = halved(picture, place.width);
	context.fillRect(0, 0, size.width, size.height);
	// Small pictures are pixel art: keep their pixels sharp.
	context.imageSmoothingEnabled = picture.width > place.width;
	context.imageSmoothingQuality = "high";
	context.drawImage(source, place.x, place.y, place.width, place.height);
	return canvas;
}

export function toBlob(canvas: HTMLCanvasElement, type: string, quality = 1): Promise<Blob> {
	return new Promise((resolve, reject) =>
		canvas.toBlob(
			(blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be written"))),
			type,
			quality,
		),
	);
}

export async function toBase64(blob: Blob): Promise<string> {
	const bytes = new Uint8Array(await blob.arrayBuffer());
	let text = "";
	for (const byte of bytes) text += String.fromCharCode(byte);
	return btoa(text);
}
