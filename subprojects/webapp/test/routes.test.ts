import assert from "node:assert/strict";
import { test } from "node:test";
import { matchRoute } from "../src/frame/routes";

const ROUTES = { "": 1, devices: 2, "devices/new": 3, "devices/{id}": 4, "devices/{id}/{tab}": 5 };

void test("a path leads to its page, and says what the page needs", () => {
	assert.deepEqual(matchRoute(ROUTES, ""), { route: 1, parameters: {} });
	assert.deepEqual(matchRoute(ROUTES, "devices"), { route: 2, parameters: {} });
	assert.deepEqual(matchRoute(ROUTES, "devices/new"), { route: 3, parameters: {} });
	assert.deepEqual(matchRoute(ROUTES, "devices/a%2fb"), { route: 4, parameters: { id: "a/b" } });
	assert.deepEqual(matchRoute(ROUTES, "devices/7/push"), {
		route: 5,
		parameters: { id: "7", tab: "push" },
	});
});

void test("other paths lead nowhere", () => {
	for (const path of ["device", "devices/", "devices//push", "devices/%ff", "devices/1/2/3"])
		assert.equal(matchRoute(ROUTES, path), undefined, path);
});
