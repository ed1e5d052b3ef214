// Flashing a board: the image is filled in by the page, and is what displayctl makes.
import assert from "node:assert/strict";
import fs from "node:fs";
import { fakeBoard } from "./fake_board.mjs";
import { waitUntil } from "./wait.mjs";

const SSID = "Ada's home";
const PASSWORD = "correct horse é";
const VERSION = "1.6.6";

function heading(page, name) {
	return page.getByRole("heading", { name, level: 1 });
}

/** Notes what a page sends, and fails if the password is in it. */
function listen(stage, page) {
	page.on("request", (request) => {
		const sent = decodeURIComponent(request.url()) + (request.postData() ?? "");
		if (sent.includes("correct horse")) stage.fail(`the password was sent to ${request.url()}`);
	});
}

/** A person with a device, on the page that flashes a board for it. */
async function onFlashPage(stage, { board, init = fakeBoard, options, ...more } = {}) {
	const person = await stage.ask("person", { device: false });
	const device = await stage.ask("add_device", { account: person.email });
	const page = await stage.signedIn(person, more);
	listen(stage, page);
	await page.addInitScript(init, options);
	await page.goto(`devices/${device.id}/flash`);
	await heading(page, "Flash a board for Kitchen").waitFor();
	if (board) await page.getByLabel("Board", { exact: true }).selectOption({ label: board });
	return { person, device, page };
}

async function fillIn(page, { ssid = SSID, password = PASSWORD, url } = {}) {
	await page.getByLabel("Name of your 2.4 GHz Wi-Fi").fill(ssid);
	await page.getByLabel("Password of the Wi-Fi", { exact: true }).fill(password);
	if (url !== undefined) await page.getByLabel("Address of the device").fill(url);
}

async function chooseFile(stage, page, kind) {
	const file = await stage.ask("image_file", { kind });
	await page.getByLabel("File of a release", { exact: true }).setInputFiles(file);
}

/** Downloads the file. Returns its bytes and the command that the page shows. */
async function downloaded(page) {
	const [download] = await Promise.all([
		page.waitForEvent("download"),
		page.getByRole("button", { name: "Download the file" }).click(),
	]);
	const content = fs.readFileSync(await download.path()).toString("base64");
	const command = await page.locator(".secret code", { hasText: "esptool.py" }).innerText();
	return { content, name: download.suggestedFilename(), command };
}

/** What the board has, once the page says that it was flashed. */
async function flashed(page) {
	await page.getByRole("button", { name: "Flash the board" }).click();
	await page.getByText("The board is flashed and restarts.").waitFor();
	const { address, bytes } = await page.evaluate(() => globalThis.flashed);
	return { address, content: Buffer.from(bytes).toString("base64") };
}

/** Checks that the page has kept the password nowhere. */
async function keepsNothing(page) {
	const kept = await page.evaluate(() =>
		JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href]),
	);
	assert.ok(!kept.includes("correct horse"), kept);
}

/** Adds a device, and follows the link of its address. */
async function flashesNewDevice(stage, options) {
	await stage.ask("add_firmware", { board: "tronbyt_s3", version: VERSION });
	const person = await stage.ask("person", { device: false });
	const page = await stage.signedIn(person, options);
	listen(stage, page);
	await page.addInitScript(fakeBoard);
	await page.goto("devices/new");
	await page.getByLabel("Name").fill("Balcony");
	await page.getByRole("button", { name: "Add device" }).click();
	await page.getByLabel("Tronbyt S3", { exact: true }).check();
	const url = await page.locator(".steps .secret code").innerText();
	await page.getByRole("link", { name: "Flash it by a USB cable" }).click();
	await heading(page, "Flash a board for Balcony").waitFor();
	assert.equal(await page.getByLabel("Board", { exact: true }).inputValue(), "tronbyt_s3");
	await page.getByText(/Hold the button BOOT, press RESET once/).waitFor();
	assert.equal(await page.getByLabel("Address of the device").inputValue(), url);
	await page.getByLabel("Image", { exact: true }).waitFor();
	await fillIn(page);
	const made = await stage.ask("filled", {
		kind: "application",
		ssid: SSID,
		password: PASSWORD,
		url,
	});
	const board = await flashed(page);
	assert.equal(board.address, 0x10000);
	assert.equal(board.content, made.content);
	await keepsNothing(page);
	await stage.ask("panel", { url });
	await page.getByText("Balcony is here.").first().waitFor();
}

export default {
	"somebody flashes a board for a new device": (stage) => flashesNewDevice(stage, {}),

	"somebody flashes a board for a new device on a phone": (stage) =>
		flashesNewDevice(stage, { screen: "phone" }),

	"a merged image of a release is filled in, flashed at its start, and saved": async (stage) => {
		const { page } = await onFlashPage(stage, { board: "MatrixPortal S3" });
		await page.getByText("matrixportal-s3_merged.bin").waitFor();
		await page.getByText("This server has no image for this board.").waitFor();
		await chooseFile(stage, page, "merged");
		const url = `https://panels.example.org/${"x".repeat(101)}`;
		assert.equal(url.length, 128);
		await fillIn(page, { url });
		const made = await stage.ask("filled", { kind: "merged", ssid: SSID, password: PASSWORD, url });
		const saved = await downloaded(page);
		assert.equal(saved.content, made.content);
		assert.equal(saved.name, "kitchen.bin");
		assert.equal(saved.command, `${made.command} kitchen.bin`);
		assert.match(saved.command, /--chip esp32s3 write_flash 0x0 kitchen.bin$/);
		const board = await flashed(page);
		assert.equal(board.address, 0);
		assert.equal(board.content, made.content);
		await keepsNothing(page);
	},

	"what does not fit is refused in words": async (stage) => {
		const url = "wss://panels.example.org/d/1/ws?key=2";
		const { page } = await onFlashPage(stage, { board: "Waveshare S3" });
		const press = () => page.getByRole("button", { name: "Download the file" }).click();
		await press();
		await page.getByText("Enter the name of the network.").waitFor();
		await page.getByText(/Enter the device's address/).waitFor();
		await page.getByText("Choose an image.").waitFor();
		await fillIn(page, { url: `${url}${"x".repeat(100)}`, password: "é".repeat(33) });
		await press();
		await page.getByText("The address has 137 bytes, maximum 128.").waitFor();
		await page.getByText("The password has 66 bytes, maximum 64.").waitFor();
		await fillIn(page, { url });
		for (const [kind, words] of [
			["cut", /The image is cut: /],
			["unmarked", /The image has no fields for Wi-Fi and URL/],
			["large", /The image is larger than 8 MiB/],
			["esp32", /The image is for the chip esp32, and this board has esp32s3/],
		]) {
			await chooseFile(stage, page, kind);
			await press();
			await page.getByRole("alert").getByText(words).waitFor();
		}
		await chooseFile(stage, page, "application");
		await downloaded(page);
	},

	"a board of another chip, and one that does not answer, are named": async (stage) => {
		const url = "wss://panels.example.org/d/1/ws?key=2";
		const board = "Waveshare S3";
		for (const [options, words] of [
			[{ magic: 0x00f01d83 }, /it has the chip ESP32, and the image is for esp32s3/],
			[{ isSilent: true }, /The board does not answer. Is it in download mode/],
		]) {
			const { page } = await onFlashPage(stage, { board, options });
			await chooseFile(stage, page, "application");
			await fillIn(page, { url });
			await page.getByRole("button", { name: "Flash the board" }).click();
			await page.getByRole("alert").getByText(words).waitFor();
			assert.equal(await page.evaluate(() => globalThis.flashed), undefined);
			await page.context().close();
		}
	},

	"where Web Serial is missing, the page says so and offers the file": async (stage) => {
		const none = ({ isSecure }) => {
			delete Navigator.prototype.serial;
			Object.defineProperty(window, "isSecureContext", { value: isSecure });
		};
		for (const [isSecure, words] of [
			[true, /This browser cannot reach boards by USB/],
			[false, /only from pages of https or localhost/],
		]) {
			const board = "Tidbyt, first generation";
			const { page } = await onFlashPage(stage, { board, init: none, options: { isSecure } });
			await page.getByText(words).waitFor();
			assert.equal(await page.getByRole("button", { name: "Flash the board" }).count(), 0);
			await chooseFile(stage, page, "esp32");
			await fillIn(page, { url: "http://10.0.0.2:8080/d/1/next?key=2" });
			assert.match((await downloaded(page)).command, /--chip esp32 write_flash 0x10000/);
			await page.context().close();
		}
	},

	"a new key can be made, and a Raspberry Pi is not flashed": async (stage) => {
		const { page, device } = await onFlashPage(stage, { board: "Tronbyt S3, wide" });
		await page.getByRole("button", { name: "Create a new key" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Create a new key" }).click();
		const address = page.getByLabel("Address of the device");
		await waitUntil(async () => (await address.inputValue()).includes(device.id));
		await page.getByRole("link", { name: "Apps" }).click();
		await page.getByText("Leave without the address?").waitFor();
		await page.keyboard.press("Escape");
		await page.getByText("TRON-CONFIG").waitFor();
		await page.getByLabel("Board", { exact: true }).selectOption({ label: "Raspberry Pi" });
		await page.getByText(/A Raspberry Pi runs a program/).waitFor();
		assert.equal(await address.count(), 0);
	},

	"photographs of flashing": async (stage) => {
		await stage.ask("add_firmware", { board: "tronbyt_s3", version: VERSION });
		const person = await stage.ask("person", { device: false });
		const device = await stage.ask("add_device", { account: person.email });
		const open = async (page) => {
			await page.addInitScript(fakeBoard);
			await page.goto(`devices/${device.id}/flash`);
			await page.getByLabel("Board", { exact: true }).selectOption({ label: "Tronbyt S3" });
			await page.getByLabel("Image", { exact: true }).waitFor();
			await fillIn(page, { url: "wss://panels.example.org/d/1/ws?key=2" });
		};
		await stage.photograph("flash", open, person);
		const done = async (page) => {
			await open(page);
			await downloaded(page);
		};
		await stage.photograph("flash-saved", done, person);
	},
};
