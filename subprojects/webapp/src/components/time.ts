const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
	["year", 31_557_600],
	["month", 2_629_800],
	["week", 604_800],
	["day", 86_400],
	["hour", 3_600],
	["minute", 60],
];

/**
 * "2 minutes ago", "in 7 days": in the largest unit that fits; below a minute "just now", since the
 * clocks of browser and server differ.
 */
export function relativeTime(at: number, now: number): string {
	const seconds = (at - now) / 1000;
	const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
	for (const [unit, length] of STEPS) {
		if (Math.abs(seconds) >= length)
			return format.format(
				seconds < 0 ? Math.trunc(seconds / length) : Math.round(seconds / length),
				unit,
			);
	}
	return "just now";
}

const BROWSERS: [RegExp, string][] = [
	[/Edg(?:e|A|iOS)?\//, "Edge"],
	[/OPR\/|Opera/, "Opera"],
	[/SamsungBrowser\//, "Samsung Internet"],
	[/Firefox\/|FxiOS\//, "Firefox"],
	[/HeadlessChrome\/|Chrome\/|Chromium\/|CriOS\//, "Chrome"],
	[/Safari\//, "Safari"],
];
const SYSTEMS: [RegExp, string][] = [
	[/Android/, "Android"],
	[/iPhone/, "iPhone"],
	[/iPad/, "iPad"],
	[/Windows/, "Windows"],
	[/Mac OS X|Macintosh/, "Mac"],
	[/\bCr.S\b/, "ChromeOS"],
	[/Linux|X11/, "Linux"],
];

/** Returns "Firefox on Windows", as far as the user agent can be trusted. */
export function browserName(userAgent: string): string {
	const find = (list: [RegExp, string][]) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
	const browser = find(BROWSERS);
	const system = find(SYSTEMS);
	if (browser === undefined) return userAgent.slice(0, 40) || "Unknown browser";
	return system === undefined ? browser : `${browser} on ${system}`;
}
