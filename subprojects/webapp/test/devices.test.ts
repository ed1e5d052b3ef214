import assert from "node:assert/strict";
import { test } from "node:test";
import { findOptions } from "../src/components/combobox";
import { joinFrames } from "../src/devices/animation";
import { Latest } from "../src/devices/latest";
import { dragTo, inOrder, moved, shiftOf } from "../src/devices/order";
import { entryName, freeName, placeOf, readFacts } from "../src/devices/picture";
import type { Device, Entry } from "../src/devices/store";
import { calledIn, faceOf, lineOf, type Called } from "../src/devices/words";
import { readAnimation } from "../src/panel/webp";
import type { PanelNews } from "../src/stream/news";
import { animation, still } from "./webps";

const NOW = Date.UTC(2026, 10, 22, 12);
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

const device = {
	id: "d",
	name: "Kitchen",
	brightness: 70,
	timezone: "UTC",
	sleep: { enabled: true, start: "23:00", end: "06:45" },
	connectedAt: at(-9000),
	isDisabled: false,
} as Device;

const news: PanelNews = {
	deviceId: "d",
	isOnline: true,
	lastOnline: at(0),
	connection: "webSocket",
	isAcknowledged: true,
	picture: "ab",
	since: at(-3),
	kind: "rotation",
	installationId: "weather",
	until: at(12),
	brightness: 40,
	next: { picture: "cd", kind: "rotation", installationId: "clock" },
};

void test("the line says what is on, for how long, and what comes next", () => {
	const line = (part: Partial<PanelNews>, entries?: Called[]) =>
		lineOf(device, { ...news, ...part }, NOW, entries);
	assert.equal(line({}), "weather for 12 s, then clock");
	assert.equal(line({ until: null }), "weather, then clock");
	assert.equal(line({ isAcknowledged: false }), "Sent: weather for 12 s, then clock");
	assert.equal(
		line({ kind: "temporary", installationId: null }),
		"A temporary picture for 12 s, then clock",
	);
	assert.match(line({ next: null }), /^weather since \d\d:\d\d$/);
	assert.match(line({ until: at(7200) }), /^weather until \d\d:\d\d, then clock$/);
	// By hand, or by another window than sleep.
	assert.equal(line({ kind: "asleep" }), "Asleep");
	const asleep: PanelNews = { ...news, kind: "asleep" };
	assert.equal(lineOf(device, asleep, NOW + 12 * 3_600_000), "Asleep until 06:45");
	assert.equal(line({ kind: "dark" }), "Dark: brightness is 0");
	assert.equal(line({ kind: "nothing", installationId: null }), "Nothing to show yet");
	const alone = { next: null, until: null };
	assert.equal(line({ kind: "pinned", ...alone }), "weather, pinned");
	assert.equal(line({ kind: "night", ...alone }), "weather until 06:45");
	assert.equal(line({ isOnline: false }), "Offline");
});

void test("apps are called by their names where the rotation is known", () => {
	const installationId = "0190163d-8694-739b-aea5-966c26f8ad91";
	const app = { ...news, installationId, until: null };
	assert.equal(lineOf(device, app, NOW), "An app, then clock");
	const entries = calledIn([{ installationId, name: null, appName: "Weather" } as Entry]);
	assert.equal(lineOf(device, app, NOW, entries), "Weather, then clock");
	const named = calledIn([{ installationId, name: "At the sea", appName: "Weather" } as Entry]);
	assert.equal(lineOf(device, app, NOW, named), "At the sea, then clock");
	const hebrew = calledIn([{ installationId, name: "שעון", appName: "Weather" } as Entry]);
	assert.equal(lineOf(device, app, NOW, hebrew), "\u2068שעון\u2069, then clock");
});

void test("a panel's face is what the panel does", () => {
	const face = (part: Partial<PanelNews>, more: Partial<Device> = {}) =>
		faceOf({ ...device, ...more }, { ...news, ...part }, NOW);
	assert.deepEqual(face({}), { state: "on", picture: "ab", brightness: 40, says: undefined });
	assert.equal(face({ kind: "asleep" }).state, "asleep");
	assert.equal(face({ kind: "dark" }).brightness, 0);
	const away = face({ isOnline: false, lastOnline: at(-3 * 3600) });
	assert.deepEqual([away.state, away.says], ["offline", "Last seen 3 hours ago"]);
	assert.equal(face({ isOnline: false }, { connectedAt: null }).state, "never");
	assert.equal(face({}, { connectedAt: null }).state, "on");
	assert.equal(face({}, { isDisabled: true }).says, "Disabled");
	assert.equal(faceOf(device, undefined, NOW).picture, undefined);
});

void test("an entry is moved, and stays within the list", () => {
	assert.deepEqual(moved(["a", "b", "c"], 0, 2), ["b", "c", "a"]);
	assert.deepEqual(moved(["a", "b", "c"], 2, 0), ["c", "a", "b"]);
	assert.deepEqual(moved(["a", "b", "c"], 1, 9), ["a", "c", "b"]);
	assert.deepEqual(moved(["a", "b", "c"], 1, -9), ["b", "a", "c"]);
});

void test("what came after an order was chosen stands at its end", () => {
	assert.deepEqual(inOrder(["a", "b", "new"], ["b", "gone", "a"], String), ["b", "a", "new"]);
});

void test("what is dragged changes places with what its middle has passed", () => {
	const boxes = [0, 60, 120, 180].map((top) => ({ top, height: 50 }));
	assert.equal(dragTo(boxes, 1, 0).to, 1);
	assert.equal(dragTo(boxes, 1, 59).to, 1);
	const drag = dragTo(boxes, 1, 61);
	assert.equal(drag.to, 2);
	assert.deepEqual(
		[0, 1, 2, 3].map((i) => shiftOf(i, drag)),
		[0, 61, -60, 0],
	);
	assert.equal(dragTo(boxes, 3, -1000).to, 0);
	assert.equal(dragTo(boxes, 0, 1000).to, 3);
});

void test("of values that come fast the last is sent, and never two at once", async () => {
	const sent: number[] = [];
	let underWay = 0;
	const rests: (() => void)[] = [];
	const latest = new Latest<number>(
		async (value) => {
			underWay += 1;
			assert.equal(underWay, 1);
			sent.push(value);
			await Promise.resolve();
			underWay -= 1;
		},
		() => new Promise((resolve) => rests.push(resolve)),
	);
	const rest = async () => {
		rests.shift()?.();
		for (let i = 0; i < 10; i++) await Promise.resolve();
	};
	for (let value = 1; value <= 9; value++) latest.offer(value);
	await rest();
	assert.deepEqual(sent, [1, 9]);
	await rest();
	latest.offer(10);
	assert.deepEqual(sent, [1, 9, 10]);
});

/** A GIF of so many frames, each a pixel. */
function gif(width: number, height: number, frames: number): Uint8Array {
	const control = [0x21, 0xf9, 4, 0, 8, 0, 0, 0];
	const frame = [...control, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0];
	const text = Array.from("GIF89a", (character) => character.charCodeAt(0));
	const head = [width & 255, width >> 8, height & 255, height >> 8, 0x80, 0, 0];
	const table = [0, 0, 0, 255, 255, 255];
	const body = Array.from({ length: frames }, () => frame).flat();
	return Uint8Array.from([...text, ...head, ...table, ...body, 0x3b]);
}

void test("a file's kind and size are read from its bytes", () => {
	const png = new Uint8Array(33);
	png.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 1, 0]);
	png.set([0, 0, 0, 32], 20);
	assert.deepEqual(readFacts(png), { kind: "png", width: 256, height: 32, isAnimated: false });
	assert.deepEqual(readFacts(gif(300, 32, 1)), {
		kind: "gif",
		width: 300,
		height: 32,
		isAnimated: false,
	});
	assert.equal(readFacts(gif(64, 32, 3))?.isAnimated, true);
	for (const bytes of [new Uint8Array(), png.subarray(0, 20), gif(1, 1, 1).subarray(0, 9)])
		assert.equal(readFacts(bytes), undefined);
	assert.ok(readFacts(gif(64, 32, 3).subarray(0, -20)), "a cut file ends");
});

void test("frames become an animation that plays for ever", () => {
	const frames = [100, 250].map((durationMs) => ({ bytes: still(), durationMs }));
	const file = joinFrames(frames);
	assert.deepEqual(readAnimation(file), { frames: 2, durationMs: 350 });
	assert.deepEqual(readFacts(file), { kind: "webp", width: 64, height: 32, isAnimated: true });
	assert.equal(readFacts(animation([1])), undefined);
});

void test("scaled is all of a picture, cropped fills the panel", () => {
	assert.deepEqual(placeOf(128, 128, "scale"), { x: 16, y: 0, width: 32, height: 32 });
	assert.deepEqual(placeOf(128, 128, "crop", 0.25), { x: 0, y: -8, width: 64, height: 64 });
	assert.deepEqual(placeOf(128, 128, "crop", 1), { x: 0, y: -32, width: 64, height: 64 });
	assert.deepEqual(placeOf(256, 32, "crop", 0.5), { x: -96, y: 0, width: 256, height: 32 });
	assert.deepEqual(placeOf(10_000, 1, "scale"), { x: 0, y: 16, width: 64, height: 1 });
});

void test("a file's name becomes a name in the rotation", () => {
	assert.equal(entryName("Sun set.final.png"), "Sun set.final");
	assert.equal(entryName("a/b\\c\u0007.gif"), "a b c");
	assert.equal(entryName("..png"), "picture");
	assert.equal(entryName("../.."), ".. ..");
	assert.equal(Array.from(entryName("🌇".repeat(99))).length, 64);
});

void test("options are found by the beginnings of their words", () => {
	const zones = ["UTC", "America/New_York", "Europe/Zagreb", "America/North_Dakota/New_Salem"];
	assert.deepEqual(findOptions(zones, "new y"), ["America/New_York"]);
	assert.deepEqual(findOptions(zones, "york_new"), ["America/New_York"]);
	assert.deepEqual(findOptions(zones, "ZAG"), ["Europe/Zagreb"]);
	assert.deepEqual(findOptions(zones, ""), zones);
	assert.deepEqual(findOptions(zones, "agreb"), []);
});

void test("two pictures of one name get two names", () => {
	assert.equal(freeName("image", []), "image");
	assert.equal(freeName("image", ["image"]), "image 2");
	assert.equal(freeName("image", ["image", "image 2", "image 3"]), "image 4");
	assert.equal(freeName("ä".repeat(64), ["ä".repeat(64)]), `${"ä".repeat(62)} 2`);
});
