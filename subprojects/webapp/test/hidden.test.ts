import assert from "node:assert/strict";
import { test } from "node:test";
import { hiddenIn, withCodes } from "../src/components/hidden";

void test("what is not seen is named", () => {
	assert.deepEqual(hiddenIn("plain\ttext\n with ünïcödé, 時計, שעון and ☀"), []);
	assert.deepEqual(hiddenIn("a\u202eb\u200bc\u200b\u{e0041}"), [
		{ code: "U+200B", count: 2 },
		{ code: "U+202E", count: 1 },
		{ code: "U+E0041", count: 1 },
	]);
	assert.equal(withCodes("Clo\u202eck\u3164"), "Clo[U+202E]ck[U+3164]");
	for (const code of [
		0x061c, 0x200e, 0x200f, 0x202a, 0x202c, 0x2066, 0x2068, 0x2069, 0x2060, 0xfeff, 0x00ad, 0x115f,
	])
		assert.equal(hiddenIn(String.fromCodePoint(code)).length, 1, code.toString(16));
});
