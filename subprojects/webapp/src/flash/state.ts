import { useState } from "preact/hooks";
import { getBytes, type Schemas } from "../api/client";
import type { Device } from "../devices/store";
import { guideOf } from "./boards";
import {
	commandOf,
	fillImage,
	IMAGE_BYTES_MAX,
	ImageFault,
	readImage,
	valueFault,
	type FieldName,
	type Image,
	type Values,
} from "./image";
import { choosePort, flashBoard } from "./serial";
import { hexOf, sha256 } from "./sha256";

export type Firmware = Schemas["FirmwareImage"];

/** An image of the server, or a file. */
export type Source = Firmware | File;

const PART_BYTES = 256 * 1024;

/** Reads an image of the server by its parts. */
async function download({ id, sizeBytes, sha256: wanted }: Firmware): Promise<Uint8Array> {
	const bytes = new Uint8Array(sizeBytes);
	for (let at = 0, part = 0; at < sizeBytes; part++) {
		const got = await getBytes("/web/firmware/{firmwareId}/parts/{part}", {
			firmwareId: id,
			part: String(part),
		});
		if (got.length !== Math.min(PART_BYTES, sizeBytes - at))
			throw new ImageFault("is cut: a part of it is missing");
		bytes.set(got, at);
		at += got.length;
	}
	if (hexOf(sha256(bytes)) !== wanted) throw new ImageFault("is damaged: its hash is wrong");
	return bytes;
}

async function read(source: Source): Promise<Uint8Array> {
	if (!(source instanceof File)) return download(source);
	if (source.size > IMAGE_BYTES_MAX) throw new ImageFault("is larger than 8 MiB");
	try {
		return new Uint8Array(await source.arrayBuffer());
	} catch {
		throw new ImageFault("cannot be read any more: choose the file again");
	}
}

interface Made {
	bytes: Uint8Array;
	image: Image;
}

async function make(source: Source, board: string, values: Values): Promise<Made> {
	const bytes = await read(source);
	const image = readImage(bytes);
	const { chip } = guideOf(board);
	if (chip !== undefined && image.chip !== undefined && chip !== image.chip)
		throw new ImageFault(`is for the chip ${image.chip}, and this board has ${chip}`);
	return { bytes: fillImage(bytes, image, values), image };
}

/** "kitchen.bin": a name that needs no quotes in a shell. */
function fileOf(device: Device): string {
	const name = device.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
	return `${name.replaceAll(/^-|-$/g, "") || "panel"}.bin`;
}

function save(bytes: Uint8Array, name: string): void {
	const url = URL.createObjectURL(new Blob([Uint8Array.from(bytes)]));
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function wordsOf(error: unknown): string {
	if (error instanceof ImageFault) return `The image ${error.message}.`;
	if (error instanceof Error) return error.message;
	throw error;
}

export interface Flashing {
	faults: Partial<Record<FieldName | "image", string | undefined>>;
	/** What failed. */
	fault: string | undefined;
	/** Share that is written, 0 to 1; undefined: nothing is written now. */
	share: number | undefined;
	/** What was done last. */
	done: { kind: "flashed" } | { kind: "saved"; command: string } | undefined;
	isBusy: boolean;
	flash: () => void;
	download: () => void;
	/** Forgets a fault, since its value has changed. */
	mend: (name: FieldName | "image") => void;
}

/** What must be mended before an image can be made. */
function faultsOf(values: Values, source: Source | undefined): Flashing["faults"] {
	const found: Flashing["faults"] = {};
	for (const name of Object.keys(values) as FieldName[]) {
		const wrong = valueFault(name, values[name]);
		if (wrong !== undefined) found[name] = wrong;
	}
	if (source === undefined) found.image = "Choose an image.";
	return found;
}

/** The two acts of the page: both make the image here, in the browser. */
export function useFlashing(
	device: Device,
	board: string,
	source: Source | undefined,
	values: Values,
): Flashing {
	const [faults, setFaults] = useState<Flashing["faults"]>({});
	const [fault, setFault] = useState<string>();
	const [share, setShare] = useState<number>();
	const [done, setDone] = useState<Flashing["done"]>();
	const [isBusy, setBusy] = useState(false);
	const check = (): Source | undefined => {
		const found = faultsOf(values, source);
		setFaults(found);
		return Object.keys(found).length === 0 ? source : undefined;
	};
	const attempt = async (act: (source: Source) => Promise<Flashing["done"]>) => {
		const chosen = isBusy ? undefined : check();
		if (!chosen) return;
		setBusy(true);
		setFault(undefined);
		setDone(undefined);
		try {
			setDone(await act(chosen));
		} catch (error) {
			setFault(wordsOf(error));
		} finally {
			setBusy(false);
			setShare(undefined);
		}
	};
	const flash = async (chosen: Source): Promise<Flashing["done"]> => {
		// First, while the browser remembers the click.
		const port = await choosePort();
		if (!port) return undefined;
		const { bytes, image } = await make(chosen, board, values);
		setShare(0);
		await flashBoard(port, bytes, image, setShare);
		return { kind: "flashed" };
	};
	const keep = async (chosen: Source): Promise<Flashing["done"]> => {
		const { bytes, image } = await make(chosen, board, values);
		const name = fileOf(device);
		save(bytes, name);
		return { kind: "saved", command: commandOf(image, name) };
	};
	return {
		faults,
		fault,
		share,
		done,
		isBusy,
		flash: () => void attempt(flash),
		download: () => void attempt(keep),
		mend: (name) => setFaults((before) => ({ ...before, [name]: undefined })),
	};
}
