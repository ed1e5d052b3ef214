import assert from "node:assert/strict";
import { test } from "node:test";
import { readMonthDays, readRule, wordsOfRecurrence, writeRule } from "../src/devices/recurrence";

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const EACH = "BYDAY=MO,TU,WE,TH,FR,SA,SU";

void test("a rule that a choice stands for is written as it was", () => {
	for (const [rule, choice] of [
		["", "day"],
		["FREQ=DAILY;UNTIL=20261224", "day"],
		[`FREQ=WEEKLY;INTERVAL=3;${EACH}`, "weeks"],
		[`FREQ=WEEKLY;INTERVAL=2;${EACH};UNTIL=20261224`, "weeks"],
		["FREQ=MONTHLY;BYMONTHDAY=1,15,-1", "monthDays"],
		["FREQ=MONTHLY;BYDAY=2TU", "monthWeekday"],
		["FREQ=MONTHLY;BYDAY=-1SU;UNTIL=20270101", "monthWeekday"],
		["FREQ=YEARLY", "year"],
	] as const) {
		assert.equal(readRule(rule).choice, choice, rule);
		assert.equal(writeRule(readRule(rule)), rule);
	}
});

void test("another rule stays as it is", () => {
	for (const rule of [
		"FREQ=DAILY;INTERVAL=3",
		"FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU",
		`FREQ=WEEKLY;INTERVAL=2;${EACH};WKST=SU`,
		"FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=1",
		"FREQ=MONTHLY;BYDAY=1MO,3MO",
	]) {
		assert.equal(readRule(rule).choice, "own", rule);
		assert.equal(writeRule(readRule(rule)), rule);
	}
});

void test("parts that change nothing are no other rule", () => {
	assert.equal(readRule("FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=31").choice, "monthDays");
	assert.equal(
		readRule(`FREQ=WEEKLY;UNTIL=20261224;INTERVAL=2;${EACH};WKST=MO`).until,
		"2026-12-24",
	);
});

void test("days of the month are read as people write them", () => {
	assert.equal(readMonthDays("1, 15, last"), "1,15,-1");
	assert.equal(readMonthDays("31"), "31");
	for (const text of ["", "0", "32", "1 15", "1,", "first", "1.5"])
		assert.equal(readMonthDays(text), undefined, text);
});

void test("rules are told in words", () => {
	const words = (rule: string, start = "") => wordsOfRecurrence(rule, start, DAYS);
	assert.equal(words(""), "");
	assert.equal(words("", "2026-12-01"), "from 2026-12-01");
	assert.equal(
		words(`FREQ=WEEKLY;INTERVAL=2;${EACH};UNTIL=20261224`),
		"every 2 weeks, until 2026-12-24",
	);
	assert.equal(words("FREQ=MONTHLY;BYMONTHDAY=1,-1"), "on day 1, last of the month");
	assert.equal(words("FREQ=MONTHLY;BYDAY=-1FR"), "on the last Friday of the month");
	assert.equal(words("FREQ=YEARLY", "2026-03-08"), "once a year, from 2026-03-08");
	assert.equal(words("FREQ=DAILY;INTERVAL=3"), "by the rule FREQ=DAILY;INTERVAL=3");
});
