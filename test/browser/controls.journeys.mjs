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

/** The names of the devices in a list, from the top. */
function namesIn(page) {
	return page.locator("tbody th a").allInnerTexts();
}

export default {
	"devices as a list are sorted, grouped, chosen and changed together": async (stage) => {
		const owned = await threeEntries(stage);
		const { page, account, device } = owned;
		const others = {};
		for (const name of ["Attic", "Hall 10", "Hall 9"])
			others[name] = await stage.ask("add_device", { account, name });
		await page.goto("devices");
		await page.getByRole("button", { name: "Show as a list" }).click();
		await waitUntil(async () => (await namesIn(page)).length === 4);
		await page.getByLabel("Sort by").selectOption({ label: "Name" });
		await waitUntil(async () => (await namesIn(page)).join() === "Attic,Hall 9,Hall 10,Kitchen");
		await page.getByLabel("Group by").selectOption({ label: "State" });
		await page.getByRole("heading", { name: "Not connected yet" }).waitFor();
		await page.getByRole("heading", { name: "On", exact: true }).waitFor();
		assert.match(page.url(), /view=list&sort=name&group=state|sort=name/);
		await page.reload();
		await page.getByLabel("Choose this group Not connected yet").check();
		await page.getByLabel("Choose Attic").uncheck();
		const bar = page.getByRole("region", { name: "Chosen devices" });
		await bar.getByText("2 devices").waitFor();
		await stage.checkAccessibility(page);
		await bar.getByRole("button", { name: "Change them" }).click();
		const dialog = page.getByRole("dialog", { name: "Several devices at once" });
		await dialog.getByLabel("Brightness").press("Home");
		await dialog.getByRole("button", { name: "Set the brightness" }).click();
		await dialog.getByText("Done on 2 of 2 devices.").waitFor();
		await dialog.getByLabel("Copy from").selectOption({ label: "Kitchen" });
		await dialog.getByLabel("Entry", { exact: true }).selectOption({ label: "green" });
		await dialog.getByRole("button", { name: "Copy it to the chosen devices" }).click();
		await waitUntil(async () => {
			const ids = await stage.ask("entries_of", { account, device: others["Hall 9"].id });
			return ids.length === 1;
		});
		await dialog.getByText("Done on 2 of 2 devices.").waitFor();
		await stage.checkAccessibility(page);
		await dialog.getByRole("button", { name: "Close" }).click();
		const { brightness } = await stage.ask("device_of", { account, device: device.id });
		assert.notEqual(brightness, 0);
		for (const name of ["Hall 9", "Hall 10"]) {
			const changed = await stage.ask("device_of", { account, device: others[name].id });
			assert.equal(changed.brightness, 0);
		}
		await page.getByRole("button", { name: "More for Kitchen" }).click();
		await page.getByRole("menuitem", { name: "Dark Kitchen" }).click();
		await page.getByRole("heading", { name: "Asleep" }).waitFor();
	},

	"an open menu follows its row": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person);
		await page.goto("devices?view=list&sort=name");
		const more = page.getByRole("button", { name: "More for Kitchen" });
		await more.click();
		const menu = page.locator(".actions-menu");
		const before = await menu.boundingBox();
		await stage.ask("add_device", { account: person.email, name: "Attic" });
		await waitUntil(async () => (await namesIn(page)).join() === "Attic,Kitchen");
		await waitUntil(async () => {
			const [box, of] = [await menu.boundingBox(), await more.boundingBox()];
			const isBeside =
				box.y > of.y ? box.y - (of.y + of.height) < 8 : of.y - (box.y + box.height) < 8;
			return box.y !== before.y && isBeside;
		});
	},

	"photographs of devices as a list": async (stage) => {
		const { account, person } = await threeEntries(stage);
		for (const name of ["Attic", "Hall", "Workshop"])
			await stage.ask("add_device", { account, name });
		await stage.photograph(
			"devices-list",
			async (page) => {
				await page.goto("devices?view=list&group=state&sort=name");
				await page.getByRole("heading", { name: "On", exact: true }).waitFor();
				await page.getByLabel("Choose Attic").check();
				await page.getByRole("button", { name: "Change them" }).waitFor();
			},
			person,
		);
	},

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
