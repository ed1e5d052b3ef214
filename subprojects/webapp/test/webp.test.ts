import assert from "node:assert/strict";
import { test } from "node:test";
import { readAnimation, withEndlessLoop } from "../src/panel/webp";
import { animation, still } from "./webps";

void test("a still picture is one frame without a duration", () => {
	assert.deepEqual(readAnimation(still()), { frames: 1, durationMs: 0 });
});

void test("the frames' durations are added up as browsers show them", () => {
	assert.deepEqual(readAnimation(animation([40, 70_000])), { frames: 2, durationMs: 70_040 });
	assert.deepEqual(readAnimation(animation([0, 10, 11])), { frames: 3, durationMs: 211 });
});

void test("what is no WebP, or is cut, is no fault", () => {
	assert.equal(readAnimation(new Uint8Array()), undefined);
	assert.equal(readAnimation(new TextEncoder().encode("GIF89a, and more")), undefined);
	const cut = animation([100, 100, 100]).subarray(0, -5);
	assert.deepEqual(readAnimation(cut), { frames: 2, durationMs: 200 });
});

void test("a copy loops for ever, and the original stays", () => {
	const original = animation([100], 3);
	assert.deepEqual(withEndlessLoop(original), animation([100], 0));
	assert.deepEqual(original, animation([100], 3));
});
