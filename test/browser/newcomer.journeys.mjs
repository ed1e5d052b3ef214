// The first ten minutes: from the link that the server printed to a moving picture, and how each kind of panel is
// connected.
import assert from "node:assert/strict";
import { waitUntil } from "./wait.mjs";

const PASSWORD = "seven small lamps";

function heading(page, name) {
	return page.getByRole("heading", { name, level: 1 });
}

/** Counts the clicks of a walk. */
class Walk {
	clicks = 0;

	async click(target) {
		this.clicks += 1;
		await target.click();
	}
}

/** Makes the first account by the printed link. */
async function makeFirst(page, link, walk = new Walk()) {
	await page.goto(link);
	await page.getByLabel("E-mail address").fill("first@example.org");
	await page.getByLabel("Name", { exact: true }).fill("Grace");
	await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
	await walk.click(page.getByRole("button", { name: "Create account" }));
	await heading(page, "First steps").waitFor();
}

/** The picture of a panel, drawn, as text. */
function drawn(page) {
	return page.evaluate(() => {
		const image = document.querySelector("img.panel-picture");
		if (!image?.complete || !image.naturalWidth) return "";
		const context = new OffscreenCanvas(64, 32).getContext("2d");
		context.drawImage(image, 0, 0, 64, 32);
		return context.getImageData(0, 0, 64, 32).data.join();
	});
}

/** Waits until the panel shows a second picture, or another frame of its first. */
async function moves(page) {
	const first = await waitUntil(() => drawn(page));
	await waitUntil(async () => (await drawn(page)) !== first);
}

/** On the guide of a new device, whose panel is not chosen yet. */
async function onGuide(stage, options) {
	const person = await stage.ask("person", { device: false });
	const page = await stage.signedIn(person, options);
	await page.goto("devices/new");
	await page.getByLabel("Name").fill("Kitchen");
	await page.keyboard.press("Enter");
	await heading(page, "Connect Kitchen").waitFor();
	return { person, page };
}

/** Signs in the first account of a server that others reach by this URL. */
async function behind(stage, publicUrl) {
	const fresh = await stage.ask("fresh", {
		arguments: ["--public-url", publicUrl, "--plain-http-sign-in", "on"],
	});
	const at = `http://127.0.0.1:${fresh.port}/`;
	const page = await stage.visitor({ baseURL: at });
	await makeFirst(page, `${at}link#${fresh.link.split("#")[1]}`);
	await page.goto("devices/new");
	await page.getByLabel("Name").fill("O'Hara <b>&amp; κουζίνα");
	await page.keyboard.press("Enter");
	return page;
}

const FLASHED = [
	"Tidbyt, first generation",
	"Tidbyt, second generation",
	"Tronbyt S3",
	"Tronbyt S3, wide",
	"MatrixPortal S3",
	"Waveshare S3",
];

export default {
	"a newcomer sees a moving picture five clicks after the printed link": async (stage) => {
		const fresh = await stage.ask("fresh");
		const page = await stage.visitor({ baseURL: fresh.url });
		const walk = new Walk();
		await makeFirst(page, fresh.link, walk);
		assert.match(page.url(), /\/welcome$/);
		await page.getByLabel("Name").fill("Kitchen");
		await walk.click(page.getByRole("button", { name: "Add device" }));
		await walk.click(page.getByLabel("A browser or tablet"));
		const [panel] = await Promise.all([
			page.waitForEvent("popup"),
			walk.click(page.getByRole("link", { name: "Use this browser as a panel" })),
		]);
		await panel.getByText("Connected").waitFor();
		await page.getByText("Kitchen is here.").waitFor();
		await walk.click(page.getByRole("button", { name: "Show it" }));
		await moves(panel);
		assert.equal(walk.clicks, 5);
		await page.locator('.welcome-steps > li[data-done="true"]').nth(1).waitFor();
		await page.getByRole("button", { name: "Done" }).click();
		await page.locator(".welcome-panel img.panel-picture").waitFor();
		await stage.checkAccessibility(page);
		await page.goto("devices");
		await page.getByRole("link", { name: "First steps: 2 of 3 done" }).click();
		await page.getByRole("link", { name: "Bring in apps" }).click();
		await page.getByRole("button", { name: "Add these apps" }).click();
		await page.getByRole("link", { name: /Clock/ }).first().waitFor();
		await page.goBack();
		await heading(page, "All is set up").waitFor();
		await page.getByRole("link", { name: "Go to Kitchen" }).click();
		await heading(page, "Kitchen").waitFor();
		await page.goto("devices");
		await page.locator(".device-tile").waitFor();
		assert.equal(await page.getByRole("link", { name: /First steps/ }).count(), 0);
		await page.goto("welcome");
		await heading(page, "Devices").waitFor();
	},

	"the first steps follow what is done elsewhere": async (stage) => {
		const person = await stage.ask("person", { device: false });
		const page = await stage.signedIn(person, { screen: "phone" });
		await page.goto("");
		await heading(page, "First steps").waitFor();
		await page.locator(".welcome-steps > li").first().waitFor();
		assert.equal(await page.locator(".welcome-steps > li").count(), 2);
		const device = await stage.ask("add_device", { account: person.email });
		await page.getByText("Kitchen has not connected yet.").waitFor();
		await page.getByLabel("A text for Kitchen").waitFor();
		await stage.ask("panel", { url: device.url });
		await page.getByText("Kitchen is connected.").waitFor();
		await stage.ask("push_to", {
			account: person.email,
			device: device.id,
			colour: [200, 30, 10],
			installationId: "lamp",
		});
		await heading(page, "All is set up").waitFor();
	},

	"by keyboard alone a newcomer adds a device and shows a text": async (stage) => {
		const person = await stage.ask("person", { device: false });
		const page = await stage.signedIn(person);
		await page.goto("");
		await heading(page, "First steps").waitFor();
		const tabTo = async (name) => {
			const has = () =>
				page.evaluate((wanted) => {
					const { activeElement: at } = document;
					return [at?.labels?.[0]?.innerText, at?.innerText].some((text) =>
						text?.startsWith(wanted),
					);
				}, name);
			do await page.keyboard.press("Tab");
			while (!(await has()));
		};
		await tabTo("Name");
		await page.keyboard.type("Kitchen");
		await page.keyboard.press("Enter");
		await page.getByText("Which panel is it?").waitFor();
		await tabTo("Tidbyt, first generation");
		await page.keyboard.press("ArrowUp");
		await page.getByRole("radio", { name: "A terminal", checked: true }).waitFor();
		const command = await page.locator(".link-card .secret code").innerText();
		const [, url] = /^displayctl panel --url '(ws:.*)'$/.exec(command);
		await stage.ask("panel", { url });
		await page.getByText("Kitchen is here.").waitFor();
		await tabTo("A text for Kitchen");
		await page.keyboard.press("Enter");
		await page.locator('.welcome-steps > li[data-done="true"]').nth(1).waitFor();
	},

	"each panel has its guide": async (stage) => {
		const { page } = await onGuide(stage);
		for (const name of FLASHED) {
			await page.getByLabel(name, { exact: true }).check();
			await page.getByText("put it on the board now").waitFor();
			await page.getByRole("link", { name: "Flash it by a USB cable" }).waitFor();
			await page.getByText("TRON-CONFIG").waitFor();
			await page.getByRole("img", { name: "This guide as a QR code" }).waitFor();
		}
		const id = /\/d\/([^/]+)\//.exec(await page.locator(".steps .secret code").innerText())[1];
		const stored = async () => (await page.request.get(`web/devices/${id}`)).json();
		await page.getByLabel("Tronbyt S3, wide", { exact: true }).check();
		await waitUntil(async () => (await stored()).size === "128x64");
		await page.getByLabel("Raspberry Pi", { exact: true }).check();
		await page.getByText("A Raspberry Pi runs a program in place of this firmware.").waitFor();
		await waitUntil(async () => (await stored()).board === "raspberrypi");
		assert.equal((await stored()).size, "64x32");
		await page.getByLabel("A browser or tablet").check();
		await page.getByRole("img", { name: "The panel in the browser as a QR code" }).waitFor();
		await stage.checkAccessibility(page);
		await page.emulateMedia({ forcedColors: "active" });
		await stage.checkAccessibility(page);
	},

	"a phone opens the guide by its code, and nobody signs in there": async (stage) => {
		const { page } = await onGuide(stage);
		await page.getByLabel("Waveshare S3", { exact: true }).check();
		const address = await page.locator(".steps .secret code").first().innerText();
		const code = await page.locator("a.qr-link").getAttribute("href");
		assert.match(code, /\/connect#waveshare_s3\//);
		const phone = await stage.visitor({ screen: "phone" });
		await phone.goto(code);
		await heading(phone, "Connect your panel").waitFor();
		assert.equal(new URL(phone.url()).hash, "");
		assert.equal(await phone.locator(".steps .secret code").innerText(), address);
		await phone.getByText("Waveshare S3").waitFor();
		await stage.checkAccessibility(phone);
		await phone.reload();
		await phone.getByText("TRON-CONFIG").waitFor();
		await phone.getByRole("link", { name: "Use this browser as the panel" }).click();
		await phone.getByText("Connected").waitFor();
		await page.getByText("Kitchen is here.").waitFor();
		await page.locator(".arrived-panel .panel").waitFor();
		const lost = await stage.visitor({ screen: "phone" });
		for (const hash of ["", "#", "#waveshare_s3/a/b/c", "#<b>/a/b", "#%E0%A4%A"]) {
			await lost.goto(`connect${hash}`);
			await lost.getByText("The address is missing.").waitFor();
			await lost.goto("about:blank");
		}
	},

	"a code leads where panels reach the server, whatever its address": async (stage) => {
		for (const url of [
			"http://xn--bcher-kva.example/wall/two",
			"http://[fd00::7]:8080",
			"http://Panel-Server.local:8080/a",
		]) {
			const page = await behind(stage, url);
			await page.getByLabel("A browser or tablet").check();
			const site = `${url.toLowerCase()}/`;
			const tablet = await page.locator("a.qr-link").getAttribute("href");
			assert.ok(tablet.startsWith(`${site}panel#`), `${tablet} is not below ${site}`);
			const here = await page
				.getByRole("link", { name: "Use this browser as a panel" })
				.getAttribute("href");
			assert.equal(new URL(here).origin, new URL(page.url()).origin);
			await page.getByLabel("Another board").check();
			const phone = await page.locator("a.qr-link").getAttribute("href");
			assert.ok(phone.startsWith(`${site}connect#other/`), `${phone} is not below ${site}`);
			await page.getByLabel("A terminal").check();
			const command = await page.locator(".link-card .secret code").innerText();
			assert.ok(command.startsWith(`displayctl panel --url 'ws://`), command);
		}
	},

	"photographs of the first steps": async (stage) => {
		const person = await stage.ask("person", { device: false, roles: ["administrator"] });
		await stage.photograph(
			"welcome",
			async (page) => {
				await page.goto("welcome");
				await heading(page, "First steps").waitFor();
			},
			person,
		);
		const device = await stage.ask("add_device", { account: person.email });
		await stage.ask("panel", { url: device.url });
		await stage.photograph(
			"welcome-connected",
			async (page) => {
				await page.goto("welcome");
				await page.getByText("Kitchen is connected.").waitFor();
			},
			person,
		);
		for (const [name, label] of [
			["guide-board", "Tidbyt, first generation"],
			["guide-browser", "A browser or tablet"],
			["guide-terminal", "A terminal"],
		])
			await stage.photograph(
				name,
				async (page) => {
					await page.goto("devices/new");
					await page.getByLabel("Name").fill("Hall");
					await page.keyboard.press("Enter");
					await page.getByLabel(label, { exact: true }).check();
					await page.getByText("Waiting for your panel").waitFor();
				},
				person,
			);
		await stage.photograph("connect-phone", async (page) => {
			await page.goto("connect#tronbyt_s3/abc/AbC0123456789");
			await page.getByText("TRON-CONFIG").waitFor();
		});
	},
};
