import { panelNews } from "../api/live";
import type { Device } from "./store";

/** How what was pushed is shown: as an entry of the rotation or for a while, and whether it waits for its turn. */
interface Way {
	isEntry: boolean;
	isQuiet: boolean;
}

/** A parameter of that field. */
function parameterOf(shown: string, name: string): string | undefined {
	const value = new RegExp(`; ${name}=(.*)$`).exec(shown)?.[1];
	return value === undefined ? undefined : decodeURIComponent(value);
}

/** Describes the result of a push by the header field Displayd-Shown of the answer. */
export function saidOf(device: Device, what: string, way: Way, shown: string): string {
	const until = parameterOf(shown, "until");
	switch (shown.split(";")[0]) {
		case "pinned":
			return `${what} is in the rotation, but hidden while ${parameterOf(shown, "id")} is pinned`;
		case "later":
			return `${what} is in the rotation`;
	}
	if (way.isEntry && way.isQuiet) return `${what} is in the rotation`;
	if (device.isDisabled) return `${what} will wait: the device is disabled`;
	switch (shown.split(";")[0]) {
		case "dark":
			return `${what} will wait: the panel's brightness is 0`;
		case "asleep":
			return `${what} will wait: the panel sleeps${until === undefined ? "" : ` until ${until}`}`;
		case "never":
			return `${what} will wait until a panel has connected`;
		case "offline":
			return `${what} will wait until the panel is online`;
	}
	return panelNews(device.id).value?.connection === "polling"
		? `${what} will be shown at the panel's next poll`
		: `${what} is on its way`;
}
