import type { Device, Entry } from "./store";

export const WEEKDAYS = [
	"monday",
	"tuesday",
	"wednesday",
	"thursday",
	"friday",
	"saturday",
	"sunday",
] as const;

export type Weekday = (typeof WEEKDAYS)[number];

/** "Mon". */
export function shortDay(day: Weekday): string {
	return day.charAt(0).toUpperCase() + day.slice(1, 3);
}

/** "Wednesday". */
export function longDay(day: Weekday): string {
	return day.charAt(0).toUpperCase() + day.slice(1);
}

function isRow(days: readonly Weekday[]): boolean {
	const first = WEEKDAYS.indexOf(days[0] ?? "monday");
	return days.every((day, i) => WEEKDAYS[first + i] === day);
}

/** Returns "Mon to Fri", "Sat and Sun" or "Mon, Wed and Fri"; "" if it is every day. */
function wordsOfDays(days: readonly Weekday[]): string {
	if (days.length === WEEKDAYS.length) return "";
	const words = days.map(shortDay);
	const last = words.at(-1) ?? "";
	if (days.length > 2 && isRow(days)) return `${words[0] ?? ""} to ${last}`;
	return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}

/** Returns "Mon to Fri, 07:00 to 09:00"; "" if it is shown at any time. */
export function wordsOfSchedule({ hours, weekdays }: Pick<Entry, "hours" | "weekdays">): string {
	const days = wordsOfDays(weekdays);
	if (!hours) return days;
	const span =
		hours.start === hours.end
			? `24 hours from ${hours.start}`
			: `${hours.start} to ${hours.end}${hours.end < hours.start ? " the next day" : ""}`;
	return days === "" ? span : `${days}, ${span}`;
}

interface LocalTime {
	/** Index in WEEKDAYS. */
	weekday: number;
	/** "HH:mm" */
	clock: string;
}

/** Local time in a time zone; undefined if this browser does not know the zone. */
export function localTime(timeZone: string, nowMs: number): LocalTime | undefined {
	try {
		const parts = new Intl.DateTimeFormat("en-GB", {
			timeZone,
			weekday: "long",
			hour: "2-digit",
			minute: "2-digit",
			hourCycle: "h23",
		}).formatToParts(nowMs);
		const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
		const weekday = WEEKDAYS.findIndex((day) => longDay(day) === part("weekday"));
		return { weekday, clock: `${part("hour")}:${part("minute")}` };
	} catch {
		return undefined;
	}
}

/** Whether it is shown at this local time of its device, by the same rule as on the server. */
export function isOnAt(
	{ hours, weekdays }: Pick<Entry, "hours" | "weekdays">,
	{ weekday, clock }: LocalTime,
): boolean {
	const isDay = (i: number) => {
		const day = WEEKDAYS[(i + 7) % 7];
		return day !== undefined && weekdays.includes(day);
	};
	if (!hours) return isDay(weekday);
	const { start, end } = hours;
	if (start < end) return start <= clock && clock < end && isDay(weekday);
	return clock >= start ? isDay(weekday) : clock < end && isDay(weekday - 1);
}

export interface Standing {
	/** Whether it is in the rotation now. */
	isShown: boolean;
	/** Text about when the entry is shown, or why not; "" if it has no rules of its own. */
	words: string;
}

/** Returns the state of an entry in its rotation at this time, by the rules of its owner. */
export function standingOf(
	device: Device,
	entry: Entry,
	pinned: Entry | undefined,
	nowMs: number,
): Standing {
	const schedule = wordsOfSchedule(entry);
	const time = entry.displaySeconds === null ? "" : `${entry.displaySeconds} s each time`;
	const join = (...words: string[]) => words.filter((word) => word !== "").join(", ");
	if (entry.isPinned)
		return entry.picture === null
			? { isShown: false, words: "Pinned, but nothing to show now: the rotation continues" }
			: { isShown: true, words: "Pinned: only this is shown" };
	if (pinned && pinned.picture !== null)
		return { isShown: false, words: "Hidden while another entry is pinned" };
	if (!entry.isEnabled) return { isShown: false, words: "Switched off" };
	if (entry.picture === null) return { isShown: false, words: "Nothing to show now" };
	const local = localTime(device.timezone, nowMs);
	return {
		isShown: !local || isOnAt(entry, local),
		words: schedule === "" ? time && `Shown ${time}` : join(`Shown ${schedule}`, time),
	};
}
