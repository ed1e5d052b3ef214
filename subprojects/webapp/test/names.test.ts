import assert from "node:assert/strict";
import { test } from "node:test";
import { nextVersion, slugOf } from "../src/studio/names";

void test("a slug is like the name", () => {
	assert.equal(slugOf("Big clock"), "big-clock");
	assert.equal(slugOf("  Zürich: Wetter!  "), "zurich-wetter");
	assert.equal(slugOf("\u{1f570}"), "");
	assert.match(slugOf("x ".repeat(100)), /^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/);
});

void test("the next version has the next number", () => {
	assert.equal(nextVersion(undefined), "1.0");
	assert.equal(nextVersion("1.9"), "1.10");
	assert.equal(nextVersion("v3-beta2"), "v3-beta3");
	assert.equal(nextVersion("2.0-rc"), "2.1-rc");
	assert.equal(nextVersion("first"), "");
});
