import { wordsOfRecurrence } from "./recurrence";
import type { Entry } from "./store";

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
export function wordsOfDays(days: readonly Weekday[]): string {
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

const STANDING: Partial<Record<Entry["standing"], string>> = {
	off: "Switched off",
	empty: "Nothing to show now",
	hidden: "Hidden while another entry is pinned or pins itself",
	pinned: "Pinned: only this is shown",
	pinned_empty: "Pinned, but nothing to show now: the rotation continues",
};

/** Text about when an entry is shown, or why not; "" if it has no rules of its own. */
export function wordsOfStanding(entry: Entry): string {
	const words = STANDING[entry.standing];
	if (words !== undefined) return words;
	const schedule = wordsOfSchedule(entry);
	const time = entry.displaySeconds === null ? "" : `${entry.displaySeconds} s each time`;
	const days = wordsOfRecurrence(
		entry.recurrenceRule,
		entry.recurrenceStart,
		WEEKDAYS.map(longDay),
	);
	const rules = [days, schedule, time].filter((part) => part !== "").join(", ");
	return rules === "" ? "" : `Shown ${rules}`;
}
