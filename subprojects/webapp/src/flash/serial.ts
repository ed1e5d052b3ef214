/** Writes an image to a board by Web Serial. esptool-js is loaded when it is needed. */
import type { Image } from "./image";
import { flashAddress } from "./image";

/** What is used of a port of Web Serial, which TypeScript's library does not describe. */
export type Port = object;

interface Serial {
	requestPort: () => Promise<Port>;
}

/** Why this browser cannot reach a board; undefined: it can. */
export function serialFault(): string | undefined {
	if ("serial" in navigator) return undefined;
	return isSecureContext
		? "This browser cannot reach boards by USB: Chromium, Chrome and Edge on a computer can (Web Serial)."
		: "Browsers reach boards by USB (Web Serial) only from pages of https or localhost, and this page came by plain http.";
}

/** Asks the user for the board's port. undefined: none was chosen. */
export async function choosePort(): Promise<Port | undefined> {
	try {
		return await (navigator as Navigator & { serial: Serial }).serial.requestPort();
	} catch (error) {
		if (error instanceof DOMException && error.name === "NotFoundError") return undefined;
		throw error;
	}
}

/** Boards restart when this line falls. */
const RESET_MS = 100;
const BAUD = 115_200;

/** Words for what the library throws. */
function wordsOf(error: unknown): string {
	const reason = error instanceof Error ? error.message : String(error);
	return reason.includes("Failed to connect")
		? "The board does not answer. Is it in download mode?"
		: `The board was not flashed: ${reason}`;
}

/**
 * Writes the bytes of an image. onProgress: share that is written, 0 to 1. Throws an Error with
 * words for the user.
 */
export async function flashBoard(
	port: Port,
	bytes: Uint8Array,
	image: Image,
	onProgress: (share: number) => void,
): Promise<void> {
	const { ESPLoader, Transport } = await import("esptool-js");
	type Device = ConstructorParameters<typeof Transport>[0];
	const transport = new Transport(port as Device, false);
	const quiet = { clean: () => undefined, write: () => undefined, writeLine: () => undefined };
	try {
		const loader = new ESPLoader({ transport, baudrate: BAUD, terminal: quiet });
		await loader.main();
		const chip = loader.chip.CHIP_NAME;
		if (image.chip !== undefined && chip.toLowerCase().replace("-", "") !== image.chip)
			throw new Error(`it has the chip ${chip}, and the image is for ${image.chip}`);
		await loader.writeFlash({
			fileArray: [{ data: bytes, address: flashAddress(image) }],
			flashMode: "keep",
			flashFreq: "keep",
			flashSize: "keep",
			eraseAll: false,
			compress: true,
			reportProgress: (_, written, total) => onProgress(written / total),
		});
		await transport.setRTS(true);
		await new Promise((resolve) => setTimeout(resolve, RESET_MS));
		await transport.setRTS(false);
	} catch (error) {
		throw new Error(wordsOf(error), { cause: error });
	} finally {
		await transport.disconnect().catch(() => undefined);
	}
}
