// Everyday controls below the panels: next, dark or awake, brightness.
import assert from "node:assert/strict";
import { waitUntil } from "./wait.mjs";

const COLOURS = { red: [200, 0, 0], green: [0, 200, 0], blue: [0, 0, 200] };

/** A person with a device whose panel is on and has three entries. */
export async function threeEntries(stage, options = {}) {
	const person = await stage.ask("person", { device: false });
	const account = person.email;
	const device = await stage.ask("add_device", { account, name: "Kitchen" });
	for (const [installationId, colour] of Object.entries(COLOURS))
		await stage.ask("push_to", {
			account,
			device: device.id,
			colour,
			installationId,
			background: true,
		});
	// Long turns: only the page's own button ends one.
	await stage.ask("change", { account, device: device.id, fields: { scheduleInterval: 3600 } });
	await stage.ask("panel", { url: device.url, name: device.id });
	const page = await stage.signedIn(person, options);
	return { page, person, account, device };
}

/** The line below a panel begins with one of the entries; returns its name. */
function shown(page, where) {
	return waitUntil(async () => {
		const line = await page.locator(`${where} .panel-line`).first().innerText();
		return Object.keys(COLOURS).find((name) => new RegExp(`\\b${name}\\b`).test(line));
	});
}

/** Uses each of the controls. where: the part that has the panel. */
async function useControls(stage, { page, account, device }, where) {
	const before = await shown(page, where);
	await page.getByRole("button", { name: "Next on Kitchen" }).click();
	await waitUntil(async () => {
		const line = await page.locator(`${where} .panel-line`).first().innerText();
		return !new RegExp(`(^|\\s)${before}\\b(?!.*then)`).test(line.split(", then")[0]);
	});
	await page.getByRole("button", { name: "Dark on Kitchen" }).click();
	await page.locator(`${where} .panel[data-state="asleep"]`).waitFor();
	await page.getByRole("button", { name: "Wake Kitchen" }).click();
	await page.locator(`${where} .panel[data-state="on"]`).waitFor();
	const slider = page.getByLabel("Brightness of Kitchen");
	await slider.press("Home");
	for (let i = 0; i < 7; i++) await slider.press("ArrowRight");
	await waitUntil(async () => {
		const { brightness } = await stage.ask("device_of", { account, device: device.id });
		return brightness === 7;
	});
}

function opacityOf(page) {
	return page
		.locator(".device-controls")
		.evaluate((element) => Number(getComputedStyle(element).opacity));
}

export default {
	"a tile shows its controls when pointed at": async (stage) => {
		const owned = await threeEntries(stage);
		const { page } = owned;
		await page.goto("devices");
		await page.locator(".device-tile").waitFor();
		assert.equal(await opacityOf(page), 0);
		await page.locator(".device-tile").hover();
		await waitUntil(async () => (await opacityOf(page)) === 1);
		await useControls(stage, owned, ".device-grid");
		await page.mouse.move(0, 0);
		await page.getByRole("button", { name: "Next on Kitchen" }).focus();
		await waitUntil(async () => (await opacityOf(page)) === 1);
	},

	"on a phone the controls are always there": async (stage) => {
		const owned = await threeEntries(stage, { screen: "phone" });
		const { page } = owned;
		await page.goto("devices");
		await page.locator(".device-tile").waitFor();
		assert.equal(await opacityOf(page), 1);
		await useControls(stage, owned, ".device-grid");
		await stage.checkAccessibility(page);
		await stage.checkReflow(page, "controls");
	},

	"the large panel of a device has the same controls": async (stage) => {
		const owned = await threeEntries(stage);
		const { page, device } = owned;
		await page.goto(`devices/${device.id}`);
		await page.locator(".device .device-controls").waitFor();
		assert.equal(await opacityOf(page), 1);
		await useControls(stage, owned, ".device .drop");
		await stage.ask("panel_off", { name: device.id });
		await page.locator('.drop .panel[data-state="offline"]').waitFor();
		const next = page.getByRole("button", { name: "Next on Kitchen" });
		assert.equal(await next.getAttribute("aria-disabled"), "true");
	},
};
