import { isolated } from "../components/isolated";
import { relativeTime } from "../components/time";
import type { PanelState } from "../components/panel";
import type { PanelNews } from "../stream/news";
import { isSleepTime } from "./plan";
import type { Device, Entry } from "./store";

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface Face {
	state: PanelState;
	/** Name of the shown picture; undefined: the panel is dark. */
	picture: string | undefined;
	/** 0 to 100. */
	brightness: number;
	/** Text on the panel. */
	says: string | undefined;
}

const DARK: Face = { state: "on", picture: undefined, brightness: 100, says: undefined };

/** Appearance of a panel. */
export function faceOf(device: Device, news: PanelNews | undefined, nowMs: number): Face {
	const picture = news?.picture ?? undefined;
	if (device.isDisabled) return { ...DARK, state: "offline", picture, says: "Disabled" };
	if (device.connectedAt === null && !news?.isOnline)
		return { ...DARK, state: "never", says: "Not connected yet" };
	if (!news) return DARK;
	if (!news.isOnline) {
		const seen = relativeTime(Date.parse(news.lastOnline), nowMs);
		return { ...DARK, state: "offline", picture, says: `Last seen ${seen}` };
	}
	if (news.kind === "asleep") return { ...DARK, state: "asleep" };
	const brightness = news.brightness ?? device.brightness;
	return { ...DARK, picture, brightness: news.kind === "dark" ? 0 : brightness };
}

/** An entry and its name for people. */
export interface Called {
	installationId: string;
	name: string;
}

/** Name of an entry for people. */
export function nameOfEntry(entry: Entry): string {
	return entry.name ?? entry.appName ?? entry.installationId;
}

/** Returns the entries of a rotation with their names for people. */
export function calledIn(entries: readonly Entry[]): Called[] {
	return entries.map((entry) => ({
		installationId: entry.installationId,
		name: nameOfEntry(entry),
	}));
}

interface Shown {
	kind: PanelNews["kind"];
	installationId: string | null;
}

/** Name of a picture for people. */
export function nameOf({ kind, installationId }: Shown, entries?: readonly Called[]): string {
	if (kind === "temporary") return "A temporary picture";
	if (kind === "nothing") return "Nothing";
	if (installationId === null) return "A picture";
	const entry = entries?.find((other) => other.installationId === installationId);
	if (entry) return isolated(entry.name);
	return ID.test(installationId) ? "An app" : isolated(installationId);
}

function clock(text: string): string {
	return new Date(text).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/** Returns "for 9 s", or "until 14:05" for long times. */
function timeLeft(until: string, nowMs: number): string {
	const seconds = Math.max(0, Math.round((Date.parse(until) - nowMs) / 1000));
	return seconds < 100 ? `for ${seconds} s` : `until ${clock(until)}`;
}

/** Returns the line below a panel: the current picture, for how long, and the next one. */
export function lineOf(
	device: Device,
	news: PanelNews | undefined,
	nowMs: number,
	entries?: readonly Called[],
): string {
	if (device.isDisabled) return "Panel is refused";
	if (device.connectedAt === null && !news?.isOnline) return "Waiting for the panel";
	if (!news) return "\u00a0";
	if (!news.isOnline) return "Offline";
	if (news.kind === "asleep")
		return isSleepTime(device, nowMs) ? `Asleep until ${device.sleep.end}` : "Asleep";
	if (news.kind === "dark") return "Dark: brightness is 0";
	if (news.kind === "nothing") return "Nothing to show yet";
	if (news.kind === "unknown" || news.picture === null) return "Online";
	const name = nameOf(news, entries);
	const line = news.isAcknowledged ? name : `Sent: ${name}`;
	if (news.kind === "night") return `${line} until ${device.sleep.end}`;
	if (news.kind === "pinned") return `${line}, pinned`;
	const isAlone = !news.next || news.next.installationId === news.installationId;
	const rest = isAlone ? "" : `, then ${nameOf(news.next ?? news, entries)}`;
	if (news.until !== null && !(isAlone && news.kind === "rotation"))
		return `${line} ${timeLeft(news.until, nowMs)}${rest}`;
	return rest === "" && news.since !== null ? `${line} since ${clock(news.since)}` : line + rest;
}
