// Rules for showing entries of a rotation: disabled, at some hours, pinned, at night.
import assert from "node:assert/strict";
import { pressMore } from "./wait.mjs";

const LIVE = ".device .drop .panel";
const COLOURS = { red: [200, 0, 0], green: [0, 200, 0], blue: [0, 0, 200] };

/** Opens the page of a device with three entries, whose panel is on. */
async function openRotation(stage, options = {}) {
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
	await stage.ask("panel", { url: device.url, name: device.id });
	const page = await stage.signedIn(person, options);
	await page.goto(`devices/${device.id}`);
	await entry(page, "blue").waitFor();
	return { page, person, account, device };
}

function entry(page, name) {
	return page.locator(".entry", { has: page.locator(`[data-handle="${name}"]`) });
}

/** Opens the options of an entry. */
async function optionsOf(page, name) {
	await pressMore(page, name, "Options");
	return page.getByRole("group", { name: `When ${name} is shown` });
}

async function showsColour(page, colour) {
	await page.waitForFunction(
		([selector, wanted]) => {
			const image = document.querySelector(selector);
			if (!image?.complete || !image.naturalWidth) return false;
			const context = new OffscreenCanvas(64, 32).getContext("2d");
			context.drawImage(image, 0, 0);
			return context.getImageData(0, 0, 1, 1).data.slice(0, 3).join() === wanted.join();
		},
		[`${LIVE} img.panel-picture`, colour],
	);
}

function said(page) {
	return page.locator(`${LIVE} .panel-line`).first();
}

/** The time of day at this offset in minutes from now, in the device's zone, UTC. */
function clock(minutes) {
	return new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
}

export default {
	"an entry is pinned, and the panel shows nothing else": async (stage) => {
		const { page } = await openRotation(stage);
		const options = await optionsOf(page, "blue");
		await options.getByLabel("Pinned: show only this").check();
		await showsColour(page, COLOURS.blue);
		await said(page).getByText("blue, pinned").waitFor();
		await entry(page, "red").getByText("Hidden while another entry is pinned").waitFor();
		assert.equal(await entry(page, "red").getAttribute("data-shown"), "false");
		await options.getByText("Saved").first().waitFor();
		await options.getByLabel("Pinned: show only this").uncheck();
		await page.locator('.entry[data-shown="false"]').first().waitFor({ state: "detached" });
		await said(page)
			.getByText(/^blue for|^blue until|then red/)
			.waitFor();
	},

	"entries are switched off and on": async (stage) => {
		const { page, person, device } = await openRotation(stage);
		const other = await stage.signedIn(person, { screen: "phone" });
		await other.goto(`devices/${device.id}`);
		for (const name of ["red", "green"]) {
			const options = await optionsOf(page, name);
			await options.getByLabel("In the rotation").uncheck();
			await entry(page, name).getByText("Switched off").waitFor();
			await entry(other, name).getByText("Switched off").waitFor();
		}
		await showsColour(page, COLOURS.blue);
		await (await optionsOf(page, "blue")).getByLabel("In the rotation").uncheck();
		await said(page).getByText("Nothing to show").waitFor();
		await page.getByRole("button", { name: "Show now green" }).click();
		await showsColour(page, COLOURS.green);
	},

	"an entry repeats on some days only": async (stage) => {
		const { page } = await openRotation(stage);
		const options = await optionsOf(page, "green");
		const green = entry(page, "green");
		await options.getByLabel("Repeats").selectOption({ label: "Every few weeks" });
		await green.getByText("Shown every 2 weeks").waitFor();
		await options.getByLabel("Weeks").fill("0");
		await options.getByLabel("Weeks").press("Enter");
		await options.getByText("Enter 1 to 52 weeks.").waitFor();
		await options.getByLabel("Weeks").fill("3");
		await options.getByLabel("Weeks").press("Enter");
		await green.getByText("Shown every 3 weeks").waitFor();
		await options.getByLabel("First day").fill("2099-12-01");
		await options.getByLabel("First day").press("Enter");
		await green.getByText("Shown every 3 weeks, from 2099-12-01").waitFor();
		await page.locator('.entry[data-shown="false"] [data-handle="green"]').waitFor();
		await options.getByLabel("First day").fill("");
		await options.getByLabel("First day").press("Enter");
		await options.getByLabel("Repeats").selectOption({ label: "On days of the month" });
		await options.getByLabel("Days of the month").fill("1, 15, last");
		await options.getByLabel("Days of the month").press("Enter");
		await green.getByText("Shown on day 1, 15, last of the month").waitFor();
		await options.getByLabel("Repeats").selectOption({ label: "On a weekday of the month" });
		await options.getByLabel("Which").selectOption("Last");
		await options.getByLabel("Weekday", { exact: true }).selectOption("Friday");
		await options.getByLabel("Last day").fill("2020-01-01");
		await options.getByLabel("Last day").press("Enter");
		await green.getByText("Shown on the last Friday of the month, until 2020-01-01").waitFor();
		await page.locator('.entry[data-shown="false"] [data-handle="green"]').waitFor();
		await page.reload();
		const again = await optionsOf(page, "green");
		assert.equal(await again.getByLabel("Weekday", { exact: true }).inputValue(), "4");
		await again.getByLabel("Repeats").selectOption({ label: "By another rule" });
		await again.getByLabel("Rule").fill("FREQ=HOURLY");
		await again.getByLabel("Rule").press("Enter");
		await again.getByText(/must be empty or a recurrence rule/).waitFor();
		await again.getByLabel("Repeats").selectOption({ label: "Every day" });
		await again.getByText("Saved").first().waitFor();
	},

	"hours and weekdays are chosen, and said in words": async (stage) => {
		const { page } = await openRotation(stage);
		const [from, until] = [clock(120), clock(240)]; // computed once, since a minute may end meanwhile
		const options = await optionsOf(page, "green");
		await options.getByLabel("Only at certain hours").check();
		await entry(page, "green").getByText("Shown 07:00 to 22:00").waitFor();
		await options.getByLabel("From").fill(from);
		await options.getByLabel("From").press("Enter");
		await options.getByLabel("Until").fill(until);
		await options.getByLabel("Until").press("Enter");
		await entry(page, "green").getByText(`Shown ${from} to ${until}`).waitFor();
		await page.locator('.entry[data-shown="false"] [data-handle="green"]').waitFor();
		for (const day of ["Sat", "Sun"]) await options.getByRole("button", { name: day }).click();
		await entry(page, "green").getByText(`Shown Mon to Fri, ${from}`).waitFor();
		await page.reload();
		const again = await optionsOf(page, "green");
		assert.equal(await again.getByLabel("From").inputValue(), from);
		const pressed = again.locator('.weekday[aria-pressed="true"]');
		assert.equal(await pressed.count(), 5);
		await again.getByLabel("Only at certain hours").uncheck();
		for (const day of ["Mon", "Tue", "Wed", "Thu", "Fri"])
			await again.getByRole("button", { name: day }).click();
		await again.getByText("Choose at least one day.").waitFor();
		assert.equal(await pressed.count(), 1);
		await entry(page, "green").getByText("Shown Fri").waitFor();
	},

	"an entry has a display time of its own": async (stage) => {
		const { page } = await openRotation(stage);
		const options = await optionsOf(page, "red");
		const field = options.getByLabel("Seconds on the panel");
		await field.fill("3");
		await field.press("Tab");
		await options.getByText("Enter 5 to 86400 seconds, or leave it empty.").waitFor();
		await field.fill("90");
		await field.press("Enter");
		await entry(page, "red").getByText("Shown 90 s each time").waitFor();
		await field.fill("");
		await field.press("Tab");
		await entry(page, "red").getByText("Shown 90 s each time").waitFor({ state: "detached" });
	},

	"the night has an entry, at a brightness of its own": async (stage) => {
		const { page, account, device } = await openRotation(stage);
		await page.getByText("Sleep is off.").waitFor();
		const fields = { sleepEnabled: true, sleepStart: "00:00", sleepEnd: "00:00" };
		await stage.ask("change", { account, device: device.id, fields });
		await page.locator(`${LIVE}[data-state="asleep"]`).waitFor();
		await page.getByText("The panel sleeps all day.").waitFor();
		await page.getByLabel("While the panel sleeps, show").selectOption("green");
		await page.locator(`${LIVE}[data-state="on"]`).waitFor();
		await showsColour(page, COLOURS.green);
		await entry(page, "green").getByText("at night").waitFor();
		await said(page).getByText("green until 00:00").waitFor();
		await page.getByLabel("Brightness at night").fill("40");
		await page.waitForFunction((selector) => {
			const panel = document.querySelector(selector);
			return Number(panel.style.getPropertyValue("--light")) > 0.3;
		}, LIVE);
		await page.getByLabel("While the panel sleeps, show").selectOption("Nothing (dark)");
		await page.locator(`${LIVE}[data-state="asleep"]`).waitFor();
	},

	"an entry is moved to the top and the bottom, duplicated, and copied to a device": async (
		stage,
	) => {
		const { page, account, device } = await openRotation(stage);
		const hall = await stage.ask("add_device", { account, name: "Hall" });
		const hasOrder = (wanted) =>
			page.waitForFunction(
				(list) =>
					[...document.querySelectorAll("[data-handle]")]
						.map((handle) => handle.dataset.handle)
						.join()
						.startsWith(list),
				wanted,
			);
		await hasOrder("red,green,blue");
		await pressMore(page, "blue", "Move to the top");
		await hasOrder("blue,red,green");
		await pressMore(page, "blue", "Move to the bottom");
		await hasOrder("red,green,blue");
		await page.getByRole("button", { name: "More for red", exact: true }).click();
		const top = page.getByRole("menuitem", { name: "Move to the top" });
		assert.equal(await top.getAttribute("aria-disabled"), "true");
		await page.keyboard.press("Escape");
		await pressMore(page, "green", "Duplicate");
		await page.waitForFunction(() => document.querySelectorAll("[data-handle]").length === 4);
		await pressMore(page, "red", "Copy to a device");
		const dialog = page.getByRole("dialog", { name: "Copy red" });
		await dialog.getByLabel("To the device").selectOption({ label: "Hall" });
		await stage.checkAccessibility(page);
		await dialog.getByRole("button", { name: "Copy", exact: true }).click();
		await page.getByText("red copied to Hall").waitFor();
		assert.equal((await stage.ask("entries_of", { account, device: hall.id })).length, 1);
		assert.equal((await stage.ask("entries_of", { account, device: device.id })).length, 4);
		assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), "More for red");
	},

	"options by keyboard alone, on a phone": async (stage) => {
		const { page } = await openRotation(stage, { screen: "phone" });
		await page.getByRole("button", { name: "More for red" }).press("ArrowDown");
		const focused = () => page.evaluate(() => document.activeElement.textContent);
		assert.match(await focused(), /^Options/);
		await page.keyboard.press("End");
		assert.match(await focused(), /^Remove/);
		await page.keyboard.press("ArrowDown");
		assert.match(await focused(), /^Options/);
		await page.keyboard.press("r");
		assert.match(await focused(), /^Remove/);
		await page.keyboard.press("Home");
		await page.keyboard.press("Escape");
		const hasMore = () =>
			page.waitForFunction(() => document.activeElement.ariaLabel === "More for red");
		await hasMore();
		assert.equal(await page.getByRole("menu").count(), 0);
		await page.keyboard.press("ArrowUp");
		assert.match(await focused(), /^Remove/);
		await page.keyboard.press("Home");
		await page.keyboard.press("Enter");
		await hasMore();
		await page.keyboard.press("Tab");
		await page.keyboard.press("Space");
		await entry(page, "red").getByText("Switched off").waitFor();
		await page.keyboard.press("Tab");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Space");
		await page.keyboard.press("Tab");
		await page.keyboard.type("0630");
		for (const key of ["Tab", "Tab"]) await page.keyboard.press(key);
		await page.getByRole("button", { name: "Mon" }).focus();
		await page.keyboard.press("Space");
		await page.keyboard.press("Shift+Tab");
		await page
			.getByRole("group", { name: "When red is shown" })
			.getByText("Saved")
			.first()
			.waitFor();
		await page.getByRole("button", { name: "More for red" }).press("Enter");
		await stage.checkAccessibility(page);
		const item = page.getByRole("menuitemcheckbox", { name: "Options of red" });
		assert.equal(await item.getAttribute("aria-checked"), "true");
		await item.press("Enter");
		await page.getByRole("group", { name: "When red is shown" }).waitFor({ state: "detached" });
	},

	"photographs of a rotation": async (stage) => {
		const person = await stage.ask("person", { device: false });
		const account = person.email;
		const device = await stage.ask("add_device", { account, name: "Kitchen" });
		for (const file of ["departures", "clock", "scene", "build"])
			await stage.ask("push_to", {
				account,
				device: device.id,
				file,
				installationId: file,
				background: true,
			});
		await stage.ask("panel", { url: device.url, name: device.id });
		const fields = { sleepEnabled: true, sleepStart: clock(600), sleepEnd: clock(780) };
		await stage.ask("change", { account, device: device.id, fields });
		const patch = (page, path, body) =>
			page.evaluate(
				([path, body]) =>
					fetch(path, {
						method: "PATCH",
						headers: { "Content-Type": "application/json" },
						body: JSON.stringify(body),
					}),
				[new URL(path, stage.scene.url).href, body],
			);
		const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday"];
		await stage.photograph(
			"device-options",
			async (page) => {
				await page.goto(`devices/${device.id}`);
				const place = `web/devices/${device.id}`;
				await patch(page, `${place}/rotation/departures`, {
					hours: { start: clock(120), end: clock(240) },
					weekdays,
				});
				await patch(page, `${place}/rotation/scene`, { isEnabled: false });
				await patch(page, `${place}/rotation/build`, { displaySeconds: 45 });
				await patch(page, `${place}/night`, { installationId: "clock", brightness: 8 });
				await entry(page, "build").getByText("45 s each time").waitFor();
				await page.locator(`${LIVE} canvas.panel-picture`).first().waitFor();
				await optionsOf(page, "departures");
				await page.getByLabel("Brightness at night").waitFor();
			},
			person,
		);
	},
};
