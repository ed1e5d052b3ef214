import assert from "node:assert/strict";
import { test } from "node:test";
import { lineInScript } from "../src/studio/files";

const SEVERAL = "-- main.star --\nload(\n-- lib/words.star --\na = 1\nb = \n";

void test("a line of a script that is one file is that line", () => {
	assert.equal(lineInScript("a\nb\n", "main.star", 2), 2);
	assert.equal(lineInScript("a\nb\n", null, 1), 1);
	assert.equal(lineInScript("a\n-- no header --\n", "main.star", 2), 2);
	assert.equal(lineInScript("a", "main.star", 7), undefined);
});

void test("a line of one of several files is behind its header", () => {
	assert.equal(lineInScript(SEVERAL, "main.star", 1), 2);
	assert.equal(lineInScript(SEVERAL, "lib/words.star", 2), 5);
	assert.equal(lineInScript(SEVERAL, "words.star", 1), 4);
	assert.equal(lineInScript(SEVERAL, "other.star", 1), undefined);
	assert.equal(lineInScript(SEVERAL, null, 1), undefined);
});
