import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAddress, parseAddress, parseDeviceUrl } from "../src/panel/address";
import { parseMessage } from "../src/panel/message";

void test("an address is read as it is written", () => {
	const address = { device: "0190163d-8694-739b-aea5-966c26f8ad91", key: "AbC0123456789" };
	assert.deepEqual(parseAddress(formatAddress(address)), address);
	for (const text of ["", "a", "a/", "/b", "a/b/c", "a/b?c", "<b>/c"])
		assert.equal(parseAddress(text), undefined, text);
});

void test("both of a device's URLs lead to it", () => {
	const wanted = { device: "d", key: "k" };
	assert.deepEqual(parseDeviceUrl("ws://10.0.0.7:8000/d/d/ws?key=k"), wanted);
	assert.deepEqual(parseDeviceUrl(" https://example.org/leds/d/d/next?key=k\n"), wanted);
	for (const text of ["", "d/d/ws?key=k", "ws://h/d/d/ws", "ws://h/d/d/other?key=k"])
		assert.equal(parseDeviceUrl(text), undefined, text);
});

void test("messages hold what is known, within bounds", () => {
	assert.deepEqual(parseMessage('{"dwell_secs":7200,"brightness":-3,"immediate":true,"new":1}'), {
		dwellS: 3600,
		brightness: 0,
		immediate: true,
	});
	assert.deepEqual(parseMessage('{"dwell_secs":"7","immediate":1}'), {});
	for (const text of ["", "[]", "null", "7", "{"])
		assert.equal(parseMessage(text), undefined, text);
});
