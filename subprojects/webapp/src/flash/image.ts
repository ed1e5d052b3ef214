/**
 * Firmware images of ESP32 chips, and their fields for Wi-Fi and URL. It reads and fills them as
 * domain/esp_image.c does for `displayctl device flash-file`: the bytes are the same.
 */
import { sha256 } from "./sha256";

export const IMAGE_BYTES_MAX = 8 * 1024 * 1024;
/** Start of the application in a merged image, and in the flash of a board. */
export const APPLICATION_AT = 0x10000;
const MAGIC = 0xe9;
const HEADER_BYTES = 24;
const SEGMENT_HEADER_BYTES = 8;
const SEGMENTS_MAX = 16;
const CHIP_AT = 12;
const HAS_HASH_AT = 23;
const HASH_BYTES = 32;
const CHECKSUM_START = 0xef;
const CHECKSUM_ALIGNMENT = 16;
const DESCRIPTION_AT = HEADER_BYTES + SEGMENT_HEADER_BYTES;
const DESCRIPTION_BYTES = 256;
const DESCRIPTION_MAGIC = 0xabcd5432;
const VERSION_AT = DESCRIPTION_AT + 16;
const PROJECT_AT = VERSION_AT + 32;
const TEXT_BYTES = 32;

const CHIPS: Record<number, string> = { 0: "esp32", 2: "esp32s2", 5: "esp32c3", 9: "esp32s3" };

export type FieldName = "ssid" | "password" | "url";
export type Values = Record<FieldName, string>;

/** Label, most bytes, and placeholder of each field. */
const FIELDS: Record<FieldName, { label: string; bytesMax: number; placeholder: string }> = {
	ssid: { label: "The name", bytesMax: 32, placeholder: "XplaceholderWIFISSID" },
	password: { label: "The password", bytesMax: 64, placeholder: "XplaceholderWIFIPASSWORD" },
	url: { label: "The address", bytesMax: 128, placeholder: "XplaceholderREMOTEURL" },
};
const NAMES = Object.keys(FIELDS) as FieldName[];

export interface Image {
	/** Start of the application: 0, or that of a merged image. */
	start: number;
	checksumAt: number;
	hashAt: number;
	/** undefined: a chip without a name here. */
	chip: string | undefined;
	project: string;
	version: string;
}

/** Why an image cannot be used, as the rest of a sentence: "is cut: ...". */
export class ImageFault extends Error {
	override readonly name = "ImageFault";
}

function isApplication(bytes: Uint8Array, view: DataView, start: number): boolean {
	return (
		bytes.length >= start + DESCRIPTION_AT + DESCRIPTION_BYTES &&
		bytes[start] === MAGIC &&
		view.getUint32(start + DESCRIPTION_AT, true) === DESCRIPTION_MAGIC
	);
}

/** Walks the segments. Returns the end of the last one, and the XOR of their bytes. */
function readSegments(bytes: Uint8Array, view: DataView, start: number): [number, number] {
	const count = bytes[start + 1] ?? 0;
	let at = start + HEADER_BYTES;
	let sum = CHECKSUM_START;
	if (count === 0 || count > SEGMENTS_MAX)
		throw new ImageFault("is not an image: its header has an invalid number of segments");
	for (let i = 0; i < count; i++) {
		if (bytes.length - at < SEGMENT_HEADER_BYTES)
			throw new ImageFault("is cut: a segment is missing");
		const length = view.getUint32(at + 4, true);
		at += SEGMENT_HEADER_BYTES;
		if (bytes.length - at < length)
			throw new ImageFault("is cut: a segment is longer than the rest of the file");
		for (const end = at + length; at < end; at++) sum ^= bytes[at] ?? 0;
	}
	return [at, sum];
}

/** Reads a text up to the first byte that is not printable. */
function readText(bytes: Uint8Array, at: number): string {
	const text = String.fromCharCode(...bytes.subarray(at, at + TEXT_BYTES));
	return /^[ -~]*/.exec(text)?.[0] ?? "";
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
	return one.length === other.length && one.every((byte, i) => byte === other[i]);
}

/** Reads an image, or a merged one, and verifies its checksum and hash. Throws an ImageFault. */
export function readImage(bytes: Uint8Array): Image {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	if (bytes.length > IMAGE_BYTES_MAX) throw new ImageFault("is larger than 8 MiB");
	const start = isApplication(bytes, view, 0) ? 0 : APPLICATION_AT;
	if (!isApplication(bytes, view, start))
		throw new ImageFault("is not an image of an application for ESP32");
	const [end, sum] = readSegments(bytes, view, start);
	const checksumAt = start + ((end - start) | (CHECKSUM_ALIGNMENT - 1));
	const hashAt = checksumAt + 1;
	if (bytes[start + HAS_HASH_AT] !== 1) throw new ImageFault("has no hash at its end");
	if (bytes.length < hashAt + HASH_BYTES)
		throw new ImageFault("is cut: its checksum and hash are missing");
	if (bytes[checksumAt] !== sum) throw new ImageFault("is damaged: its checksum is wrong");
	const hash = sha256(bytes.subarray(start, hashAt));
	if (!isSame(bytes.subarray(hashAt, hashAt + HASH_BYTES), hash))
		throw new ImageFault("is damaged: its hash is wrong");
	if (bytes.length > hashAt + HASH_BYTES)
		throw new ImageFault("has bytes after its end: it is signed, or several files were joined");
	return {
		start,
		checksumAt,
		hashAt,
		chip: CHIPS[view.getUint16(start + CHIP_AT, true)],
		project: readText(bytes, start + PROJECT_AT),
		version: readText(bytes, start + VERSION_AT),
	};
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number, end: number): number {
	const [first = 0] = wanted;
	for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
		if (at + wanted.length > end) return -1;
		if (isSame(bytes.subarray(at, at + wanted.length), wanted)) return at;
	}
	return -1;
}

/** Finds the only placeholder of the field. */
function fieldAt(bytes: Uint8Array, image: Image, name: FieldName): number {
	const { placeholder, bytesMax } = FIELDS[name];
	// The field ends with a zero byte.
	const wanted = new TextEncoder().encode(`${placeholder.padEnd(bytesMax, "_")}\0`);
	const at = indexOf(bytes, wanted, image.start, image.checksumAt);
	if (at < 0)
		throw new ImageFault(
			"has no fields for Wi-Fi and URL: they were filled in before, or it is not firmware of such panels",
		);
	if (indexOf(bytes, wanted, at + 1, image.checksumAt) >= 0)
		throw new ImageFault("has a field for Wi-Fi or URL twice");
	return at;
}

/** Returns what is wrong with a value; undefined: nothing. */
export function valueFault(name: FieldName, value: string): string | undefined {
	const { label, bytesMax } = FIELDS[name];
	const { length } = new TextEncoder().encode(value);
	if (length > bytesMax) return `${label} has ${length} bytes, maximum ${bytesMax}.`;
	if (/[\0-\x1f]/.test(value)) return `${label} has a control character.`;
	if (name === "ssid" && value === "") return "Enter the name of the network.";
	if (name === "url" && !/^(https?|wss?):\/\/./.test(value))
		return "Enter the device's address, which begins with ws, wss, http or https.";
	return undefined;
}

/**
 * Returns a copy of an image with the values in its fields, and its checksum and hash mended. The
 * values must have no fault. Throws an ImageFault.
 */
export function fillImage(bytes: Uint8Array, image: Image, values: Values): Uint8Array {
	const filled = Uint8Array.from(bytes);
	const places = NAMES.map((name) => fieldAt(bytes, image, name));
	let change = 0;
	for (const [i, name] of NAMES.entries()) {
		const at = places[i] ?? 0;
		const field = new Uint8Array(FIELDS[name].bytesMax);
		field.set(new TextEncoder().encode(values[name]));
		for (const [j, byte] of field.entries()) change ^= byte ^ (bytes[at + j] ?? 0);
		filled.set(field, at);
	}
	filled[image.checksumAt] = (bytes[image.checksumAt] ?? 0) ^ change;
	filled.set(sha256(filled.subarray(image.start, image.hashAt)), image.hashAt);
	try {
		readImage(filled);
	} catch (error) {
		if (!(error instanceof ImageFault)) throw error;
		throw new ImageFault("has a field for Wi-Fi or URL that is not within a segment");
	}
	return filled;
}

/** Where the image begins in the flash of a board. */
export function flashAddress(image: Image): number {
	return image.start === 0 ? APPLICATION_AT : 0;
}

/** The command that flashes a file with esptool. */
export function commandOf(image: Image, file: string): string {
	const address = `0x${flashAddress(image).toString(16)}`;
	return `esptool.py --chip ${image.chip ?? "auto"} write_flash ${address} ${file}`;
}
