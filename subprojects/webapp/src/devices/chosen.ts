import { useEffect, useState } from "preact/hooks";
import { canScaleAnimations, fittedAnimation } from "./animation";
import { fitted, toBlob } from "./canvas";
import { SMALL, type Size } from "../panel/size";
import { BYTES_MAX, readFacts, type Fit } from "./picture";

/** A picture that the user has chosen to push. */
export interface Chosen {
	/** Number of the file: two files with the same name are two pictures. */
	number: number;
	name: string;
	blob: Blob;
	width: number;
	height: number;
	/** Whether it is in a format that the server takes. */
	isTaken: boolean;
	isAnimated: boolean;
	/** Whether the browser can scale its frames. */
	canMove: boolean;
}

const FILE_MAX = 50_000_000;
let count = 0;

/** Reads a file that was dropped, pasted or chosen; returns a message if it is no picture. */
export async function choose(file: File): Promise<Chosen | string> {
	if (file.size > FILE_MAX) return "This file is over 50 MB. Choose a smaller picture.";
	const facts = readFacts(new Uint8Array(await file.arrayBuffer()));
	const blob = facts ? new Blob([file], { type: `image/${facts.kind}` }) : file;
	try {
		const bitmap = await createImageBitmap(blob);
		// Size of other formats: the bitmap respects metadata, such as a camera's orientation.
		const { width, height } = facts ?? bitmap;
		bitmap.close();
		const isAnimated = facts?.isAnimated === true;
		return {
			number: ++count,
			name: file.name,
			blob,
			width,
			height,
			isTaken: facts !== undefined,
			isAnimated,
			canMove: isAnimated && (await canScaleAnimations(blob.type)),
		};
	} catch {
		return `This browser cannot read ${file.name}. Choose a PNG, GIF, WebP or JPEG picture.`;
	}
}

export interface Prepared {
	/** Data to send; undefined while it is made. */
	blob?: Blob;
	/** URL of the blob, for the preview. */
	url?: string;
	fault?: string;
}

/** Whether the panel can show the picture unchanged. The server doubles one for small panels. */
export function isReady({ isTaken, width, height }: Chosen, size: Size): boolean {
	return isTaken && [size, SMALL].some((one) => width === one.width && height === one.height);
}

/** Returns the picture as it is sent, in the size of the panel. */
export async function prepare(chosen: Chosen, fit: Fit, at: number, size: Size): Promise<Blob> {
	if (isReady(chosen, size)) return chosen.blob;
	if (chosen.canMove) return fittedAnimation(chosen.blob, fit, at, size);
	const bitmap = await createImageBitmap(chosen.blob);
	const picture = { source: bitmap, width: bitmap.width, height: bitmap.height };
	const blob = await toBlob(fitted(picture, fit, at, size), "image/png");
	bitmap.close();
	return blob;
}

function tooLarge({ size }: Blob): string | undefined {
	if (size <= BYTES_MAX) return undefined;
	return `This picture takes ${kib(size)}, and the limit is ${kib(BYTES_MAX)}. Make it shorter or use fewer colours.`;
}

/** Returns the picture as a panel of this size gets it; an Error says why it cannot. */
export async function preparedFor(chosen: Chosen, fit: Fit, at: number, size: Size): Promise<Blob> {
	const blob = await prepare(chosen, fit, at, size);
	const fault = tooLarge(blob);
	if (fault !== undefined) throw new Error(fault);
	return blob;
}

function kib(bytes: number): string {
	return `${Math.ceil(bytes / 1024)} KiB`;
}

/** The picture as it would be sent. */
export function usePrepared(chosen: Chosen, fit: Fit, at: number, size: Size): Prepared {
	const [prepared, setPrepared] = useState<Prepared>({});
	useEffect(() => {
		let url: string | undefined;
		let isOver = false;
		const make = async () => {
			const blob = await prepare(chosen, fit, at, size);
			if (isOver) return;
			url = URL.createObjectURL(blob);
			const fault = tooLarge(blob);
			setPrepared({ blob, url, ...(fault === undefined ? {} : { fault }) });
		};
		make().catch(() => {
			if (!isOver)
				setPrepared({ fault: "This browser could not convert the picture for the panel." });
		});
		return () => {
			isOver = true;
			// The preview shows it until the next one is ready.
			setTimeout(() => url !== undefined && URL.revokeObjectURL(url), 1_000);
		};
	}, [chosen, fit, at, size]);
	return prepared;
}
