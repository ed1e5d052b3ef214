import assert from "node:assert/strict";
import { test } from "node:test";
import {
	formatAddress,
	formatTold,
	parseAddress,
	parseDeviceUrl,
	parseTold,
	siteOf,
} from "../src/panel/address";
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

void test("another machine opens the pages where panels reach the server", () => {
	const sites = {
		"ws://10.0.0.7:8000/d/d/ws?key=k": "http://10.0.0.7:8000/",
		"wss://example.org/leds/d/d/ws?key=k": "https://example.org/leds/",
		"https://example.org/d/d/d/d/next?key=k": "https://example.org/d/d/",
		"ws://[fd00::7]:8080/d/d/ws?key=k": "http://[fd00::7]:8080/",
		"ws://kitchen-server.local/d/d/ws?key=k": "http://kitchen-server.local/",
		"wss://b\u00fccher.example/a%20b/%2f/d/d/ws?key=k": "https://xn--bcher-kva.example/a%20b/%2f/",
	};
	for (const [url, site] of Object.entries(sites)) assert.equal(siteOf(url)?.href, site, url);
	for (const text of [
		"",
		"/d/d/ws",
		"ws://h/",
		"ws://h/d/d/ws/",
		"ws://h/e/d/ws",
		"javascript:/d/d/ws",
	])
		assert.equal(siteOf(text), undefined, text);
});

void test("a phone is told the board and the address", () => {
	const told = { board: "tronbyt_s3", address: { device: "d", key: "k" } };
	assert.deepEqual(parseTold(formatTold(told)), told);
	for (const text of [
		"",
		"b",
		"b/d",
		"b/d/k/e",
		"B/d/k",
		"b/d/k?",
		"/d/k",
		"<b>/d/k",
		`${"b".repeat(41)}/d/k`,
	])
		assert.equal(parseTold(text), undefined, text);
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
