// Devices: live pictures, adding, setting, arranging and pushing.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { slowProxy } from "./slow_proxy.mjs";
import { pressMore, waitUntil } from "./wait.mjs";

const LIVE = ".device .drop .panel";

function heading(page, name) {
	return page.getByRole("heading", { name, level: 1 });
}

function line(page) {
	return page.locator(`${LIVE} .panel-line`).first();
}

/** Waits until the top left pixel of a picture has a colour. */
async function showsColour(page, colour, where = `${LIVE} img.panel-picture`) {
	await page.waitForFunction(
		([selector, wanted]) => {
			const image = document.querySelector(selector);
			if (!image?.complete || !image.naturalWidth) return false;
			const context = new OffscreenCanvas(64, 32).getContext("2d");
			context.drawImage(image, 0, 0);
			return context.getImageData(0, 0, 1, 1).data.slice(0, 3).join() === wanted.join();
		},
		[where, colour],
	);
}

async function fillSignIn(page, person) {
	await page.getByLabel("E-mail address").fill(person.email);
	await page.getByLabel("Password", { exact: true }).fill(person.password);
	await page.keyboard.press("Enter");
}

/** A person with a device whose panel is on. */
async function owner(stage, { name = "Kitchen", acknowledges = true } = {}) {
	const person = await stage.ask("person", { device: false });
	const account = person.email;
	const device = await stage.ask("add_device", { account, name });
	await stage.ask("panel", { url: device.url, name: device.id, acknowledges });
	return { person, account, device };
}

async function push(stage, { account, device }, how) {
	await stage.ask("push_to", { account, device: device.id, ...how });
}

/** Opens the page of a device whose panel is on. */
async function openDevice(stage, { part = "", ...options } = {}) {
	const owned = await owner(stage, options);
	const page = await stage.signedIn(owned.person, options);
	await page.goto(`devices/${owned.device.id}${part}`);
	await heading(page, options.name ?? "Kitchen").waitFor();
	return { ...owned, page };
}

async function hasOrder(page, wanted) {
	await page.waitForFunction(
		(list) =>
			[...document.querySelectorAll("[data-handle]")]
				.map((handle) => handle.dataset.handle)
				.join() === list.join(),
		wanted,
	);
}

/** Fields on the screen that the message at the edge of the page covers; undefined: it has gone. */
function coveredFields(page, text) {
	return page.evaluate((words) => {
		const toast = [...document.querySelectorAll(".toast")].find(({ textContent }) =>
			textContent.includes(words),
		);
		if (!toast) return undefined;
		const own = toast.getBoundingClientRect();
		return [...document.querySelectorAll("main label, main input, main select, main button")]
			.filter((field) => {
				const { left, right, top, bottom } = field.getBoundingClientRect();
				return left < own.right && right > own.left && top < own.bottom && bottom > own.top;
			})
			.map((field) => field.outerHTML);
	}, text);
}

/** Waits until a state outside of the browser is reached. */
const until = (stage, what, more, isSo) =>
	waitUntil(async () => {
		const answer = await stage.ask(what, more);
		return isSo(answer) && answer;
	});

async function pushThree(stage, owned) {
	const { account, device } = owned;
	const colours = { red: [200, 0, 0], green: [0, 200, 0], blue: [0, 0, 200] };
	for (const [installationId, colour] of Object.entries(colours))
		await stage.ask("push_to", {
			account,
			device: device.id,
			colour,
			installationId,
			background: true,
		});
}

/** Enlarges the text of pages that are opened from now on, as a browser's setting does. Chromium does
 * not look again at container queries in rem if the text of a page that stands is enlarged. */
async function enlargeText(page) {
	await page.addInitScript(() => {
		const sheet = new CSSStyleSheet();
		sheet.replaceSync("html { font-size: 200% }");
		document.adoptedStyleSheets.push(sheet);
	});
}

/** Returns how many pixels of the page are beyond the edge of the window. */
function beyondEdge(page) {
	return page.evaluate(() => Math.max(document.documentElement.scrollWidth - innerWidth, 0));
}

/** Waits until no label of a check box is broken within its words. */
function haveWideLabels(page) {
	return page.waitForFunction(() =>
		[...document.querySelectorAll(".check")].every((label) => {
			const word = document.createElement("span");
			const seen = label.cloneNode(true);
			for (const hidden of seen.querySelectorAll(".only-read")) hidden.remove();
			const words = seen.textContent.split(/\s+/).sort((a, b) => b.length - a.length);
			[word.textContent] = words;
			word.style.cssText = "position: absolute; white-space: nowrap";
			label.append(word);
			const { width } = word.getBoundingClientRect();
			word.remove();
			return label.getBoundingClientRect().width >= width;
		}),
	);
}

/** Drops a file as if a person dragged it there. */
async function drop(page, selector, path, type, words = "Drop to show on the panel") {
	const data = fs.readFileSync(path).toString("base64");
	const name = path.split("/").at(-1);
	const transfer = await page.evaluateHandle(
		({ data, name, type }) => {
			const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
			const transfer = new DataTransfer();
			transfer.items.add(new File([bytes], name, { type }));
			return transfer;
		},
		{ data, name, type },
	);
	await page.dispatchEvent(selector, "dragover", { dataTransfer: transfer });
	await page.getByText(words).waitFor();
	await page.dispatchEvent(selector, "drop", { dataTransfer: transfer });
}

/** Pastes a picture like a screenshot, which always has this name. */
async function paste(page, path) {
	await page.evaluate((data) => {
		const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
		const transfer = new DataTransfer();
		transfer.items.add(new File([bytes], "image.png", { type: "image/png" }));
		document.body.dispatchEvent(
			new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true }),
		);
	}, fs.readFileSync(path).toString("base64"));
}

async function addsDevice(stage, options) {
	const person = await stage.ask("person", { device: false });
	const page = await stage.visitor(options);
	await page.goto("");
	await fillSignIn(page, person);
	await heading(page, "First steps").waitFor();
	await page.goto("devices");
	await page.getByText("No devices yet").waitFor();
	await page.getByRole("link", { name: "Add a device" }).click();
	await page.getByLabel("Name").fill("Balcony");
	await page.getByRole("combobox", { name: "Time zone" }).click();
	await page.keyboard.type("york");
	await page.getByRole("option", { name: "America/New_York" }).click();
	await page.getByRole("button", { name: "Add device" }).click();
	await heading(page, "Connect Balcony").waitFor();
	await page.getByLabel("Another board").check();
	// The phone itself cannot scan it.
	const code = page.getByRole("img", { name: "This guide as a QR code" });
	if (options.screen !== "phone") await code.waitFor();
	await page.getByText("Waiting for your panel to connect.").waitFor();
	assert.equal(await code.count(), options.screen === "phone" ? 0 : 1);
	const url = await page.locator(".steps .secret code").innerText();
	assert.match(url, /^ws:\/\/.*\/d\/.*\/ws\?key=\w{24}$/);
	await page.getByRole("link", { name: "Devices" }).click();
	await page.getByText("Leave without the address?").waitFor();
	await page.keyboard.press("Escape");
	await stage.ask("panel", { url });
	await page.getByText("Balcony is here.").waitFor();
	await page.getByRole("button", { name: "Done" }).click();
	await heading(page, "Balcony").waitFor();
	assert.ok(!(await page.content()).includes(url));
	await page.getByRole("link", { name: "Connect" }).click();
	await page.getByText("WebSocket", { exact: true }).waitFor();
	const id = new URL(page.url()).pathname.split("/").at(-2);
	const device = await stage.ask("device_of", { account: person.email, device: id });
	assert.equal(device.timezone, "America/New_York");
	return page;
}

/** Gives a device a plan whose week has all that is drawn, and waits until its settings show it. */
async function planned(page, id) {
	await page.evaluate(async (path) => {
		const week = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
		// In three days, so that the panel is lit now.
		const later = week[(new Date().getUTCDay() + 2) % 7];
		const windows = [
			{ from: "sunset", to: "sunrise", brightness: 30 },
			{ weekdays: [later], from: "09:00", to: "16:30", dark: true },
			{
				weekdays: ["saturday", "sunday"],
				from: "10:00",
				to: "12:00",
				colorFilter: "warm",
				interval: 60,
			},
		];
		const headers = { "Content-Type": "application/json" };
		await fetch(path, { method: "PUT", headers, body: JSON.stringify({ windows }) });
	}, `/web/devices/${id}/plan`);
	await page.getByText("Sat and Sun, 10:00 to 12:00").waitFor();
}

export default {
	"somebody adds the first device": (stage) => addsDevice(stage, {}),

	"somebody adds the first device on a phone": (stage) => addsDevice(stage, { screen: "phone" }),

	"a push is seen on the live panel": async (stage) => {
		const { page, ...owned } = await openDevice(stage);
		await push(stage, owned, { colour: [200, 30, 10], installationId: "lamp" });
		await showsColour(page, [200, 30, 10]);
		await page.getByText("lamp", { exact: false }).first().waitFor();
		await push(stage, owned, { colour: [10, 30, 200], duration: 45 });
		await showsColour(page, [10, 30, 200]);
		await page.getByText(/^A temporary picture for \d+ s, then lamp$/).waitFor();
		await page.goto("devices");
		await showsColour(page, [10, 30, 200], ".device-tile img.panel-picture");
	},

	"a panel that does not acknowledge is said to be served": async (stage) => {
		const { page, ...owned } = await openDevice(stage, { acknowledges: false });
		await push(stage, owned, { colour: [7, 70, 7], installationId: "old firmware" });
		await showsColour(page, [7, 70, 7]);
		await page.getByText(/^Sent: old firmware/).waitFor();
	},

	"a panel that polls is live, too": async (stage) => {
		const person = await stage.ask("person", { device: false });
		const device = await stage.ask("add_device", { account: person.email });
		const owned = { account: person.email, device };
		const polls = { url: device.pollUrl, poll: true, name: device.id };
		await push(stage, owned, { colour: [70, 7, 7], installationId: "lamp" });
		const page = await stage.signedIn(person);
		await page.goto(`devices/${device.id}`);
		await page.locator(`${LIVE}[data-state="never"]`).waitFor();
		await stage.ask("panel", polls);
		await showsColour(page, [70, 7, 7]);
		await page.getByText(/^Sent: lamp/).waitFor();
		await push(stage, owned, { colour: [7, 7, 70], installationId: "lamp" });
		// The panel polls every 15 s, and when it is switched on.
		await stage.ask("panel_off", { name: device.id });
		await stage.ask("panel", polls);
		await showsColour(page, [7, 7, 70]);
		await page.getByRole("link", { name: "Connect" }).click();
		await page.getByText("Polling").waitFor();
	},

	"a panel that goes is offline, and says since when": async (stage) => {
		const { page, device } = await openDevice(stage);
		await page.locator(`${LIVE}[data-state="on"]`).waitFor();
		await stage.ask("panel_off", { name: device.id });
		await page.locator(`${LIVE}[data-state="offline"]`).waitFor();
		await page.locator(`${LIVE} .panel-says`).getByText("Last seen just now").waitFor();
		await stage.ask("panel", { url: device.url, name: device.id });
		await page.locator(`${LIVE}[data-state="on"]`).waitFor();
	},

	"settings apply as they are changed": async (stage) => {
		const { page, ...owned } = await openDevice(stage, { part: "/settings" });
		await push(stage, owned, { colour: [0, 255, 0], installationId: "lamp" });
		await showsColour(page, [0, 255, 0]);
		const place = { account: owned.account, device: owned.device.id };
		const slider = page.getByLabel("Brightness", { exact: true });
		await slider.fill("5");
		await page.getByText("Saved").first().waitFor();
		await page.waitForFunction((selector) => {
			const panel = document.querySelector(selector);
			return Number(panel.style.getPropertyValue("--light")) < 0.4;
		}, LIVE);
		await until(stage, "device_of", place, ({ brightness }) => brightness === 5);
		await page.getByLabel("Name").fill("");
		await page.keyboard.press("Tab");
		await page.locator(".fault").waitFor();
		await page.getByLabel("Name").fill("Upstairs");
		await page.keyboard.press("Enter");
		await heading(page, "Upstairs").waitFor();
		await page.waitForFunction(() => document.title === "Upstairs · displayd");
		await page.getByLabel("Seconds per entry").fill("3");
		await page.keyboard.press("Tab");
		await page.locator(".fault").waitFor();
		await page.getByLabel("Seconds per entry").fill("60");
		await page.keyboard.press("Tab");
		await until(stage, "device_of", place, ({ scheduleInterval }) => scheduleInterval === 60);
		const apps = page.getByRole("group", { name: "Apps" });
		await apps.getByLabel("Language").selectOption("de");
		await apps.getByText("Saved").first().waitFor();
		await apps.getByLabel("Small").check();
		await page.waitForFunction(async () => {
			const { pathname } = location;
			const answer = await fetch(`/web/${/devices\/[^/]+/.exec(pathname)[0]}`);
			const device = await answer.json();
			return device.locale === "de" && device.pictureLimitBytes === 60000;
		});
		await page.getByLabel("From", { exact: true }).fill("00:00");
		await page.getByLabel("Until", { exact: true }).fill("00:00");
		await page.getByLabel("Sleep at night").check();
		await page.locator(`${LIVE}[data-state="asleep"]`).waitFor();
		await page.getByLabel("Sleep at night").uncheck();
		await page.locator(`${LIVE}[data-state="on"]`).waitFor();
	},

	"a plan is made, and orders by hand": async (stage) => {
		const { page } = await openDevice(stage, { part: "/settings" });
		const plan = page.getByRole("group", { name: "Plan" });
		await plan.getByRole("button", { name: "Add a window" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("From", { exact: true }).selectOption("sunset");
		await dialog.getByLabel("From: minutes after it").fill("-241");
		await dialog.getByRole("button", { name: "Save" }).click();
		await dialog.locator(".fault").waitFor();
		await dialog.getByLabel("From: minutes after it").fill("-30");
		await dialog.getByLabel("Brightness, percent").fill("20");
		await dialog.getByLabel("Light").selectOption("");
		await dialog.getByLabel("Colours").selectOption("warm");
		await dialog.getByRole("button", { name: "Save" }).click();
		await plan.getByText("30 minutes before sunset to 07:00").waitFor();
		await plan.getByText("Brightness 20 %, colours warm").waitFor();
		// All day, so that it holds now.
		await plan.getByRole("button", { name: "Add a window" }).click();
		await dialog.getByLabel("From: time").fill("00:00");
		await dialog.getByLabel("Until: time").fill("00:00");
		await dialog.getByRole("button", { name: "Save" }).click();
		await page.locator(`${LIVE}[data-state="asleep"]`).waitFor();
		await plan.getByText("Now: Dark (window 2).").waitFor();
		await plan.getByRole("button", { name: "Awake now" }).click();
		await page.locator(`${LIVE}[data-state="on"]`).waitFor();
		await plan.getByRole("button", { name: "Dim now" }).click();
		await plan.getByRole("button", { name: "No longer dim" }).waitFor();
		await plan.getByRole("button", { name: "Dark now" }).click();
		await page.locator(`${LIVE}[data-state="asleep"]`).waitFor();
		await plan.getByText("Now: Dark (by hand)").waitFor();
		// The order ends with another plan.
		await pressMore(plan, "window 2", "Remove");
		await page.locator(`${LIVE}[data-state="on"]`).waitFor();
	},

	"an answer that comes late changes nothing back": async (stage) => {
		const { page, device } = await openDevice(stage, { part: "/settings" });
		let release;
		const isReleased = new Promise((resolve) => (release = resolve));
		let isFirst = true;
		const isHeld = new Promise((resolve) => {
			page.route(`**/web/devices/${device.id}`, async (route) => {
				if (route.request().method() !== "GET" || !isFirst) return route.continue();
				isFirst = false;
				const response = await route.fetch();
				resolve(route.request());
				await isReleased;
				return route.fulfill({ response });
			});
		});
		// The page gets the event, and requests the device; the answer is delayed.
		await page.getByLabel("Volume").fill("31");
		const held = await isHeld;
		const later = page.getByLabel("Until", { exact: true });
		await later.fill("05:55");
		const isChanged = page.waitForResponse((answer) => answer.request().method() === "PATCH");
		const isAskedAgain = page.waitForResponse(
			(answer) => answer.request().method() === "GET" && answer.url().endsWith(device.id),
		);
		await later.blur();
		await Promise.all([isChanged, isAskedAgain]);
		const isThere = page.waitForEvent("requestfinished", (request) => request === held);
		release();
		await isThere;
		// The answer to a request sent now arrives after that one.
		await page.evaluate(async () => {
			await (await fetch("/web/devices")).json();
			await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
		});
		assert.equal(await later.inputValue(), "05:55");
	},

	"a slider that moves is sent seldom, and its last place is kept": async (stage) => {
		const { page, account, device } = await openDevice(stage, { part: "/settings" });
		let count = 0;
		page.on("request", (request) => {
			if (request.method() === "PATCH") count += 1;
		});
		const began = Date.now();
		await page.getByLabel("Volume").evaluate(async (slider) => {
			for (let value = 0; value <= 90; value++) {
				slider.value = String(value);
				slider.dispatchEvent(new Event("input", { bubbles: true }));
				await new Promise(requestAnimationFrame);
			}
		});
		await until(stage, "device_of", { account, device: device.id }, ({ volume }) => volume === 90);
		const most = 2 + (Date.now() - began) / 100;
		assert.ok(count <= most, `${count} requests`);
	},

	"a rotation is reordered by keyboard": async (stage) => {
		const { page, ...owned } = await openDevice(stage);
		await pushThree(stage, owned);
		await hasOrder(page, ["red", "green", "blue"]);
		await page.getByRole("button", { name: "Move red", exact: true }).focus();
		await page.keyboard.press("Space");
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("ArrowDown");
		await hasOrder(page, ["green", "blue", "red"]);
		await page.getByText("red, 3 of 3.").waitFor();
		await page.keyboard.press("Escape");
		await hasOrder(page, ["red", "green", "blue"]);
		await page.keyboard.press("Space");
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Space");
		await hasOrder(page, ["green", "red", "blue"]);
		const place = { account: owned.account, device: owned.device.id };
		await until(stage, "entries_of", place, (ids) => ids.join() === "green,red,blue");
		for (const key of ["Space", "End", "Space"]) await page.keyboard.press(key);
		await hasOrder(page, ["green", "blue", "red"]);
		await page.getByText("red dropped, 3 of 3.").waitFor();
		for (const key of ["Space", "Home", "Space"]) await page.keyboard.press(key);
		await until(stage, "entries_of", place, (ids) => ids.join() === "red,green,blue");
	},

	"a rotation is reordered by dragging": async (stage) => {
		const { page, ...owned } = await openDevice(stage);
		await pushThree(stage, owned);
		await hasOrder(page, ["red", "green", "blue"]);
		const handle = page.getByRole("button", { name: "Move blue", exact: true });
		await handle.scrollIntoViewIfNeeded();
		const from = await handle.boundingBox();
		const to = await page.getByRole("button", { name: "Move red", exact: true }).boundingBox();
		const x = from.x + from.width / 2;
		await page.mouse.move(x, from.y + from.height / 2);
		await page.mouse.down();
		await page.mouse.move(x, to.y + to.height / 2, { steps: 5 });
		await page.mouse.move(x, to.y + 2);
		await page.mouse.up();
		await hasOrder(page, ["blue", "red", "green"]);
		const place = { account: owned.account, device: owned.device.id };
		await until(stage, "entries_of", place, (ids) => ids.join() === "blue,red,green");
	},

	"a removal can be taken back": async (stage) => {
		const { page, ...owned } = await openDevice(stage);
		await pushThree(stage, owned);
		await hasOrder(page, ["red", "green", "blue"]);
		await pressMore(page, "green", "Remove");
		await hasOrder(page, ["red", "blue"]);
		await page.getByRole("button", { name: "Undo" }).click();
		await hasOrder(page, ["red", "green", "blue"]);
		const place = { account: owned.account, device: owned.device.id };
		assert.equal((await stage.ask("entries_of", place)).length, 3);
		await pressMore(page, "red", "Remove");
		await hasOrder(page, ["green", "blue"]);
		await page.goto("account");
		await until(stage, "entries_of", place, (ids) => ids.join() === "green,blue");
	},

	"each of several removals can be taken back": async (stage) => {
		const { page, ...owned } = await openDevice(stage);
		await pushThree(stage, owned);
		await hasOrder(page, ["red", "green", "blue"]);
		for (const name of ["red", "blue"]) {
			await pressMore(page, name, "Remove", "Enter");
			await page.getByText(`${name} removed`, { exact: true }).first().waitFor();
			// After removal by keyboard, the focus stays at the place of the entry.
			await page.waitForFunction(() => document.activeElement.closest(".entry"));
			assert.match(await page.evaluate(() => document.activeElement.ariaLabel), /^More for/);
		}
		await hasOrder(page, ["green"]);
		for (const name of ["red", "blue"])
			await page.getByRole("button", { name: `Undo: ${name} removed` }).click();
		await hasOrder(page, ["red", "green", "blue"]);
	},

	"a rotation of 60 entries is reordered by dragging, wherever it is scrolled": async (stage) => {
		const { page, account, device } = await openDevice(stage);
		const ids = Array.from({ length: 60 }, (_, i) => `entry ${i}`);
		for (const installationId of ids)
			await stage.ask("push_to", {
				account,
				device: device.id,
				colour: [9, 9, 9],
				installationId,
				background: true,
			});
		await hasOrder(page, ids);
		const handle = page.locator('[data-handle="entry 50"]');
		await handle.scrollIntoViewIfNeeded();
		const from = await handle.boundingBox();
		const x = from.x + from.width / 2;
		await page.mouse.move(x, from.y + from.height / 2);
		await page.mouse.down();
		await page.mouse.move(x, from.y);
		await page.mouse.wheel(0, -1200);
		await page.mouse.move(x, 300);
		await page.waitForFunction(() => scrollY > 0);
		// The entry below the pointer.
		const wanted = await page.evaluate(async () => {
			await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
			const at = 300 + scrollY;
			return [...document.querySelectorAll(".entry")]
				.filter((item) => item.dataset.held !== "true")
				.filter((item) => item.offsetTop + item.offsetParent.offsetTop + item.offsetHeight / 2 < at)
				.length;
		});
		await page.mouse.up();
		await page.waitForFunction(() => !document.querySelector('.entries[data-drags="true"]'));
		const place = { account, device: device.id };
		const order = await until(stage, "entries_of", place, (now) => now.indexOf("entry 50") !== 50);
		assert.ok(Math.abs(order.indexOf("entry 50") - wanted) <= 1, `${order} is not ${wanted}`);
		// At an edge the page scrolls by itself.
		await page.evaluate(() => scrollTo(0, 0));
		const first = page.locator('[data-handle="entry 0"]');
		await first.scrollIntoViewIfNeeded();
		const box = await first.boundingBox();
		await page.mouse.move(x, box.y + box.height / 2);
		await page.mouse.down();
		await page.mouse.move(x, 790);
		await page.waitForFunction(() => scrollY > 2500);
		await page.keyboard.press("Escape");
		await page.mouse.up();
		await hasOrder(page, order);
	},

	"what was wrong is not said of what is right again": async (stage) => {
		const { page } = await openDevice(stage, { part: "/settings" });
		for (const [label, wrong, right] of [
			["Name", "", "Kitchen"],
			["Seconds per entry", "3", "15"],
		]) {
			await page.getByLabel(label, { exact: true }).fill(wrong);
			await page.keyboard.press("Tab");
			await page.locator(".fault").waitFor();
			await page.getByLabel(label, { exact: true }).fill(right);
			await page.keyboard.press("Tab");
			await page.locator(".fault").waitFor({ state: "detached" });
		}
	},

	"time zones are found by their cities": async (stage) => {
		const { page, account, device } = await openDevice(stage, { part: "/settings" });
		const place = { account, device: device.id };
		const box = page.getByRole("combobox", { name: "Time zone" });
		for (const [typed, zone] of [
			["kyiv", "Europe/Kyiv"],
			["kolkata", "Asia/Kolkata"],
			["munich", "Europe/Berlin"],
		]) {
			await box.click();
			await box.fill(typed);
			await page.getByRole("option", { name: zone }).first().click();
			await until(stage, "device_of", place, ({ timezone }) => timezone === zone);
		}
	},

	"text of twice the size leaves a rotation readable": async (stage) => {
		const { page, ...owned } = await openDevice(stage);
		await pushThree(stage, owned);
		await hasOrder(page, ["red", "green", "blue"]);
		await enlargeText(page);
		await page.reload();
		const words = await page.locator(".entry-words").first().boundingBox();
		assert.ok(words.width > 400, `the words of an entry have ${words.width} pixels`);
		assert.equal(await beyondEdge(page), 0);
	},

	"text of twice the size leaves lists and tables on the screen": async (stage) => {
		const person = await stage.ask("person", { roles: ["administrator"] });
		// Takes room from the other columns of the table of accounts.
		await stage.ask("person", { name: "Ada Augusta King-Noel, Countess of Lovelace ".repeat(2) });
		for (const width of [1280, 1024, 640, 390]) {
			const page = await stage.signedIn(person, { viewport: { width, height: 768 } });
			const headers = { origin: new URL(stage.scene.url).origin };
			await page.request.post("web/keys", { data: { name: `Lamp in the kitchen` }, headers });
			await enlargeText(page);
			for (const path of [
				"admin",
				"admin/instance",
				"admin/invitations",
				"admin/audit",
				"development/keys",
				"account",
				"apps",
				"devices",
			]) {
				await page.goto(path);
				await page.locator("h1").waitFor();
				await page
					.locator(path === "devices" ? ".device-tile" : "main input, tbody td")
					.first()
					.waitFor();
				assert.equal(await beyondEdge(page), 0, `${path} at ${width}`);
				await haveWideLabels(page);
			}
			await page.context().close();
		}
	},

	"the way back leads to what was searched for, and to where it was": async (stage) => {
		const person = await stage.ask("person", { device: false });
		for (let i = 0; i < 14; i++)
			await stage.ask("add_device", { account: person.email, name: `Panel ${i}` });
		const page = await stage.signedIn(person);
		await page.goto("devices");
		await page.locator(".device-grid > li").nth(13).waitFor();
		await page.evaluate(() => scrollTo(0, 400));
		await page.waitForFunction(() => history.state?.y === 400);
		await page.getByRole("link", { name: "Panel 6" }).first().click();
		await heading(page, "Panel 6").waitFor();
		await page.goBack();
		await page.waitForFunction(() => scrollY === 400);
		await page.getByRole("searchbox").fill("panel 1");
		await page.getByRole("link", { name: "Panel 12" }).first().click();
		await heading(page, "Panel 12").waitFor();
		await page.goBack();
		await heading(page, "Devices").waitFor();
		assert.equal(await page.getByRole("searchbox").inputValue(), "panel 1");
		assert.equal(await page.locator(".device-grid > li").count(), 5);
		await page.reload();
		await page.locator(".device-grid > li").nth(4).waitFor();
		assert.equal(await page.getByRole("searchbox").inputValue(), "panel 1");
	},

	"an address that leads nowhere has a page": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person);
		const [{ id }] = await (await page.request.get("web/devices")).json();
		for (const path of [
			"nowhere",
			"devices/a/b/c/d",
			`devices/${id}/nowhere`,
			"v1/nothing/",
			"apps/none/at/all",
			"a".repeat(20).split("").join("/"),
		]) {
			const answer = await page.goto(path);
			assert.equal(answer.status(), 404);
			await heading(page, "Page not found").waitFor();
			await page.getByRole("link", { name: "Your devices" }).click();
			await heading(page, "Devices").waitFor();
		}
		const asked = await page.request.get("nowhere", { headers: { accept: "application/json" } });
		assert.equal((await asked.json()).detail, "there is no such resource");
		await page.goto("docs");
		await page.getByRole("link", { name: "Development, API keys" }).waitFor();
		await page.getByRole("link", { name: "Back to your devices" }).click();
		await heading(page, "Devices").waitFor();
	},

	"an entry is shown now": async (stage) => {
		const { page, ...owned } = await openDevice(stage);
		await pushThree(stage, owned);
		await page.getByRole("button", { name: "Show now blue" }).click();
		await showsColour(page, [0, 0, 200]);
		await page.locator(".entry", { hasText: "blue" }).getByText("on now").waitFor();
	},

	"a photo is dropped on the panel, cropped and kept": async (stage) => {
		const { page, account, device } = await openDevice(stage);
		await drop(page, ".device .drop", await stage.ask("file", { name: "photo" }), "image/jpeg");
		await page.getByText("This picture is 960x640. The panel is 64x32.").waitFor();
		assert.match(page.url(), /\/push$/);
		await page.getByLabel("Crop").check();
		await page.getByLabel("Top to bottom").fill("100");
		await page.getByLabel("In the rotation").check();
		assert.equal(await page.getByLabel("Name").inputValue(), "photo");
		await page.getByRole("button", { name: "Show", exact: true }).click();
		await page.getByText(/^photo since|^photo for/).waitFor();
		assert.deepEqual(await stage.ask("entries_of", { account, device: device.id }), ["photo"]);
	},

	"own files are dropped on the wall, and chosen by the keyboard": async (stage) => {
		const { page, account, device } = await openDevice(stage);
		const place = { account, device: device.id };
		const script = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "own-")), "mine.star");
		fs.writeFileSync(script, "def main():\n    return []\n");
		await page.goto("devices");
		await drop(page, ".device-grid .drop", script, "", "Drop to add");
		await page.getByText("mine is on").waitFor();
		assert.equal((await stage.ask("entries_of", place)).length, 1);
		const clock = await stage.ask("file", { name: "clock" });
		await drop(page, ".device-grid .drop", clock, "image/webp", "Drop to add");
		await page.getByText("clock is in the rotation").waitFor();
		fs.writeFileSync(script, "def main(:\n");
		await page.getByRole("link", { name: "Add an app" }).first().click();
		const choosing = page.waitForEvent("filechooser");
		await page.getByRole("button", { name: "Choose an own file" }).focus();
		await page.keyboard.press("Enter");
		await (await choosing).setFiles(script);
		await page
			.getByRole("alert")
			.getByText(/mine\.star.*cannot run/)
			.waitFor();
		assert.equal((await stage.ask("entries_of", place)).length, 2);
	},

	"a picture is chosen, and shown for a while": async (stage) => {
		const { page, ...owned } = await openDevice(stage, { part: "/push", screen: "phone" });
		const path = await stage.ask("file", { name: "clock" });
		await page.locator(".chooser input").setInputFiles(path);
		await page.getByLabel("Duration").selectOption("30");
		await page.getByRole("button", { name: "Show", exact: true }).click();
		await page.getByText(/^A temporary picture for \d+ s/).waitFor();
		const place = { account: owned.account, device: owned.device.id };
		assert.deepEqual(await stage.ask("entries_of", place), []);
	},

	"a text is written on the panel": async (stage) => {
		for (const screen of ["desktop", "phone"]) {
			const { page } = await openDevice(stage, { part: "/push", screen });
			// What is typed stands in the dots, and what is wrong is said, before anything is sent.
			await page.getByLabel("Text", { exact: true }).fill("Not in a font: ☃");
			await page.locator(".fault").getByText("are not in the font: ☃").waitFor();
			await page.getByLabel("Text", { exact: true }).pressSequentially(" a text");
			await page.getByLabel("Text", { exact: true }).fill("Hello");
			await page.getByRole("img", { name: "As it will be shown" }).waitFor();
			await page.locator(".fault").waitFor({ state: "detached" });
			await page
				.getByLabel("Text", { exact: true })
				.fill("Hello, this is longer than a panel. ".repeat(4));
			await page.getByRole("img", { name: /^Scrolls through in \d+ s$/ }).waitFor();
			await page.getByLabel("Text", { exact: true }).fill("");
			await page.locator(LIVE).waitFor();
			await page.getByLabel("Text", { exact: true }).fill("Hello");
			await page.getByLabel("Colour").fill("#00ff00");
			await page.getByLabel("Size").selectOption({ label: "Large" });
			await page
				.getByLabel("Icon beside the text")
				.setInputFiles(await stage.ask("file", { name: "clock" }));
			await page.getByRole("img", { name: "As it will be shown" }).waitFor();
			await page.getByLabel("Duration").selectOption({ label: "an hour" });
			await page.getByRole("button", { name: "Show the text" }).click();
			await page.getByText("The text is on its way").waitFor();
			await page.getByText(/^A temporary picture until \d\d:\d\d/).waitFor();
		}
	},

	"a text is drawn once the machine is less busy, and the server is not away meanwhile": async (
		stage,
	) => {
		const { page } = await openDevice(stage, { part: "/push" });
		let refused = 0;
		let wasAway = false;
		await page.route("**/message/preview", async (route) => {
			wasAway ||= (await page.getByText("Reconnecting").count()) > 0;
			if (refused === 2) return route.continue();
			refused += 1;
			return route.fulfill({
				status: 503,
				contentType: "application/problem+json",
				headers: { "retry-after": "1" },
				body: JSON.stringify({ status: 503, code: "server_busy", detail: "too busy, try again" }),
			});
		});
		await page.getByLabel("Text", { exact: true }).fill("Hello");
		await page.getByRole("img", { name: "As it will be shown" }).waitFor();
		assert.equal(refused, 2);
		assert.equal(wasAway, false);
	},

	"an animation of another size keeps moving": async (stage) => {
		const { page } = await openDevice(stage, { part: "/push" });
		const path = await stage.ask("file", { name: "spinner" });
		await page.locator(".chooser input").setInputFiles(path);
		await page.getByText("This animation is 128x128.").waitFor();
		await page.getByLabel("Scale").check();
		await page.getByRole("button", { name: "Show", exact: true }).click();
		await page.getByText(/^A temporary picture/).waitFor();
		const frames = await page.locator(`${LIVE} img.panel-picture`).evaluate(async (image) => {
			const data = await (await fetch(image.src)).arrayBuffer();
			const decoder = new ImageDecoder({ data, type: "image/webp" });
			await Promise.all([decoder.tracks.ready, decoder.completed]);
			return decoder.tracks.selectedTrack.frameCount;
		});
		assert.equal(frames, 8);
	},

	"what is no picture is told so": async (stage) => {
		const { page } = await openDevice(stage, { part: "/push" });
		const path = await stage.ask("file", { name: "letter" });
		await page.locator(".chooser input").setInputFiles(path);
		await page.getByText("This browser cannot read letter.png.").waitFor();
		const noise = await stage.ask("file", { name: "clock" });
		await page.locator(".chooser input").setInputFiles(noise);
		await page.getByLabel("In the rotation").check();
		await page.getByLabel("Name").fill("a/b");
		await page.getByRole("button", { name: "Show", exact: true }).click();
		await page.locator(".fault").waitFor();
		await page.getByLabel("Name").fill("a b");
		await page.getByRole("button", { name: "Show", exact: true }).click();
		await page.getByText("a b is on its way").waitFor();
	},

	"what is pushed is seen on the panel, and Show it is in reach": async (stage) => {
		for (const more of [
			{ screen: "desktop" },
			{ screen: "phone" },
			{ viewport: { width: 1280, height: 640 } },
			{ screen: "phone", viewport: { width: 844, height: 390 } },
			{ screen: "phone", viewport: { width: 320, height: 568 } },
		]) {
			const { page } = await openDevice(stage, { part: "/push", ...more });
			const path = await stage.ask("file", { name: "photo" });
			await page.locator(".chooser input").setInputFiles(path);
			await page.getByRole("img", { name: "Preview of photo.jpg" }).waitFor();
			await page.locator(LIVE).getByText("Preview of photo.jpg").waitFor();
			assert.equal((await page.locator(".device .panel-case").count()) > 0, true);
			await page.evaluate(() => scrollTo(0, 0));
			const height = page.viewportSize().height;
			for (const kind of ["For a while", "In the rotation"]) {
				await page.getByLabel(kind).check({ force: true });
				await page.evaluate(() => scrollTo(0, 0));
				for (const name of ["Show", "Cancel"]) {
					const box = await page.getByRole("button", { name, exact: true }).boundingBox();
					assert.ok(box.y + box.height <= height, `${name} is at ${box.y} of ${height}`);
				}
			}
			await page.getByRole("button", { name: "Cancel" }).click();
			await page.getByRole("img", { name: "Preview of photo.jpg" }).waitFor({ state: "detached" });
			await page.context().close();
		}
	},

	"two pictures of one name are two entries": async (stage) => {
		const { page, account, device } = await openDevice(stage);
		for (const name of ["image", "image 2"]) {
			await paste(page, await stage.ask("file", { name: "scene" }));
			await page.getByLabel("In the rotation").check({ force: true });
			assert.equal(await page.getByLabel("Name").inputValue(), name);
			await page.getByRole("button", { name: "Show", exact: true }).click();
			await page.getByText(`${name} is on its way`).waitFor();
		}
		// Files chosen together become entries in one go; one of them is left out.
		const files = [];
		for (const name of ["clock", "photo", "build"]) files.push(await stage.ask("file", { name }));
		await page.locator(".chooser input").setInputFiles(files);
		await page.getByRole("img", { name: "photo.jpg" }).waitFor();
		await page.getByRole("button", { name: "Leave out photo.jpg" }).click();
		await page.getByRole("button", { name: "Add 2 pictures" }).click();
		await page.getByText("2 pictures are in the rotation").waitFor();
		assert.deepEqual(await stage.ask("entries_of", { account, device: device.id }), [
			"image",
			"image 2",
			"clock",
			"build",
		]);
	},

	"a picture is on its way only if it is": async (stage) => {
		const { page, account, device } = await openDevice(stage, { part: "/push" });
		await page.locator(`${LIVE}[data-state="on"]`).waitFor();
		const path = await stage.ask("file", { name: "clock" });
		const fields = { sleepEnabled: true, sleepStart: "06:45", sleepEnd: "06:45" };
		await stage.ask("change", { account, device: device.id, fields });
		await page.locator(`${LIVE}[data-state="asleep"]`).waitFor();
		await page.locator(".chooser input").setInputFiles(path);
		await page.getByRole("button", { name: "Show", exact: true }).click();
		await page.getByText("The picture will wait: the panel sleeps", { exact: false }).waitFor();
		await page.getByRole("button", { name: "End the pushed picture" }).click();
		await page.locator(".toast", { hasText: "Back to the rotation" }).waitFor();
		await page
			.getByRole("button", { name: "End the pushed picture" })
			.waitFor({ state: "detached" });
	},

	"a picture is held until it is ended, also in the sleep window": async (stage) => {
		const { page, account, device } = await openDevice(stage, { part: "/push" });
		await page.locator(`${LIVE}[data-state="on"]`).waitFor();
		const path = await stage.ask("file", { name: "clock" });
		const fields = { sleepEnabled: true, sleepStart: "06:45", sleepEnd: "06:45" };
		await stage.ask("change", { account, device: device.id, fields });
		await page.locator(`${LIVE}[data-state="asleep"]`).waitFor();
		await page.locator(".chooser input").setInputFiles(path);
		await page.getByLabel("Duration").selectOption("held");
		await page.getByLabel("Wake it: the panel sleeps now").check();
		await page.getByRole("button", { name: "Show", exact: true }).click();
		await page.getByText("The picture is on its way").waitFor();
		await page.getByText(/^A temporary picture/).waitFor();
		await page.getByRole("button", { name: "End the pushed picture" }).click();
		await page.locator(`${LIVE}[data-state="asleep"]`).waitFor();
	},

	"a message covers no field of the next picture": async (stage) => {
		for (const screen of ["desktop", "phone"]) {
			const { page } = await openDevice(stage, { part: "/push", screen });
			await page.locator(`${LIVE}[data-state="on"]`).waitFor();
			const path = await stage.ask("file", { name: "clock" });
			const choose = async () => {
				await page.locator(".chooser input").setInputFiles(path);
				await page.getByLabel("Show it even if the panel sleeps").waitFor();
			};
			let covered;
			// On a slow machine the message has gone before the next picture is there.
			while (covered === undefined) {
				await choose();
				await page.getByRole("button", { name: "Show", exact: true }).click();
				await page.locator(".toast", { hasText: "The picture is on its way" }).waitFor();
				await choose();
				covered = await coveredFields(page, "The picture is on its way");
			}
			assert.deepEqual(covered, []);
		}
	},

	"an entry goes by itself": async (stage) => {
		const { page, account, device } = await openDevice(stage, { part: "/push" });
		const path = await stage.ask("file", { name: "clock" });
		await page.locator(".chooser input").setInputFiles(path);
		await page.getByLabel("In the rotation").check();
		await page.getByLabel("Remove it", { exact: true }).selectOption("after an hour");
		await page.getByLabel("Do not interrupt the current picture").check();
		await page.getByRole("button", { name: "Add", exact: true }).click();
		await page.getByText("clock is in the rotation").waitFor();
		assert.deepEqual(await stage.ask("entries_of", { account, device: device.id }), ["clock"]);
	},

	"a picture is pasted": async (stage) => {
		const { page } = await openDevice(stage);
		await paste(page, await stage.ask("file", { name: "scene" }));
		await page.getByRole("button", { name: "Show", exact: true }).click();
		await page.getByText(/^A temporary picture/).waitFor();
	},

	"eight tabs share one stream, and all are live": async (stage) => {
		const owned = await owner(stage);
		const first = await stage.signedIn(owned.person);
		let streams = 0;
		const open = new Set();
		first.context().on("request", (request) => {
			if (!request.url().includes("/web/events")) return;
			streams += 1;
			open.add(request);
		});
		first.context().on("requestfailed", (request) => open.delete(request));
		first.context().on("requestfinished", (request) => open.delete(request));
		const pages = [first];
		while (pages.length < 8) pages.push(await first.context().newPage());
		for (const page of pages) {
			await page.goto(`devices/${owned.device.id}`);
			await heading(page, "Kitchen").waitFor();
		}
		await push(stage, owned, { colour: [3, 99, 3], installationId: "all" });
		for (const page of pages) await showsColour(page, [3, 99, 3]);
		assert.equal(open.size, 1, `${open.size} streams are open`);
		// Connections remain for everything else.
		await pages[7].getByRole("link", { name: "Settings" }).click();
		await pages[7].getByLabel("Volume").fill("33");
		await pages[7].getByText("Saved").waitFor();
		// Another tab takes over.
		await first.close();
		await push(stage, owned, { colour: [99, 3, 3], installationId: "all" });
		for (const page of pages.slice(1)) await showsColour(page, [99, 3, 3]);
		assert.ok(streams <= 4, `${streams} streams were opened`);
	},

	"what one browser does with a device the other sees": async (stage) => {
		const { page: one, person, ...owned } = await openDevice(stage, { part: "/settings" });
		const other = await stage.signedIn(person, { screen: "phone" });
		await other.goto(`devices/${owned.device.id}`);
		await heading(other, "Kitchen").waitFor();
		await one.getByLabel("Name").fill("Cellar");
		await one.keyboard.press("Enter");
		await heading(other, "Cellar").waitFor();
		await pushThree(stage, owned);
		await hasOrder(other, ["red", "green", "blue"]);
		await one.getByRole("link", { name: "Rotation" }).click();
		await one.getByRole("button", { name: "Move blue", exact: true }).focus();
		for (const key of ["Space", "ArrowUp", "ArrowUp", "Space"]) await one.keyboard.press(key);
		await hasOrder(other, ["blue", "red", "green"]);
		await stage.ask("change", {
			account: owned.account,
			device: owned.device.id,
			fields: { brightness: 0 },
		});
		await line(other).getByText("Dark: brightness is 0").waitFor();
		await one.getByRole("link", { name: "Connect" }).click();
		await one.getByRole("button", { name: "Remove the device" }).click();
		await one.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
		await heading(one, "Devices").waitFor();
		await heading(other, "Device not found").waitFor();
	},

	"the panels come back with the server": async (stage) => {
		const { page, ...owned } = await openDevice(stage);
		await push(stage, owned, { colour: [9, 9, 99], installationId: "before" });
		await showsColour(page, [9, 9, 99]);
		await stage.ask("stop");
		await page.getByText("Reconnecting").waitFor();
		// The bar covers nothing.
		const [bar, head] = await Promise.all(
			[".away p", "header.bar"].map((one) => page.locator(one).boundingBox()),
		);
		assert.ok(bar.y + bar.height <= head.y, `the line ends at ${bar.y + bar.height}`);
		await page.locator(`${LIVE}[data-old="true"]`).waitFor();
		await page.getByText(/^Before: /).waitFor();
		await stage.ask("start");
		await page.getByText("Reconnecting").waitFor({ state: "hidden" });
		await push(stage, owned, { colour: [99, 9, 9], installationId: "after" });
		await showsColour(page, [99, 9, 9]);
		await page.locator(`${LIVE}[data-old="false"]`).waitFor();
	},

	"the panels are told as old while the database is away": async (stage) => {
		const { page, ...owned } = await openDevice(stage);
		await push(stage, owned, { colour: [9, 99, 9], installationId: "before" });
		await showsColour(page, [9, 99, 9]);
		await stage.ask("lose_database");
		await page.getByText("Reconnecting").waitFor();
		await page.locator(`${LIVE}[data-old="true"]`).waitFor();
		await stage.ask("have_database");
		await page.getByText("Reconnecting").waitFor({ state: "hidden" });
		await push(stage, owned, { colour: [99, 99, 9], installationId: "after" });
		await showsColour(page, [99, 99, 9]);
	},

	"a setting typed while the server is away is saved when it is back": async (stage) => {
		const { page } = await openDevice(stage, { part: "/settings" });
		await stage.ask("stop");
		await page.getByText("Reconnecting").waitFor();
		await page.getByLabel("Name").fill("Attic");
		await page.keyboard.press("Enter");
		await page.getByText("It is saved as soon as the server is back.").waitFor();
		await page.getByLabel("Name").fill("Cellar");
		await page.keyboard.press("Enter");
		await page.getByRole("link", { name: "Rotation" }).click();
		await stage.ask("start");
		await heading(page, "Cellar").waitFor();
		await page.reload();
		await heading(page, "Cellar").waitFor();
	},

	"the browser says that it has no network": async (stage) => {
		const { page } = await openDevice(stage);
		await page.context().setOffline(true);
		await page.getByText("Reconnecting").waitFor();
		await page.context().setOffline(false);
		await page.getByText("Reconnecting").waitFor({ state: "hidden" });
	},

	"a page asks once for the devices": async (stage) => {
		const { page } = await openDevice(stage);
		await page.clock.install();
		let count, isStreaming, isLate;
		page.on("request", (request) => {
			if (!new URL(request.url()).pathname.endsWith("/web/devices")) return;
			count += 1;
			isLate ||= !isStreaming;
		});
		page.on("response", (answer) => {
			isStreaming ||= answer.url().includes("/web/events");
		});
		// A page that has no stream after 150 ms asks, and again when it has one: on a slow machine, this is tried again.
		do {
			count = 0;
			isStreaming = isLate = false;
			await page.reload();
			await heading(page, "Kitchen").waitFor();
			await waitUntil(() => isStreaming);
			// Past the time after which what was missed is asked for.
			await page.clock.fastForward(2_000);
			await page.evaluate(() => fetch("/livez"));
		} while (isLate);
		assert.equal(count, 1);
	},

	"forced colours keep the LEDs, and mark the current page": async (stage) => {
		const { page, ...owned } = await openDevice(stage);
		await push(stage, owned, { colour: [9, 9, 99], installationId: "before" });
		await showsColour(page, [9, 9, 99]);
		await page.emulateMedia({ forcedColors: "active" });
		const colour = (where) =>
			page
				.locator(where)
				.first()
				.evaluate((one) => getComputedStyle(one).backgroundColor);
		const forced = await colour(`${LIVE} .panel-face`);
		const current = page.locator(".tabs a[aria-current]").first();
		const outline = await current.evaluate((one) => getComputedStyle(one).outlineStyle);
		assert.equal(outline, "solid");
		await page.emulateMedia({ forcedColors: "none" });
		assert.equal(forced, await colour(`${LIVE} .panel-face`));
	},

	"a stream that dies without a word is old, and comes back": async (stage) => {
		const proxy = await slowProxy(stage.scene.url);
		const owned = await owner(stage);
		const page = await stage.signedIn(owned.person, { baseURL: proxy.url });
		await page.clock.install();
		await page.goto(`devices/${owned.device.id}`);
		await push(stage, owned, { colour: [9, 9, 99], installationId: "before" });
		await showsColour(page, [9, 9, 99]);
		proxy.state.isStalled = true;
		const streams = () => proxy.state.asked.filter((path) => path.includes("web/events")).length;
		const before = streams();
		await page.clock.fastForward(45_000);
		await page.locator(`${LIVE}[data-old="true"]`).waitFor();
		await page.getByText(/^Before: /).waitFor();
		proxy.state.isStalled = false;
		await page.clock.fastForward(2_000);
		await page.locator(`${LIVE}[data-old="false"]`).waitFor();
		assert.ok(streams() > before);
		await push(stage, owned, { colour: [99, 9, 9], installationId: "after" });
		await showsColour(page, [99, 9, 9]);
		proxy.end();
	},

	"what strangers write is shown as text": async (stage) => {
		const markup = `<img src=x onerror=alert(1)>`;
		const { page, ...owned } = await openDevice(stage, { name: "<b>&amp;</b>{{7*7}}" });
		const entry = `${markup}"><script>`.replaceAll("/", "");
		await push(stage, owned, { colour: [1, 1, 1], installationId: entry });
		await page.locator(".entry-name").getByText(entry).waitFor();
		await line(page).getByText(entry, { exact: false }).waitFor();
		assert.equal(await page.title(), "<b>&amp;</b>{{7*7}} · displayd");
		await pressMore(page, entry, "Remove");
		await page.getByText(`${entry} removed`).waitFor();
		assert.equal(await page.locator("main b, main script, main img[src='x']").count(), 0);
	},

	"devices by keyboard alone": async (stage) => {
		const { page, ...owned } = await openDevice(stage);
		await pushThree(stage, owned);
		await page.goto("account");
		await heading(page, "Account").waitFor();
		await page.keyboard.press("g");
		await page.keyboard.press("d");
		await heading(page, "Devices").waitFor();
		const tabTo = async (isThere) => {
			for (let i = 0; i < 40; i++) {
				await page.keyboard.press("Tab");
				if (await page.evaluate(isThere)) return;
			}
			assert.fail("no Tab leads there");
		};
		await page.locator(".device-tile").first().waitFor();
		await tabTo(() => document.activeElement.classList.contains("device-tile"));
		await page.keyboard.press("Enter");
		await hasOrder(page, ["red", "green", "blue"]);
		await tabTo(() => document.activeElement.textContent === "Settings");
		await page.keyboard.press("Enter");
		await page.getByLabel("Brightness", { exact: true }).waitFor();
		assert.equal(await page.evaluate(() => document.activeElement.textContent), "Settings");
		await tabTo(() => document.activeElement.type === "range");
		const place = { account: owned.account, device: owned.device.id };
		const before = await stage.ask("device_of", place);
		await page.keyboard.press("ArrowLeft");
		await until(stage, "device_of", place, (now) => now.brightness === before.brightness - 1);
		await tabTo(() => document.activeElement.role === "combobox");
		await page.keyboard.type("zagreb");
		await page.keyboard.press("Enter");
		await until(stage, "device_of", place, ({ timezone }) => timezone === "Europe/Zagreb");
	},

	"a key is renewed, a device disabled, enabled and removed": async (stage) => {
		const { page, account, device } = await openDevice(stage, { part: "/connect" });
		await page.locator(`${LIVE}[data-state="on"]`).waitFor();
		assert.equal((await stage.ask("device_of", { account, device: device.id })).id, device.id);
		await page.getByRole("button", { name: "Disable the device" }).click();
		await page.locator(`${LIVE} .panel-says`).getByText("Disabled").waitFor();
		await page.getByRole("button", { name: "Enable the device" }).click();
		await page.locator(`${LIVE}[data-state="on"]`).waitFor();
		await page.getByRole("button", { name: "Create a new key" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Create a new key" }).click();
		await page.getByLabel("Another board").check();
		const url = await page.locator(".steps .secret code").innerText();
		assert.notEqual(url, device.url);
		await page.locator(`${LIVE}[data-state="offline"]`).waitFor();
		await stage.ask("panel", { url, name: "renewed" });
		await page.getByText("Kitchen is here.").waitFor();
		await page.getByRole("button", { name: "Done" }).click();
		await page.getByRole("button", { name: "Remove the device" }).click();
		await page.getByRole("heading", { name: "Remove Kitchen?" }).waitFor();
		await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
		await page.getByText("No devices yet").waitFor();
		assert.equal(await stage.ask("device_of", { account, device: device.id }), null);
	},

	"what the firmware tells is shown": async (stage) => {
		const { page } = await openDevice(stage, { part: "/connect" });
		const facts = page.locator(".panel-facts");
		await facts.getByText("Firmware", { exact: true }).waitFor();
		await facts.getByText("Hardware address").waitFor();
		await facts.getByText("First connected").waitFor();
	},

	"a device that never connected says what to look at": async (stage) => {
		const person = await stage.ask("person", { device: false });
		const device = await stage.ask("add_device", { account: person.email });
		const page = await stage.signedIn(person);
		await page.goto("devices");
		await page
			.locator('.panel[data-state="never"] .panel-says')
			.getByText("Not connected yet")
			.waitFor();
		await page.goto(`devices/${device.id}/connect`);
		await page.getByText("This panel has never connected.").waitFor();
		await page.getByText(`/d/${device.id}/ws?key=…`).waitFor();
	},

	"of more than 200 devices those in view are watched": async (stage) => {
		const page = await stage.signedIn(await stage.ask("person", { device: false }));
		const watched = [];
		page.on("request", (request) => {
			const ids = new URL(request.url()).searchParams.get("devices");
			if (request.url().includes("/web/events")) watched.push(ids?.split(",") ?? []);
		});
		await page.goto("devices");
		await page.getByText("No devices yet").waitFor();
		await page.evaluate(async () => {
			const add = (i) =>
				fetch("web/devices", {
					method: "POST",
					headers: { "Content-Type": "application/json" },
					body: JSON.stringify({ name: `Panel ${i}`, timezone: "UTC" }),
				});
			for (let i = 0; i < 210; i += 10)
				await Promise.all(Array.from({ length: 10 }, (_, j) => add(i + j)));
		});
		await page.reload();
		await page.locator(".device-grid > li").nth(209).waitFor({ state: "attached" });
		const ids = await page
			.locator(".device-grid > li")
			.evaluateAll((items) => items.map((item) => item.dataset.device));
		const hears = (id) => waitUntil(() => watched.at(-1)?.includes(id));
		await hears(ids[0]);
		await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
		await hears(ids[209]);
		assert.ok(watched.every((list) => list.length <= 200));
		assert.ok(!watched.at(-1).includes(ids[100]));
		await page.getByRole("searchbox").fill("panel 77");
		await page.getByRole("link", { name: "Panel 77" }).waitFor();
		assert.equal(await page.locator(".device-grid > li").count(), 1);
	},

	"the live page loads in 5 requests and one a panel, and 85 KB": async (stage) => {
		const owned = await owner(stage);
		await push(stage, owned, { colour: [5, 5, 55], installationId: "lamp" });
		const page = await stage.signedIn(owned.person);
		// After a panel's first connection, a page requests its stored details once more.
		const isStored = async () => {
			const [device] = await (await page.request.get("web/devices")).json();
			return device.connectedAt !== null;
		};
		await waitUntil(isStored);
		const session = await page.context().newCDPSession(page);
		// Requests of each path happen once: a second after its stream started, a page checks whether it missed
		// something. It requests a device whose change, made by the push, is reported that late.
		const changed = `/web/devices/${owned.device.id}`;
		const requests = new Set();
		let bytes = 0;
		await session.send("Network.enable");
		session.on("Network.requestWillBeSent", ({ request }) => {
			if (!request.url.startsWith("data:") && !request.url.endsWith(changed))
				requests.add(request.url);
		});
		session.on("Network.loadingFinished", (event) => {
			bytes += event.encodedDataLength;
		});
		await page.goto("devices");
		await showsColour(page, [5, 5, 55], ".device-tile img.panel-picture");
		assert.ok(requests.size <= 6, [...requests].join(" "));
		assert.ok(bytes <= 85_000, `${bytes} bytes`);
	},

	"photographs of devices": async (stage) => {
		const person = await stage.ask("person", { device: false });
		const account = person.email;
		const devices = {};
		const shown = { Kitchen: "departures", Hall: "clock", Workshop: "build", Desk: "waves" };
		for (const name of ["Kitchen", "Hall", "Workshop", "Desk", "Bedroom", "Balcony"]) {
			devices[name] = await stage.ask("add_device", { account, name });
			if (name !== "Balcony") await stage.ask("panel", { url: devices[name].url, name });
		}
		for (const file of ["departures", "clock", "scene", "build", "waves"])
			await push(
				stage,
				{ account, device: devices.Kitchen },
				{ file, installationId: file, background: true },
			);
		for (const [name, file] of Object.entries(shown))
			await push(stage, { account, device: devices[name] }, { file, installationId: file });
		await stage.ask("change", {
			account,
			device: devices.Bedroom.id,
			fields: { sleepEnabled: true, sleepStart: "06:45", sleepEnd: "06:45" },
		});
		const kitchen = `devices/${devices.Kitchen.id}`;
		const isLit = (page) => page.locator(`${LIVE} canvas.panel-picture`).first().waitFor();
		await stage.photograph(
			"devices",
			async (page) => {
				await page.goto("devices");
				await page.locator('.panel[data-state="asleep"]').waitFor();
				for (let i = 0; i < 4; i++) await page.locator("canvas.panel-picture").nth(i).waitFor();
			},
			person,
		);
		for (const [name, part] of [
			["device", ""],
			["device-settings", "/settings"],
			["device-connect", "/connect"],
		]) {
			await stage.photograph(
				name,
				async (page) => {
					await page.goto(kitchen + part);
					await isLit(page);
					if (part === "") await page.locator(".entry").nth(4).waitFor();
					if (part === "/settings") await planned(page, devices.Kitchen.id);
				},
				person,
			);
		}
		await stage.photograph(
			"device-push",
			async (page) => {
				await page.goto(`${kitchen}/push`);
				await isLit(page);
				const path = await stage.ask("file", { name: "photo" });
				await page.locator(".chooser input").setInputFiles(path);
				await page.getByRole("img", { name: "Preview of photo.jpg" }).waitFor();
			},
			person,
		);
	},

	"photographs of the first device": async (stage) => {
		const person = await stage.ask("person", { device: false });
		await stage.photograph(
			"devices-none",
			async (page) => {
				await page.goto("devices");
				await page.getByText("No devices yet").waitFor();
			},
			person,
		);
		await stage.photograph(
			"device-new",
			async (page) => {
				await page.goto("devices/new");
				await page.getByLabel("Name").fill("Balcony");
			},
			person,
		);
		await stage.photograph(
			"device-added",
			async (page) => {
				await page.goto("devices/new");
				await page.getByLabel("Name").fill("Balcony");
				await page.keyboard.press("Enter");
				await page.getByLabel("Tronbyt S3", { exact: true }).check();
				await page.getByText("Waiting for your panel").waitFor();
				await page.locator(".qr").waitFor({ state: "attached" });
			},
			person,
		);
	},
};
