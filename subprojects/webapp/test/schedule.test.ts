import assert from "node:assert/strict";
import { test } from "node:test";
import { WEEKDAYS, wordsOfSchedule, wordsOfStanding } from "../src/devices/schedule";
import type { Entry } from "../src/devices/store";

type Schedule = Pick<Entry, "hours" | "weekdays">;

const always: Schedule = { hours: null, weekdays: [...WEEKDAYS] };
const workdays = WEEKDAYS.slice(0, 5);

void test("when an entry is shown is said in few words", () => {
	const words = (part: Partial<Schedule>) => wordsOfSchedule({ ...always, ...part });
	assert.equal(words({}), "");
	assert.equal(words({ weekdays: workdays }), "Mon to Fri");
	assert.equal(words({ weekdays: ["saturday", "sunday"] }), "Sat and Sun");
	assert.equal(words({ weekdays: ["monday", "wednesday", "friday"] }), "Mon, Wed and Fri");
	assert.equal(words({ weekdays: ["sunday"] }), "Sun");
	const hours = { start: "07:00", end: "09:00" };
	assert.equal(words({ hours }), "07:00 to 09:00");
	assert.equal(words({ hours, weekdays: workdays }), "Mon to Fri, 07:00 to 09:00");
	assert.equal(words({ hours: { start: "22:00", end: "02:00" } }), "22:00 to 02:00 the next day");
	assert.equal(words({ hours: { start: "06:00", end: "06:00" } }), "24 hours from 06:00");
});

void test("what is not shown now says why", () => {
	const usual = {
		...always,
		standing: "shown",
		displaySeconds: null,
		recurrenceRule: "",
		recurrenceStart: "",
	} as Entry;
	const words = (part: Partial<Entry>) => wordsOfStanding({ ...usual, ...part });
	assert.equal(words({}), "");
	assert.equal(words({ displaySeconds: 40 }), "Shown 40 s each time");
	assert.equal(words({ standing: "off" }), "Switched off");
	assert.equal(words({ standing: "empty" }), "Nothing to show now");
	const hours = { start: "07:00", end: "09:00" };
	assert.equal(
		words({ standing: "waiting", hours, weekdays: workdays, displaySeconds: 40 }),
		"Shown Mon to Fri, 07:00 to 09:00, 40 s each time",
	);
	assert.match(words({ standing: "hidden", hours }), /^Hidden/);
	assert.match(words({ standing: "pinned" }), /only this/);
	assert.match(words({ standing: "pinned_empty" }), /the rotation continues$/);
});
