import { get, post, Problem, type Schemas } from "../api/client";
import { isolated } from "../components/isolated";
import { toast } from "../components/toast";
import { sizeOf } from "../panel/size";
import { toBase64 } from "./canvas";
import { choose, prepare } from "./chosen";
import { BYTES_MAX, entryName, freeName } from "./picture";
import type { Device } from "./store";

const ENDINGS = /\.(?:star|ts|zip|tar\.gz|tgz)$/i;
/** The server takes bodies of 4 MiB, and base64 needs four characters for three bytes. */
const ARCHIVE_MAX = 3_000_000;
const SCRIPT_MAX = 1_000_000;

/** Types for a choice of files that become entries. */
export const ADDABLE = "image/*,.star,.ts,.zip,.tar.gz,.tgz";

/** Whether a file is a script, or the archive of its folder. Some systems call .ts a video. */
export function isScript({ name }: { name: string }): boolean {
	return ENDINGS.test(name) && !name.toLowerCase().endsWith(".d.ts");
}

async function bodyOf(file: File): Promise<Schemas["ScriptInstalling"]> {
	const name = entryName(file.name.replace(/\.tar\.gz$/i, ".tgz"));
	if (/(?:zip|gz)$/i.test(file.name)) {
		if (file.size > ARCHIVE_MAX)
			throw new Error("It is larger than 3 MB: leave out what the script does not use.");
		return { name, archive: await toBase64(file) };
	}
	if (file.size > SCRIPT_MAX) throw new Error("It is larger than 1 MB, the maximum of a script.");
	const scriptLanguage = file.name.toLowerCase().endsWith(".ts") ? "TYPESCRIPT" : "STARLARK";
	return { name, scriptContent: await file.text(), scriptLanguage };
}

async function addScript(device: Device, file: File): Promise<string> {
	const body = await bodyOf(file);
	const made = await post("/web/devices/{deviceId}/scripts", body, { deviceId: device.id });
	return made.isNew
		? `${isolated(made.name)} is on ${isolated(device.name)}`
		: `${isolated(made.name)} has a new version`;
}

async function addPicture(device: Device, file: File): Promise<string> {
	const chosen = await choose(file);
	if (typeof chosen === "string") throw new Error(chosen);
	const blob = await prepare(chosen, "crop", 0.5, sizeOf(device.size));
	if (blob.size > BYTES_MAX) throw new Error("It is too large for a panel.");
	const where = { deviceId: device.id };
	const { entries } = await get("/web/devices/{deviceId}/rotation", {}, where);
	const taken = entries.map(({ installationId }) => installationId);
	const installationId = freeName(entryName(file.name), taken);
	const body = { image: await toBase64(blob), installationId, background: true };
	await post("/web/devices/{deviceId}/push", body, where);
	return `${isolated(installationId)} is in the rotation of ${isolated(device.name)}`;
}

/**
 * Adds files to the rotation of a device, one after the other: scripts become private apps, pictures
 * entries. Reports each. Returns the messages of those that failed.
 */
export async function addFiles(device: Device, files: readonly File[]): Promise<string[]> {
	const faults: string[] = [];
	for (const file of files) {
		try {
			toast(await (isScript(file) ? addScript : addPicture)(device, file));
		} catch (error) {
			if (!(error instanceof Error)) throw error;
			const { message } = error;
			const fault = error instanceof Problem ? [...error.faults.values()].join(" ") : "";
			faults.push(`${isolated(file.name)}: ${fault === "" ? message : `${message} ${fault}`}`);
		}
	}
	if (faults.length > 0) toast(faults.join(" "));
	return faults;
}
