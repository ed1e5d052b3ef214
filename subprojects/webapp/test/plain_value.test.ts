import assert from "node:assert/strict";
import { test } from "node:test";
import { boundsOf, faultOf, textOf, valueOf } from "../src/devices/plain_value";

const number = {
	name: "maxVolume",
	label: "Max volume",
	about: "Percent.",
	kind: "number",
	minimum: 5,
	maximum: 300,
	isNullable: false,
} as const;

void test("a number has the bounds of the description", () => {
	assert.equal(boundsOf(number), "From 5 to 300.");
	for (const text of ["5", "300", " 7 "]) assert.equal(faultOf(number, text), undefined);
	for (const text of ["", "4", "301", "7.5", "a"])
		assert.equal(faultOf(number, text), "Enter 5 to 300.");
	assert.equal(valueOf(number, "300"), 300);
});

void test("what may be empty is null then", () => {
	const nullable = { ...number, isNullable: true };
	assert.equal(boundsOf(nullable), "From 5 to 300, or empty.");
	assert.equal(faultOf(nullable, ""), undefined);
	assert.equal(valueOf(nullable, ""), null);
	assert.equal(textOf(null), "");
	assert.equal(faultOf(nullable, "4"), "Enter 5 to 300, or leave it empty.");
});

void test("a text and a time are sent as they are", () => {
	const text = { ...number, kind: "text" } as const;
	assert.equal(boundsOf(text), "");
	assert.equal(faultOf(text, ""), undefined);
	assert.equal(valueOf(text, "7"), "7");
	assert.equal(faultOf({ ...number, kind: "time" }, ""), "Enter a time.");
});
