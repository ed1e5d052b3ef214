import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { commandOf, fillImage, readImage, valueFault } from "../src/flash/image";
import { hexOf, sha256 } from "../src/flash/sha256";

const FIELDS = [
	"XplaceholderWIFISSID".padEnd(32, "_"),
	"XplaceholderWIFIPASSWORD".padEnd(64, "_"),
	"XplaceholderREMOTEURL".padEnd(128, "_"),
];
const VALUES = {
	ssid: "home",
	password: "correct horse",
	url: "ws://panels.example.org/d/1/ws?key=2",
};

/** An application as the chip's tools make it. */
function image({ chip = 9, fields = FIELDS, hasHash = 1, tail = "" } = {}): Uint8Array {
	const description = Buffer.alloc(256);
	description.writeUInt32LE(0xabcd5432, 0);
	description.write("v1.6.6", 16);
	description.write("firmware", 48);
	const texts = fields.map((field) => `${field}\0`).join("");
	const first = Buffer.concat([description, Buffer.from(texts, "latin1")]);
	const segments = [
		Buffer.concat([first, Buffer.alloc((4 - (first.length % 4)) % 4)]),
		Buffer.alloc(999, 7),
	];
	const header = Buffer.alloc(24);
	header.set([0xe9, segments.length], 0);
	header.writeUInt16LE(chip, 12);
	header[23] = hasHash;
	const parts: Buffer[] = [header];
	let sum = 0xef;
	for (const segment of segments) {
		const head = Buffer.alloc(8);
		head.writeUInt32LE(segment.length, 4);
		parts.push(head, segment);
		for (const byte of segment) sum ^= byte;
	}
	const length = parts.reduce((all, part) => all + part.length, 0);
	parts.push(Buffer.alloc(15 - (length % 16)), Buffer.from([sum]));
	const whole = Buffer.concat(parts);
	const hash = createHash("sha256").update(whole).digest();
	return new Uint8Array(Buffer.concat([whole, hash, Buffer.from(tail)]));
}

/** Returns the words of the fault that reading and filling throws. */
function faultOf(bytes: Uint8Array): string {
	try {
		fillImage(bytes, readImage(bytes), VALUES);
	} catch (error) {
		return (error as Error).message;
	}
	return "";
}

void test("the hash is that of others, whatever the length", () => {
	for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
		const bytes = Uint8Array.from({ length }, (_, i) => i * 7);
		assert.equal(hexOf(sha256(bytes)), createHash("sha256").update(bytes).digest("hex"));
	}
});

void test("an image is filled, and its checksum and hash are mended", () => {
	const bytes = image();
	const read = readImage(bytes);
	assert.deepEqual([read.chip, read.project, read.version], ["esp32s3", "firmware", "v1.6.6"]);
	const filled = fillImage(bytes, read, VALUES);
	const text = Buffer.from(filled).toString("latin1");
	for (const value of Object.values(VALUES)) assert.ok(text.includes(`${value}\0`));
	assert.ok(!text.includes("Xplaceholder"));
	assert.deepEqual(readImage(filled), read);
	assert.ok(Buffer.from(bytes).toString("latin1").includes("Xplaceholder"), "the original stays");
	assert.equal(
		commandOf(read, "kitchen.bin"),
		"esptool.py --chip esp32s3 write_flash 0x10000 kitchen.bin",
	);
});

void test("a merged image is flashed at its start", () => {
	const bytes = new Uint8Array(0x10000 + image().length).fill(0xff);
	bytes.set(image({ chip: 0 }), 0x10000);
	const read = readImage(bytes);
	assert.equal(read.start, 0x10000);
	assert.equal(commandOf(read, "a.bin"), "esptool.py --chip esp32 write_flash 0x0 a.bin");
	const filled = fillImage(bytes, read, VALUES);
	assert.equal(filled.length, bytes.length);
	assert.deepEqual(filled.subarray(0, 0x10000), bytes.subarray(0, 0x10000));
});

void test("what is not such an image is refused with its reason", () => {
	const good = image();
	const damaged = Uint8Array.from(good);
	damaged[400] = (damaged[400] ?? 0) ^ 1;
	const unhashed = Uint8Array.from(good);
	unhashed[unhashed.length - 1] = (unhashed[unhashed.length - 1] ?? 0) ^ 1;
	const long = Uint8Array.from(good);
	new DataView(long.buffer).setUint32(28, 0xffffffff, true);
	const refused: [Uint8Array, RegExp][] = [
		[new Uint8Array(0), /is not an image/],
		[new Uint8Array(0x10000 + 9), /is not an image/],
		[new Uint8Array(8 * 1024 * 1024 + 1), /larger than 8 MiB/],
		[good.subarray(0, good.length - 33), /is cut/],
		[good.subarray(0, 600), /is cut/],
		[long, /is cut/],
		[damaged, /checksum is wrong/],
		[unhashed, /hash is wrong/],
		[image({ hasHash: 0 }), /has no hash/],
		[image({ tail: "more" }), /bytes after its end/],
		[image({ fields: [] }), /has no fields/],
		[image({ fields: FIELDS.slice(1) }), /has no fields/],
		[image({ fields: [...FIELDS, ...FIELDS.slice(0, 1)] }), /twice/],
		[fillImage(good, readImage(good), VALUES), /has no fields/],
	];
	for (const [bytes, words] of refused) assert.match(faultOf(bytes), words);
});

void test("values have the length of their fields, in bytes", () => {
	const url = "http://panels.example.org/";
	assert.equal(valueFault("url", url.padEnd(128, "x")), undefined);
	assert.equal(valueFault("url", url.padEnd(129, "x")), "The address has 129 bytes, maximum 128.");
	assert.equal(valueFault("password", "é".repeat(32)), undefined);
	assert.equal(
		valueFault("password", `${"é".repeat(32)}e`),
		"The password has 65 bytes, maximum 64.",
	);
	assert.equal(valueFault("password", ""), undefined);
	assert.equal(valueFault("ssid", "x".repeat(33)), "The name has 33 bytes, maximum 32.");
	assert.match(valueFault("ssid", "") ?? "", /Enter/);
	assert.match(valueFault("ssid", "a\nb") ?? "", /control character/);
	for (const wrong of ["", "panels.example.org", "ftp://x", "https://"])
		assert.match(valueFault("url", wrong) ?? "", /begins with/);
});
