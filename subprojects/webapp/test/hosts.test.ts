import assert from "node:assert/strict";
import { test } from "node:test";
import { hostOf } from "../src/components/hosts";

void test("the host of an address is found while it is typed", () => {
	for (const [text, host] of [
		["http://192.168.1.5:8123/x?y", "192.168.1.5"],
		["mqtt://192.168.1.5", "192.168.1.5"],
		["mqtts://[fd12::1]:8883/", "fd12::1"],
		[" HTTP://Nas.local ", "Nas.local"],
		["https://example.org", "example.org"],
		["http://", undefined],
		["", undefined],
	] as const)
		assert.equal(hostOf(text, "account"), host, text);
});

void test("a setting of an app is a host if it looks like one of a home", () => {
	for (const [text, host] of [
		["http://192.168.1.5:8123", "192.168.1.5"],
		["192.168.1.5:8123/api", "192.168.1.5"],
		["homeassistant.local", "homeassistant.local"],
		["localhost:3000", "localhost"],
		["https://example.org/x", "example.org"],
		["hello", undefined],
		["a secret word", undefined],
		["token-1234", undefined],
		["42", undefined],
	] as const)
		assert.equal(hostOf(text, "app"), host, text);
});
