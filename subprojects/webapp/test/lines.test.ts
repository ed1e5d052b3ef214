import assert from "node:assert/strict";
import { test } from "node:test";
import { countChanges, mapLines } from "../src/editor/lines";

const SCRIPT = ["one", "two", "three", "four", "five"].join("\n");

void test("changes are counted in lines", () => {
	const count = (after: string) => Object.values(countChanges(SCRIPT, after));
	assert.deepEqual(count(SCRIPT), [0, 0]);
	assert.deepEqual(count(`${SCRIPT}\nsix`), [1, 0]);
	assert.deepEqual(count(SCRIPT.replace("two", "TWO")), [1, 1]);
	assert.deepEqual(count(SCRIPT.replace("two\nthree\n", "")), [0, 2]);
	assert.deepEqual(count(SCRIPT.replaceAll("\n", "\r\n")), [0, 0]);
});

void test("a line is found again in the script that was made of it", () => {
	const map = (after: string, ...lines: number[]) => mapLines(SCRIPT, after, lines);
	assert.deepEqual(map(SCRIPT, 1, 3, 5), [1, 3, 5]);
	assert.deepEqual(map(`zero\n${SCRIPT}`, 1, 5), [2, 6]);
	assert.deepEqual(map(SCRIPT.replace("two\n", ""), 1, 3, 5), [1, 2, 4]);
	assert.deepEqual(map(SCRIPT.replace("three", "3"), 3, 4), [3, 4]);
	assert.deepEqual(map(`0\n0\n${SCRIPT.replace("four", "4")}\n6`, 4, 5), [6, 7]);
});

void test("a line that is gone, or that never was, is a line that there is", () => {
	const map = (after: string, ...lines: number[]) => mapLines(SCRIPT, after, lines);
	assert.deepEqual(map(SCRIPT.replace("two\nthree\n", ""), 2, 3), [2, 2]);
	assert.deepEqual(map("one", 5), [1]);
	assert.deepEqual(map("", 1, 5), [1, 1]);
	assert.deepEqual(map(SCRIPT, 0, 99), [1, 5]);
});
