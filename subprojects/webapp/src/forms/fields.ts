/** A field of an app's form (docs/api/pages/apps.yaml has the same). */
export interface FormField {
	id: string;
	type: string;
	name: string;
	description: string;
	/** null: none. */
	defaultValue: string | null;
	options: readonly FormOption[];
	palette: readonly string[];
	/** ID of the field from whose value the handler makes fields; only of type "generated". */
	source: string | null;
	visibility: Visibility | null;
	secret: boolean;
	/** Why it cannot be edited here. */
	unavailable: string | null;
}

export interface FormOption {
	display: string;
	/** The same text, for older apps. */
	text: string;
	value: string;
}

interface Visibility {
	type: string;
	condition: string;
	variable: string;
	value: string;
}

/**
 * Values by the IDs of the fields. A missing one has the schema's default, also in later versions.
 * null: remove a stored secret.
 */
export type Settings = Readonly<Record<string, string | null>>;

/** Returns the value of a field: the one that was set, or else its default. */
export function valueOf(field: FormField, settings: Settings): string {
	return settings[field.id] ?? field.defaultValue ?? "";
}

export type Presence = "shown" | "disabled" | "hidden";

/** Whether a field is visible and can be changed. Its rule says when it is not. */
export function presenceOf(
	field: FormField,
	fields: readonly FormField[],
	settings: Settings,
): Presence {
	if (field.type === "generated") return "hidden";
	const rule = field.visibility;
	if (!rule) return "shown";
	const other = fields.find(({ id }) => id === rule.variable);
	const value = other ? valueOf(other, settings) : (settings[rule.variable] ?? "");
	const isEqual = value === rule.value;
	if (isEqual !== (rule.condition === "equal")) return "shown";
	return rule.type === "disabled" ? "disabled" : "hidden";
}

/** Returns a unique key for each field's element: several fields may have the same ID. */
export function keysOf(fields: readonly FormField[]): string[] {
	const seen = new Map<string, number>();
	return fields.map(({ id, type }) => {
		const name = `${type} ${id}`;
		const count = (seen.get(name) ?? 0) + 1;
		seen.set(name, count);
		return `${name} ${count}`;
	});
}

/** Returns the settings with another value; undefined: the field's default again. */
export function withValue(
	settings: Settings,
	id: string,
	value: string | null | undefined,
): Settings {
	const others = Object.entries(settings).filter(([other]) => other !== id);
	return Object.fromEntries(value === undefined ? others : [...others, [id, value]]);
}

/**
 * Returns the settings after an app has made other fields than before: adds the defaults of new
 * fields, which only this form knows, and drops the values of removed fields. A default never
 * replaces a stored secret.
 */
export function withMade(
	settings: Settings,
	own: readonly FormField[],
	before: readonly FormField[],
	made: readonly FormField[],
	secrets: ReadonlySet<string>,
): Settings {
	const stay = new Set([...own, ...made].map(({ id }) => id));
	const gone = new Set(before.map(({ id }) => id).filter((id) => !stay.has(id)));
	const kept = Object.entries(settings).filter(([id]) => !gone.has(id));
	const defaults = made.flatMap(({ id, defaultValue }) =>
		defaultValue === null || secrets.has(id) ? [] : [[id, defaultValue] as const],
	);
	return { ...Object.fromEntries(defaults), ...Object.fromEntries(kept) };
}

/** Returns the settings as text in a fixed order, for comparison. */
export function textOf(settings: Settings): string {
	return JSON.stringify(Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function wordsOf(option: FormOption): string {
	return option.display || option.text || option.value;
}

function objectIn(text: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
	} catch {
		return {};
	}
}

function textIn(object: Record<string, unknown>, name: string): string {
	const value = object[name];
	return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Reads the chosen option among those a handler has found; undefined: none yet. */
export function readOption(text: string): FormOption | undefined {
	const object = objectIn(text);
	const value = textIn(object, "value");
	if (value === "") return undefined;
	const words = textIn(object, "display") || textIn(object, "text") || value;
	return { value, display: words, text: words };
}

/** Writes an option in the format that apps read. */
export function writeOption(option: FormOption): string {
	const words = wordsOf(option);
	return JSON.stringify({ display: words, text: words, value: option.value });
}

/** A place on Earth. */
export interface Place {
	name: string;
	latitude: number;
	longitude: number;
	timezone: string;
}

/** Reads a place; undefined: none yet, or an invalid one. */
export function readPlace(text: string): Place | undefined {
	const object = objectIn(text);
	const [latitude, longitude] = [textIn(object, "lat"), textIn(object, "lng")];
	if (latitude === "" || longitude === "") return undefined;
	const place = {
		name: textIn(object, "description") || textIn(object, "locality"),
		latitude: Number(latitude),
		longitude: Number(longitude),
		timezone: textIn(object, "timezone"),
	};
	return Number.isFinite(place.latitude) && Number.isFinite(place.longitude) ? place : undefined;
}

/** Writes a place in the format that apps read: numbers are texts. */
export function writePlace(place: Place): string {
	const [locality = ""] = place.name.split(",");
	return JSON.stringify({
		lat: String(place.latitude),
		lng: String(place.longitude),
		description: place.name,
		locality,
		place_id: "",
		timezone: place.timezone,
	});
}

/** Value of a setting that takes the device's place, also after that changes. */
export const DEVICE_PLACE = '{"place":"device"}';

/** Returns settings that take the device's place, for a form that is filled in for the first time. */
export function settingsAt(devicePlace: string, fields: readonly FormField[]): Settings {
	if (devicePlace === "") return {};
	const places = fields.filter(({ type, secret }) => type === "location" && !secret);
	return Object.fromEntries(places.map(({ id }) => [id, DEVICE_PLACE]));
}

/** Reads typed degrees; a comma counts as a point. undefined: invalid. */
export function readDegrees(text: string, largest: number): number | undefined {
	const clean = text.trim().replace(",", ".").replace("−", "-");
	if (!/^[+-]?\d{1,3}(\.\d*)?$/.test(clean)) return undefined;
	const degrees = Number(clean);
	return Math.abs(degrees) <= largest ? degrees : undefined;
}

const HUES: readonly [to: number, name: string][] = [
	[15, "red"],
	[45, "orange"],
	[70, "yellow"],
	[165, "green"],
	[200, "cyan"],
	[255, "blue"],
	[290, "purple"],
	[345, "pink"],
	[360, "red"],
];

/** Returns a rough name of a colour: "#40a0ff" is "light blue". */
export function nameOfColour(colour: string): string {
	const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
		parseInt(colour.slice(at, at + 2), 16),
	);
	const most = Math.max(red, green, blue);
	const spread = most - Math.min(red, green, blue);
	const light = (2 * most - spread) / 510;
	if (light > 0.95) return "white";
	if (light < 0.05) return "black";
	const shade = light > 0.6 ? "light " : light < 0.3 ? "dark " : "";
	if (spread < 0.12 * 255) return `${shade}grey`;
	const turn =
		most === red
			? (green - blue) / spread
			: most === green
				? (blue - red) / spread + 2
				: (red - green) / spread + 4;
	const hue = (turn * 60 + 360) % 360;
	return `${shade}${HUES.find(([to]) => hue < to)?.[1] ?? ""}`;
}

/** "#abc" and "AABBCC" as "#aabbcc"; undefined for what is no colour. */
export function readColour(text: string): string | undefined {
	const digits = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim())?.[1]?.toLowerCase();
	if (digits === undefined) return undefined;
	return `#${digits.length === 3 ? digits.replace(/./g, "$&$&") : digits}`;
}
