import assert from "node:assert/strict";
import { test } from "node:test";
import type { Schemas } from "../src/api/client";
import { hostsIn, newIn, reachOf } from "../src/studio/reach";

function field(id: string, secret: boolean): Schemas["FormField"] {
	return {
		id,
		type: "text",
		name: id === "nameless" ? "" : `Your ${id}`,
		description: "",
		icon: "",
		defaultValue: null,
		options: [],
		palette: [],
		source: null,
		visibility: null,
		secret,
		unavailable: null,
	};
}

void test("the hosts of a script are those of the addresses in it", () => {
	const script = `
		URL = "https://API.example.org/v1?q=%s"
		# See http://docs.example.org.
		http.get("https://user:word@other.example.org:8443/x")
		fetch(\`https://\${city}.example.org/\`); fetch("http://[2001:db8::1]:80/")
		"https://" + host, "https://api.example.org"
	`;
	assert.deepEqual(hostsIn(script), [
		"${city}.example.org",
		"[2001:db8::1]",
		"api.example.org",
		"docs.example.org",
		"other.example.org",
	]);
	assert.deepEqual(hostsIn(""), []);
});

void test("what is new is what the version before neither reaches nor asks", () => {
	const before = reachOf("https://a.example", {
		hosts: ["b.example"],
		fields: [field("key", true), field("token", false)],
	});
	const after = reachOf("https://a.example https://c.example", {
		hosts: ["b.example", "d.example"],
		fields: [field("key", true), field("token", true), field("nameless", true)],
	});
	const found = newIn(after, before);
	assert.deepEqual(found.hosts, ["c.example", "d.example"]);
	assert.deepEqual(
		[...found.secrets],
		[
			["token", "Your token"],
			["nameless", "nameless"],
		],
	);
	// All of a new app is new.
	assert.deepEqual(newIn(after, undefined).hosts, after.hosts);
	assert.deepEqual(newIn(reachOf("", undefined), undefined).hosts, []);
});
