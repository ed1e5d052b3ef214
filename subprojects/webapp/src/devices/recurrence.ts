/** Rules of recurrence (RFC 5545) as plain choices. */

export const CHOICES = {
	day: "Every day",
	weeks: "Every few weeks",
	monthDays: "On days of the month",
	monthWeekday: "On a weekday of the month",
	year: "Once a year, on its first day",
	own: "By another rule",
} as const;

export type Choice = keyof typeof CHOICES;

export const PLACES: Readonly<Record<string, string>> = {
	"1": "First",
	"2": "Second",
	"3": "Third",
	"4": "Fourth",
	"-1": "Last",
};

const CODES = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;

export interface Recurrence {
	choice: Choice;
	/** Weeks from one to the next. */
	every: number;
	/** "1,15,-1": the last is -1. */
	monthDays: string;
	/** A key of PLACES. */
	place: string;
	/** 0 is Monday. */
	weekday: number;
	/** "2026-12-24"; empty: no last day. */
	until: string;
	/** The rule itself. */
	rule: string;
}

const USUAL = { every: 2, monthDays: "1", place: "1", weekday: 0 };

/** Returns the choice that stands for the parts without UNTIL. */
function choiceOf(parts: string): Partial<Recurrence> & { choice: Choice } {
	if (parts === "" || parts === "FREQ=DAILY") return { choice: "day" };
	if (parts === "FREQ=YEARLY") return { choice: "year" };
	const weeks = /^FREQ=WEEKLY;INTERVAL=(\d+);BYDAY=MO,TU,WE,TH,FR,SA,SU$/.exec(parts);
	if (weeks) return { choice: "weeks", every: Number(weeks[1]) };
	const days = /^FREQ=MONTHLY;BYMONTHDAY=([\d,-]+)$/.exec(parts);
	if (days) return { choice: "monthDays", monthDays: days[1] ?? "" };
	const weekday = /^FREQ=MONTHLY;BYDAY=(-1|[1-4])([A-Z]{2})$/.exec(parts);
	if (weekday)
		return {
			choice: "monthWeekday",
			place: weekday[1] ?? "1",
			weekday: CODES.findIndex((code) => code === weekday[2]),
		};
	return { choice: "own" };
}

export function readRule(rule: string): Recurrence {
	const parts = rule.split(";");
	const until = /^UNTIL=(\d{4})(\d{2})(\d{2})$/.exec(
		parts.find((part) => part.startsWith("UNTIL=")) ?? "",
	);
	const rest = parts
		.filter((part) => !part.startsWith("UNTIL=") && part !== "INTERVAL=1" && part !== "WKST=MO")
		.join(";");
	return {
		...USUAL,
		...choiceOf(rest),
		until: until ? until.slice(1).join("-") : "",
		rule,
	};
}

export function writeRule(recurrence: Recurrence): string {
	const { choice, every, monthDays, place, weekday, until, rule } = recurrence;
	if (choice === "own") return rule;
	const parts = {
		day: "FREQ=DAILY",
		weeks: `FREQ=WEEKLY;INTERVAL=${every};BYDAY=${CODES.join(",")}`,
		monthDays: `FREQ=MONTHLY;BYMONTHDAY=${monthDays}`,
		monthWeekday: `FREQ=MONTHLY;BYDAY=${place}${CODES[weekday] ?? "MO"}`,
		year: "FREQ=YEARLY",
	}[choice];
	if (until !== "") return `${parts};UNTIL=${until.replaceAll("-", "")}`;
	return choice === "day" ? "" : parts;
}

/** Returns "1,15,-1" of "1, 15, last"; undefined if it is no list of days. */
export function readMonthDays(text: string): string | undefined {
	const days = text.split(",").map((word) => (/^last$/i.test(word.trim()) ? "-1" : word.trim()));
	return days.every((day) => day === "-1" || /^([1-9]|[12]\d|3[01])$/.test(day))
		? days.join(",")
		: undefined;
}

export function wordsOfMonthDays(days: string): string {
	return days
		.split(",")
		.map((day) => (day === "-1" ? "last" : day))
		.join(", ");
}

/** Returns "every 2 weeks, until 2026-12-24"; "" if it is every day. */
export function wordsOfRecurrence(
	rule: string,
	start: string,
	weekdays: readonly string[],
): string {
	const { choice, every, monthDays, place, weekday, until } = readRule(rule);
	const what = {
		day: "",
		weeks: every === 1 ? "" : `every ${every} weeks`,
		monthDays: `on day ${wordsOfMonthDays(monthDays)} of the month`,
		monthWeekday: `on the ${(PLACES[place] ?? "").toLowerCase()} ${weekdays[weekday] ?? ""} of the month`,
		year: start === "" ? "on 1 January" : "once a year",
		own: `by the rule ${rule}`,
	}[choice];
	return [what, start === "" ? "" : `from ${start}`, until === "" ? "" : `until ${until}`]
		.filter((words) => words !== "")
		.join(", ");
}
