/** Local time, "2026-12-24T18:00", as in a browser's field for date and time. */
export type WallTime = string;

const parts = {
	year: "numeric",
	month: "2-digit",
	day: "2-digit",
	hour: "2-digit",
	minute: "2-digit",
	second: "2-digit",
	hourCycle: "h23",
} as const;

function formatOf(zone: string): Intl.DateTimeFormat {
	try {
		return new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: zone });
	} catch {
		return new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: "UTC" });
	}
}

/** Converts a moment to the local time of a zone, as if that were UTC. */
function wallMs(atMs: number, format: Intl.DateTimeFormat): number {
	const part = Object.fromEntries(
		format.formatToParts(new Date(atMs)).map(({ type, value }) => [type, Number(value)]),
	);
	const at = (name: string) => part[name] ?? 0;
	const [year, month, day] = [at("year"), at("month") - 1, at("day")];
	return Date.UTC(year, month, day, at("hour"), at("minute"), at("second"));
}

/** Returns the local time in a zone at a moment (RFC 3339); "" if the moment is invalid. */
export function wallTimeOf(moment: string, zone: string): WallTime {
	const atMs = Date.parse(moment);
	if (Number.isNaN(atMs)) return "";
	return new Date(wallMs(atMs, formatOf(zone))).toISOString().slice(0, 16);
}

/**
 * Returns the moment of a local time in the zone. If the time exists twice, the first one; if it is
 * skipped, it is later by the change of the clocks.
 */
export function momentOf(wall: WallTime, zone: string): string | undefined {
	const wantedMs = Date.parse(`${wall}Z`);
	if (Number.isNaN(wantedMs)) return undefined;
	const format = formatOf(zone);
	const dayMs = 86_400_000;
	// The zone's offsets a day before and after: one of them is right, unless there are two changes
	// in between.
	const offsets = [-dayMs, dayMs].map((apart) => {
		const nearMs = wantedMs + apart;
		return wallMs(nearMs, format) - nearMs;
	});
	const candidates = offsets.map((offset) => wantedMs - offset);
	const found = candidates.filter((atMs) => wallMs(atMs, format) === wantedMs);
	const atMs = found.length > 0 ? Math.min(...found) : Math.max(...candidates);
	return new Date(atMs).toISOString().replace(/\.000Z$/, "Z");
}
