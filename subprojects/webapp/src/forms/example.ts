import type { FormField, FormOption } from "./fields";
import type { Answers } from "./props";

function fieldOf(given: Partial<FormField> & { id: string; type: string }): FormField {
	return {
		name: given.id,
		description: "",
		defaultValue: null,
		options: [],
		palette: [],
		source: null,
		visibility: null,
		secret: false,
		unavailable: null,
		...given,
	};
}

function option(value: string, words = value): FormOption {
	return { value, display: words, text: words };
}

const sizes = () => ["Small", "Medium", "Large"].map((words) => option(words.toLowerCase(), words));
const lines = () => ["1", "6", "11", "14", "17"].map((line) => option(line, `Line ${line}`));

/** A form with a field of each type, for the page of components. */
export const exampleFields = (): readonly FormField[] => [
	fieldOf({
		id: "name",
		type: "text",
		name: "Name",
		description: "The person to greet",
		defaultValue: "world",
	}),
	fieldOf({ id: "speed", type: "text", name: "Speed", defaultValue: "fast" }),
	fieldOf({ id: "key", type: "text", name: "API key", secret: true }),
	fieldOf({ id: "token", type: "text", name: "Token", secret: true }),
	fieldOf({
		id: "size",
		type: "dropdown",
		name: "Size",
		description: "Size of the digits",
		defaultValue: "medium",
		options: sizes(),
	}),
	fieldOf({ id: "line", type: "dropdown", name: "Line", defaultValue: "6", options: lines() }),
	fieldOf({
		id: "seconds",
		type: "onoff",
		name: "With seconds",
		description: "The dots blink too",
		defaultValue: "true",
	}),
	fieldOf({
		id: "blink",
		type: "onoff",
		name: "Blink at midnight",
		defaultValue: "false",
		visibility: {
			type: "disabled",
			condition: "not_equal",
			variable: "seconds",
			value: "true",
		},
	}),
	fieldOf({ id: "colour", type: "color", name: "Colour", defaultValue: "#ffb03c" }),
	fieldOf({
		id: "until",
		type: "datetime",
		name: "Until",
		description: "The day to count down to",
	}),
	fieldOf({ id: "place", type: "location", name: "Place" }),
	fieldOf({ id: "photo", type: "png", name: "Photo", description: "A photo of the person" }),
	fieldOf({ id: "pet", type: "typeahead", name: "Pet", description: "Try a or d" }),
	fieldOf({ id: "more", type: "generated", source: "pet" }),
	fieldOf({ id: "stop", type: "locationbased", name: "Stop" }),
	fieldOf({
		id: "login",
		type: "oauth2",
		name: "Account",
		unavailable:
			"This app asks you to sign in to another service. This server does not support that.",
	}),
];

const pets = () => ["Dog", "Cat", "Axolotl"].map((words) => option(words.toLowerCase(), words));
const PLACES = [
	{ name: "Zagreb, Croatia", latitude: 45.81, longitude: 15.98, timezone: "Europe/Zagreb" },
	{ name: "Zadar, Croatia", latitude: 44.12, longitude: 15.23, timezone: "Europe/Zagreb" },
	{ name: "Zürich, Switzerland", latitude: 47.37, longitude: 8.55, timezone: "Europe/Zurich" },
];

function beginning<T>(list: readonly T[], words: (one: T) => string, text: string): T[] {
	return list.filter((one) => words(one).toLowerCase().startsWith(text.toLowerCase()));
}

export const exampleAnswers: Answers = {
	options: (field, text) =>
		Promise.resolve(
			field.type === "typeahead" ? beginning(pets(), ({ display }) => display, text) : lines(),
		),
	fields: (_, pet) =>
		Promise.resolve(
			pet.includes('"dog"')
				? [fieldOf({ id: "leash", type: "onoff", name: "Leash", defaultValue: "true" })]
				: [],
		),
	places: (text) => Promise.resolve(beginning(PLACES, ({ name }) => name, text)),
};
