import type { Schemas } from "../api/client";
import { shortDay, WEEKDAYS, wordsOfDays, type Weekday } from "./schedule";
import type { Device } from "./store";

export type Plan = Schemas["Plan"];
export type PlanWindow = Schemas["PlanWindow"];
type Sun = Plan["sun"];

const DAY_MINUTES = 1_440;
/** Minutes of the day that a drawn part of it has. */
export const SLOT_MINUTES = 15;

export interface PlanTime {
	kind: "clock" | "sunrise" | "sunset";
	/** Minute of the day, or minutes after sunrise or sunset. */
	minute: number;
}

export function readTime(text: string): PlanTime {
	const [, kind, offset] = /^(sunrise|sunset)([+-]\d+)?$/.exec(text) ?? [];
	if (kind === "sunrise" || kind === "sunset") return { kind, minute: Number(offset ?? 0) };
	const [hours, minutes] = text.split(":").map(Number);
	return { kind: "clock", minute: (hours ?? 0) * 60 + (minutes ?? 0) };
}

/** "07:05". */
export function clockOf(minute: number): string {
	const two = (part: number) => String(part).padStart(2, "0");
	return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

export function writeTime({ kind, minute }: PlanTime): string {
	if (kind === "clock") return clockOf(minute);
	return minute === 0 ? kind : `${kind}${minute > 0 ? "+" : ""}${minute}`;
}

/** "22:00", "sunset", "30 minutes before sunrise". */
function wordsOfTime(text: string): string {
	const { kind, minute } = readTime(text);
	if (kind === "clock" || minute === 0) return text;
	const count = Math.abs(minute);
	return `${count} minute${count === 1 ? "" : "s"} ${minute < 0 ? "before" : "after"} ${kind}`;
}

/** "Mon to Fri, 22:00 to sunrise". */
export function wordsOfWindow(window: PlanWindow): string {
	const days = wordsOfDays(window.weekdays ?? WEEKDAYS);
	const span =
		window.from === window.to
			? `24 hours from ${wordsOfTime(window.from)}`
			: `${wordsOfTime(window.from)} to ${wordsOfTime(window.to)}`;
	return days === "" ? span : `${days}, ${span}`;
}

/** "Dark", "Brightness 20 %, colours warm". nameOf: of an entry. */
export function wordsOfEffect(window: PlanWindow, nameOf: (id: string) => string): string {
	const words: string[] = [];
	if (window.dark !== undefined) words.push(window.dark ? "dark" : "not dark");
	if (window.brightness !== undefined) words.push(`brightness ${window.brightness} %`);
	if (window.colorFilter !== undefined)
		words.push(
			window.colorFilter === "none" ? "colours as they are" : `colours ${window.colorFilter}`,
		);
	if (window.installationId !== undefined) words.push(`only ${nameOf(window.installationId)}`);
	if (window.interval !== undefined) words.push(`${window.interval} seconds per entry`);
	const text = words.join(", ");
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Words for what decides a property. */
export function wordsOfSource(source: string): string {
	const index = /^windows\/(\d+)$/.exec(source)?.[1];
	if (index !== undefined) return `window ${Number(index) + 1}`;
	const words: Record<string, string> = {
		order: "by hand",
		sleep: "sleep",
		autoDim: "dimming at night",
		dim: "dimming before sleep",
	};
	return words[source] ?? "setting of the device";
}

/** Weekday (0: Monday) and minute of the day in the zone of the device. */
export function localNow(timezone: string, nowMs: number): { day: number; minute: number } {
	const parts = new Intl.DateTimeFormat("en-GB", {
		timeZone: timezone,
		weekday: "short",
		hour: "2-digit",
		minute: "2-digit",
		hourCycle: "h23",
	}).formatToParts(nowMs);
	const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
	return {
		day: WEEKDAYS.findIndex((day) => shortDay(day) === part("weekday")),
		minute: Number(part("hour")) * 60 + Number(part("minute")),
	};
}

/* ---- the week, as the server judges it ---- */

function crosses(from: PlanTime, to: PlanTime): boolean {
	if (from.kind === to.kind) return from.minute >= to.minute;
	if (from.kind === "clock") return from.minute >= (to.kind === "sunrise" ? 720 : 1_260);
	if (to.kind === "clock") return to.minute < (from.kind === "sunset" ? 720 : 180);
	return from.kind === "sunset";
}

function minuteOf({ kind, minute }: PlanTime, sun: Sun): number {
	if (kind === "clock") return minute;
	const event = kind === "sunrise" ? sun.sunrise : sun.sunset;
	return Math.min(DAY_MINUTES, Math.max(0, event + (sun.rises ? minute : 0)));
}

/** Whether a window is open on a weekday (0: Monday), by today's sun. */
export function isOpen(window: PlanWindow, sun: Sun, day: number, minute: number): boolean {
	const from = readTime(window.from);
	const to = readTime(window.to);
	const start = minuteOf(from, sun);
	const end = minuteOf(to, sun);
	const days: readonly (Weekday | undefined)[] = window.weekdays ?? WEEKDAYS;
	const begins = (on: number) => days.includes(WEEKDAYS[(on + 7) % 7]);
	if (!crosses(from, to)) return minute >= start && minute < end && begins(day);
	const last = Math.min(end, start);
	return (minute >= start && begins(day)) || (minute < last && begins(day - 1));
}

/** Whether the sleep window of a device is open. */
export function isSleepTime({ sleep, timezone }: Device, nowMs: number): boolean {
	const { day, minute } = localNow(timezone, nowMs);
	const sun = { rises: true, sunrise: 0, sunset: 0 };
	return sleep.enabled && isOpen({ from: sleep.start, to: sleep.end }, sun, day, minute);
}

export interface Slot {
	/** 0 is dark. */
	brightness: number;
	/** It has colours, an entry or an interval of its own. */
	isSpecial: boolean;
}

function dimmed(device: Device, brightness: number, minute: number, sun: Sun, day: number): number {
	const at = (from: string, to: string) => isOpen({ from, to }, sun, day, minute);
	let now = brightness;
	if (device.autoDim && at("21:00", "07:00")) now = Math.max(1, Math.floor(now * 0.3));
	if (device.dimEnabled && at(device.dimStart, device.sleep.end))
		now = Math.min(now, device.dimBrightness);
	return now;
}

function slotAt(device: Device, { windows, sun }: Plan, day: number, minute: number): Slot {
	let brightness = dimmed(device, device.brightness, minute, sun, day);
	let isDark = device.brightness === 0;
	let isSpecial = false;
	const own = windows.filter((window) => isOpen(window, sun, day, minute));
	for (const window of own) {
		brightness = window.brightness ?? brightness;
		isDark = window.dark ?? isDark;
		isSpecial ||=
			window.colorFilter !== undefined ||
			window.installationId !== undefined ||
			window.interval !== undefined;
	}
	const { enabled, start, end } = device.sleep;
	const sleeps = enabled && isOpen({ from: start, to: end }, sun, day, minute);
	const isLit = !sleeps && !isDark && device.brightness > 0;
	return { brightness: isLit ? brightness : 0, isSpecial };
}

export interface Span extends Slot {
	from: number;
	to: number;
}

/** Parts of each weekday, from midnight to midnight, and what holds in them. Monday is first. */
export function weekOf(device: Device, plan: Plan): Span[][] {
	return WEEKDAYS.map((_, day) => {
		const spans: Span[] = [];
		for (let minute = 0; minute < DAY_MINUTES; minute += SLOT_MINUTES) {
			const slot = slotAt(device, plan, day, minute);
			const last = spans.at(-1);
			if (last?.brightness === slot.brightness && last.isSpecial === slot.isSpecial)
				last.to = minute + SLOT_MINUTES;
			else spans.push({ ...slot, from: minute, to: minute + SLOT_MINUTES });
		}
		return spans;
	});
}
