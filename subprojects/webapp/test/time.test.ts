import assert from "node:assert/strict";
import { test } from "node:test";
import { browserName, relativeTime } from "../src/components/time";

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

void test("times are said as people say them", () => {
	const now = Date.UTC(2026, 10, 22, 12);
	const cases: [number, string][] = [
		[0, "just now"],
		[59_000, "just now"],
		[-59_000, "just now"],
		[-MINUTE, "1 minute ago"],
		[-119 * MINUTE, "1 hour ago"],
		[-25 * 60 * MINUTE, "yesterday"],
		[-6.9 * DAY, "6 days ago"],
		[6.99 * DAY, "in 7 days"],
		[-40 * DAY, "last month"],
		[-800 * DAY, "2 years ago"],
	];
	for (const [offset, words] of cases) assert.equal(relativeTime(now + offset, now), words);
});

void test("browsers are named", () => {
	const mozilla = "Mozilla/5.0";
	const cases: [string, string][] = [
		[`${mozilla} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`, "Firefox on Linux"],
		[
			`${mozilla} (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150.0 Safari/537.36 Edg/150.0`,
			"Edge on Windows",
		],
		[
			`${mozilla} (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1`,
			"Safari on iPhone",
		],
		[`${mozilla} (Linux; Android 16) Chrome/150.0 Mobile Safari/537.36`, "Chrome on Android"],
		["curl/8.0", "curl/8.0"],
		["", "Unknown browser"],
	];
	for (const [said, name] of cases) assert.equal(browserName(said), name);
});
