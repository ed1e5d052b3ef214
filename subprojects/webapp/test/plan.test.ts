import assert from "node:assert/strict";
import { test } from "node:test";
import {
	isOpen,
	readTime,
	weekOf,
	wordsOfEffect,
	wordsOfSource,
	wordsOfWindow,
	writeTime,
	type Plan,
} from "../src/devices/plan";
import type { Device } from "../src/devices/store";

const SUN = { rises: true, sunrise: 480, sunset: 960 };
const POLAR_DAY = { rises: false, sunrise: 0, sunset: 1440 };
const POLAR_NIGHT = { rises: false, sunrise: 700, sunset: 700 };

void test("times come back as they are written", () => {
	for (const text of ["00:00", "23:59", "sunrise", "sunset+240", "sunrise-5"])
		assert.equal(writeTime(readTime(text)), text);
});

void test("windows are said in words", () => {
	assert.equal(
		wordsOfWindow({ from: "22:00", to: "sunrise-30" }),
		"22:00 to 30 minutes before sunrise",
	);
	assert.equal(
		wordsOfWindow({ weekdays: ["saturday", "sunday"], from: "sunset+1", to: "sunset+1" }),
		"Sat and Sun, 24 hours from 1 minute after sunset",
	);
	const window = { from: "", to: "", dark: true, brightness: 5, installationId: "a", interval: 60 };
	assert.equal(
		wordsOfEffect(window, () => "Clock"),
		"Dark, brightness 5 %, only Clock, 60 seconds per entry",
	);
	assert.equal(wordsOfSource("windows/3"), "window 4");
	assert.equal(wordsOfSource("order"), "by hand");
});

void test("windows are open as the server judges them", () => {
	const open = (from: string, to: string, minute: number, sun = SUN, days?: "monday"[]) =>
		isOpen({ from, to, ...(days ? { weekdays: days } : {}) }, sun, 1, minute);
	assert.ok(open("22:00", "07:00", 1_320) && open("22:00", "07:00", 419));
	assert.ok(!open("22:00", "07:00", 420) && !open("22:00", "07:00", 1_319));
	assert.ok(open("22:00", "07:00", 60, SUN, ["monday"]));
	assert.ok(!open("22:00", "07:00", 1_380, SUN, ["monday"]));
	assert.ok(open("sunset", "sunrise", 961) && !open("sunset", "sunrise", 480));
	assert.ok(!open("sunrise", "07:00", 450) && open("sunrise", "09:00", 500));
	assert.ok(!open("17:00", "sunset", 1_100) && !open("17:00", "sunset", 100));
	assert.ok(open("sunrise", "sunrise", 5));
	for (const minute of [0, 700, 1_439]) {
		assert.ok(!open("sunset-60", "sunrise+60", minute, POLAR_DAY));
		assert.ok(open("sunrise", "sunset", minute, POLAR_DAY));
		assert.ok(open("sunset", "sunrise", minute, POLAR_NIGHT));
		assert.ok(!open("sunrise-60", "sunset+60", minute, POLAR_NIGHT));
	}
});

void test("the week is drawn by the latest window that says something", () => {
	const device = {
		brightness: 50,
		autoDim: true,
		dimEnabled: true,
		dimStart: "20:00",
		dimBrightness: 10,
		sleep: { enabled: true, start: "23:00", end: "06:00" },
	} as Device;
	const plan = {
		windows: [
			{ weekdays: ["monday"], from: "12:00", to: "13:00", dark: true },
			{ from: "22:00", to: "00:00", brightness: 70, dark: false, interval: 60 },
		],
		sun: SUN,
	} as unknown as Plan;
	const at = (day: number, minute: number) =>
		weekOf(device, plan)[day]?.find(({ from, to }) => minute >= from && minute < to);
	assert.equal(at(0, 600)?.brightness, 50);
	assert.equal(at(0, 720)?.brightness, 0);
	assert.equal(at(1, 720)?.brightness, 50);
	assert.equal(at(1, 1_200)?.brightness, 10);
	assert.equal(at(1, 400)?.brightness, 15);
	assert.deepEqual([at(1, 1_320)?.brightness, at(1, 1_320)?.isSpecial], [70, true]);
	assert.equal(at(1, 1_400)?.brightness, 0);
});
