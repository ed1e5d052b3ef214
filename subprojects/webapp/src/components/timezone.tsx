import type { JSX } from "preact";
import { get } from "../api/client";
import { findOptions } from "./combobox";
import { Finder } from "./finder";

export function browserTimezone(): string {
	return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns "14:05, GMT+1" if the browser knows the zone. */
function timeIn(zone: string): string {
	try {
		const parts = new Intl.DateTimeFormat("en-GB", {
			timeZone: zone,
			hour: "2-digit",
			minute: "2-digit",
			timeZoneName: "shortOffset",
		}).formatToParts(new Date());
		const part = (type: string) => parts.find((other) => other.type === type)?.value ?? "";
		return `${part("hour")}:${part("minute")}, ${part("timeZoneName")}`;
	} catch {
		return "";
	}
}

interface ZoneMatch {
	zone: string;
	/** City by whose name the zone was found. */
	city?: string;
}

/** The server's list of zones. A browser's own list may have older names, or lack newer ones. */
let zones: Promise<readonly string[]> | undefined;

function zoneList(): Promise<readonly string[]> {
	zones ??= get("/web/timezones").then(
		({ names }) => names,
		(error: unknown) => {
			zones = undefined;
			throw error;
		},
	);
	return zones;
}

/** Finds zones by their names, and by names of cities, in the languages of the list of places. */
async function findZones(text: string): Promise<readonly ZoneMatch[]> {
	const [names, places] = await Promise.all([
		zoneList(),
		text.length < 2 ? [] : get("/web/places", { search: text }),
	]);
	const own = findOptions(names, text).map((zone) => ({ zone }));
	const known = new Set(names);
	const seen = new Set(own.map(({ zone }) => zone));
	const found = places.flatMap(({ name, timezone }) => {
		if (seen.has(timezone) || !known.has(timezone)) return [];
		seen.add(timezone);
		return [{ zone: timezone, city: name }];
	});
	return [...own, ...found];
}

interface TimezoneProps {
	value: string;
	onChoose: (zone: string) => void;
	fault?: string | undefined;
	said?: string | undefined;
}

export function Timezone({ value, onChoose, fault, said }: TimezoneProps): JSX.Element {
	return (
		<Finder
			label="Time zone"
			value={value}
			find={findZones}
			findsAll
			matchOf={({ zone, city }: ZoneMatch) => ({
				key: zone,
				words: zone,
				about: city === undefined ? timeIn(zone) : `${city}, ${timeIn(zone)}`,
			})}
			onChoose={({ zone }) => {
				if (zone !== value) onChoose(zone);
			}}
			nothing="No matching time zone or city"
			fault={fault}
			said={said}
			help={`Local time: ${timeIn(value)}`}
		/>
	);
}
