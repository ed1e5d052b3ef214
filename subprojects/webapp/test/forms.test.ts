import assert from "node:assert/strict";
import { test } from "node:test";
import {
	keysOf,
	presenceOf,
	readColour,
	readDegrees,
	readOption,
	readPlace,
	textOf,
	valueOf,
	nameOfColour,
	withMade,
	withValue,
	writeOption,
	writePlace,
	type FormField,
} from "../src/forms/fields";
import { momentOf, wallTimeOf } from "../src/forms/moment";

function fieldOf(given: Partial<FormField> & { id: string }): FormField {
	return {
		type: "text",
		name: "",
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

const login = fieldOf({ id: "login", name: "Login", defaultValue: "" });
const list = (condition: string, type = "invisible"): FormField =>
	fieldOf({ id: "list", visibility: { type, condition, variable: "login", value: "" } });

void test("a field has what was set, or its default", () => {
	const field = fieldOf({ id: "who", defaultValue: "world" });
	assert.equal(valueOf(field, {}), "world");
	assert.equal(valueOf(field, { who: "" }), "");
	assert.equal(valueOf(fieldOf({ id: "who" }), {}), "");
});

void test("a rule says when a field is not to be seen", () => {
	const fields = [login, list("equal")];
	assert.equal(presenceOf(list("equal"), fields, {}), "hidden");
	assert.equal(presenceOf(list("equal"), fields, { login: "ada" }), "shown");
	assert.equal(presenceOf(list("not_equal"), fields, { login: "ada" }), "hidden");
	assert.equal(presenceOf(list("not_equal"), fields, {}), "shown");
	assert.equal(presenceOf(list("equal", "disabled"), fields, {}), "disabled");
});

void test("several fields of one ID have their own keys, which stay", () => {
	const colour = fieldOf({ id: "a", type: "color" });
	const fields = [fieldOf({ id: "a" }), colour, fieldOf({ id: "a" }), fieldOf({ id: "b" })];
	assert.equal(new Set(keysOf(fields)).size, 4);
	assert.deepEqual(keysOf(fields.slice(1, 2)), keysOf(fields).slice(1, 2));
});

void test("a rule knows the default of the field that it is about", () => {
	const other = { ...login, defaultValue: "ada" };
	assert.equal(presenceOf(list("equal"), [other], {}), "shown");
});

void test("what nobody fills in is not shown", () => {
	assert.equal(presenceOf(fieldOf({ id: "more", type: "generated" }), [], {}), "hidden");
});

void test("a value is set, and given back to the default", () => {
	assert.deepEqual(withValue({ a: "1" }, "b", "2"), { a: "1", b: "2" });
	assert.deepEqual(withValue({ a: "1", b: "2" }, "b", undefined), { a: "1" });
	assert.equal(textOf({ b: "2", a: "1" }), textOf({ a: "1", b: "2" }));
});

void test("fields that an app makes bring their defaults, and take their values with them", () => {
	const own = [fieldOf({ id: "pet" }), fieldOf({ id: "name" })];
	const none = new Set<string>();
	const leash = fieldOf({ id: "leash", type: "onoff", defaultValue: "false" });
	const box = fieldOf({ id: "box", type: "onoff", defaultValue: "true" });
	const dog = withMade({ pet: "dog" }, own, [], [leash], none);
	assert.deepEqual(dog, { pet: "dog", leash: "false" });
	assert.deepEqual(withMade({ ...dog, leash: "true" }, own, [leash], [leash], none), {
		pet: "dog",
		leash: "true",
	});
	assert.deepEqual(withMade({ ...dog, pet: "cat" }, own, [leash], [box], none), {
		pet: "cat",
		box: "true",
	});
	const shadow = fieldOf({ id: "name", defaultValue: "Rex" });
	assert.deepEqual(withMade({ name: "Ada" }, own, [shadow], [], none), { name: "Ada" });
	const key = fieldOf({ id: "key", defaultValue: "demo", secret: true });
	assert.deepEqual(withMade({}, own, [], [key], none), { key: "demo" });
	assert.deepEqual(withMade({}, own, [], [key], new Set(["key"])), {});
});

void test("a colour has a name", () => {
	const names = {
		"#ffffff": "white",
		"#000000": "black",
		"#808080": "grey",
		"#ff0000": "red",
		"#ff00e0": "pink",
		"#ffb03c": "light orange",
		"#ff5446": "light red",
		"#5adc78": "light green",
		"#40a0ff": "light blue",
		"#c77dff": "light purple",
		"#00007f": "dark blue",
		"#ffff00": "yellow",
	};
	for (const [colour, name] of Object.entries(names)) assert.equal(nameOfColour(colour), name);
});

void test("what was chosen is kept with its words", () => {
	const option = { value: "grand_central", display: "Grand Central", text: "Grand Central" };
	assert.deepEqual(readOption(writeOption(option)), option);
	assert.equal(readOption('{"display": "Here", "value": 7}')?.value, "7");
	assert.equal(readOption(""), undefined);
	assert.equal(readOption("[1"), undefined);
});

void test("a place is written as apps read it", () => {
	const zagreb = {
		name: "Zagreb, Croatia",
		latitude: 45.81444,
		longitude: 15.97798,
		timezone: "Europe/Zagreb",
	};
	const text = writePlace(zagreb);
	const read = JSON.parse(text) as Record<string, string>;
	assert.equal(read["lat"], "45.81444");
	assert.equal(read["locality"], "Zagreb");
	assert.deepEqual(readPlace(text), zagreb);
	assert.equal(readPlace('{"lat": 1, "lng": 2}')?.latitude, 1);
	assert.equal(readPlace('{"lat": "north", "lng": "2"}'), undefined);
});

void test("degrees are read as people write them", () => {
	assert.equal(readDegrees(" 45,8 ", 90), 45.8);
	assert.equal(readDegrees("−12.5", 90), -12.5);
	assert.equal(readDegrees("91", 90), undefined);
	assert.equal(readDegrees("91", 180), 91);
	assert.equal(readDegrees("", 90), undefined);
	assert.equal(readDegrees("1e2", 180), undefined);
});

void test("colours are read as people write them", () => {
	assert.equal(readColour("#FA3"), "#ffaa33");
	assert.equal(readColour(" 7ab0ff"), "#7ab0ff");
	assert.equal(readColour("#12345"), undefined);
	assert.equal(readColour("red"), undefined);
});

void test("a moment is said by the clocks of its zone", () => {
	assert.equal(wallTimeOf("2026-12-24T17:00:00Z", "Europe/Zagreb"), "2026-12-24T18:00");
	assert.equal(wallTimeOf("2026-07-01T00:30:00+02:00", "America/New_York"), "2026-06-30T18:30");
	assert.equal(wallTimeOf("soon", "Europe/Zagreb"), "");
	for (const zone of ["Europe/Zagreb", "Asia/Kathmandu", "Pacific/Kiritimati", "UTC"])
		for (const wall of ["2026-01-01T00:00", "2026-06-30T23:59"])
			assert.equal(wallTimeOf(momentOf(wall, zone) ?? "", zone), wall);
});

void test("an hour that is there twice is the first, one that is left out is later", () => {
	assert.equal(momentOf("2026-10-25T02:30", "Europe/Zagreb"), "2026-10-25T00:30:00Z");
	assert.equal(momentOf("2026-03-29T02:30", "Europe/Zagreb"), "2026-03-29T01:30:00Z");
	assert.equal(momentOf("", "Europe/Zagreb"), undefined);
});
