import assert from "node:assert/strict";
import { test } from "node:test";
import { isOnAt, localTime, standingOf, WEEKDAYS, wordsOfSchedule } from "../src/devices/schedule";
import type { Device, Entry } from "../src/devices/store";

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

void test("hours and weekdays are those of the device", () => {
	const at = Date.UTC(2026, 4, 3, 22, 30);
	assert.deepEqual(localTime("UTC", at), { weekday: 6, clock: "22:30" });
	assert.deepEqual(localTime("Europe/Zagreb", at), { weekday: 0, clock: "00:30" });
	assert.deepEqual(localTime("America/New_York", at), { weekday: 6, clock: "18:30" });
	assert.equal(localTime("Nowhere/At_All", at), undefined);
});

void test("an entry is on in its hours, and a night belongs to the day on which it begins", () => {
	const isOn = (part: Partial<Schedule>, weekday: number, clock: string) =>
		isOnAt({ ...always, ...part }, { weekday, clock });
	assert.ok(isOn({}, 3, "12:00"));
	assert.ok(isOn({ weekdays: workdays }, 4, "23:59") && !isOn({ weekdays: workdays }, 5, "00:00"));
	const morning = { hours: { start: "07:00", end: "09:00" } };
	assert.deepEqual(
		["06:59", "07:00", "08:59", "09:00"].map((clock) => isOn(morning, 0, clock)),
		[false, true, true, false],
	);
	const night: Partial<Schedule> = {
		hours: { start: "22:00", end: "02:00" },
		weekdays: ["sunday"],
	};
	assert.ok(isOn(night, 6, "22:00") && isOn(night, 0, "01:59"));
	assert.ok(!isOn(night, 6, "01:00") && !isOn(night, 0, "02:00") && !isOn(night, 0, "22:00"));
	const whole: Partial<Schedule> = {
		hours: { start: "06:00", end: "06:00" },
		weekdays: ["monday"],
	};
	assert.ok(isOn(whole, 0, "06:00") && isOn(whole, 1, "05:59") && !isOn(whole, 1, "06:00"));
});

void test("what is not shown now says why", () => {
	const device = { timezone: "UTC", scheduleInterval: 15 } as Device;
	const usual = {
		...always,
		installationId: "x",
		isEnabled: true,
		isPinned: false,
		displaySeconds: null,
		picture: "ab",
	} as Entry;
	const noon = Date.UTC(2026, 4, 4, 12); // a Monday
	const standing = (part: Partial<Entry>, pinned?: Entry) =>
		standingOf(device, { ...usual, ...part }, pinned, noon);
	assert.deepEqual(standing({}), { isShown: true, words: "" });
	assert.deepEqual(standing({ displaySeconds: 40 }), {
		isShown: true,
		words: "Shown 40 s each time",
	});
	assert.deepEqual(standing({ isEnabled: false }), { isShown: false, words: "Switched off" });
	const words = "Nothing to show now";
	assert.deepEqual(standing({ picture: null }), { isShown: false, words });
	const hours = { start: "07:00", end: "09:00" };
	assert.deepEqual(standing({ hours, weekdays: workdays, displaySeconds: 40 }), {
		isShown: false,
		words: "Shown Mon to Fri, 07:00 to 09:00, 40 s each time",
	});
	assert.ok(standing({ hours: { start: "11:00", end: "13:00" } }).isShown);
	assert.equal(standing({}, usual).isShown, false);
	assert.ok(standing({ isPinned: true, isEnabled: false }).isShown);
	assert.ok(standing({}, { ...usual, isPinned: true, picture: null }).isShown);
	assert.match(standing({ isPinned: true, picture: null }).words, /the rotation continues$/);
});
