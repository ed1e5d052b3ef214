import assert from "node:assert/strict";
import { test } from "node:test";
import { grouped, sorted, stateOf, type Line } from "../src/devices/list";

interface Told {
	isOnline?: boolean;
	kind?: string;
	lastOnline?: string;
}

function line(name: string, device: object = {}, news?: Told): Line {
	const whole = { id: name, name, isDisabled: false, connectedAt: "2026-01-01T00:00:00Z" };
	return {
		device: { ...whole, board: null, timezone: "UTC", brightness: 50, ...device },
		news,
	} as Line;
}

const LINES = [
	line("Hall 10", { brightness: 10 }, { isOnline: true, kind: "rotation", lastOnline: "3" }),
	line("Hall 9", { board: "tidbyt_gen1" }, { isOnline: true, kind: "asleep", lastOnline: "2" }),
	line("Attic", { connectedAt: null }),
	line("Bath", {}, { isOnline: false, lastOnline: "1" }),
	line("Cellar", { isDisabled: true, brightness: 90 }),
];
const names = (lines: readonly Line[]) => lines.map(({ device }) => device.name);

void test("the state of a device is that of its panel", () => {
	const states = ["On", "Asleep", "Not connected yet", "Offline", "Disabled"];
	assert.deepEqual(LINES.map(stateOf), states);
});

void test("devices are sorted, numbers in names by their value", () => {
	assert.deepEqual(names(sorted(LINES, "added")), names(LINES));
	assert.deepEqual(names(sorted(LINES, "name")), ["Attic", "Bath", "Cellar", "Hall 9", "Hall 10"]);
	assert.deepEqual(names(sorted(LINES, "state")), ["Cellar", "Attic", "Bath", "Hall 9", "Hall 10"]);
	assert.deepEqual(names(sorted(LINES, "seen")).slice(0, 3), ["Hall 10", "Hall 9", "Bath"]);
	assert.deepEqual(names(sorted(LINES, "brightness"))[0], "Cellar");
});

void test("groups stand in the order of states, or of their titles", () => {
	assert.deepEqual(grouped(LINES, "none"), [["", LINES]]);
	assert.deepEqual(
		grouped(LINES, "state").map(([title]) => title),
		["Disabled", "Not connected yet", "Offline", "Asleep", "On"],
	);
	const boards = grouped(LINES, "board");
	assert.deepEqual(
		boards.map(([title, lines]) => [title, lines.length]),
		[
			["No board chosen", 4],
			["Tidbyt, first generation", 1],
		],
	);
});
