// Newer firmware for all panels of an account.
import assert from "node:assert/strict";
import { waitUntil } from "./wait.mjs";

const OLD = "1.5.2";
const NEW = "1.6.6";

function heading(page, name) {
	return page.getByRole("heading", { name, level: 1 });
}

/** A person with two panels that are on and for whose board there is newer firmware, and one without a board. */
async function fleet(stage, options) {
	await stage.ask("add_firmware", { board: "tronbyt_s3", version: NEW });
	const person = await stage.ask("person", { device: false });
	const page = await stage.signedIn(person, options);
	const account = person.email;
	const devices = {};
	for (const name of ["Attic", "Hall", "Shelf"]) {
		const device = await stage.ask("add_device", { account, name });
		devices[name] = device;
		if (name === "Shelf") continue;
		const answer = await page.request.patch(`web/devices/${device.id}`, {
			data: { board: "tronbyt_s3" },
			headers: { origin: new URL(stage.scene.url).origin },
		});
		assert.equal(answer.status(), 200, await answer.text());
		await stage.ask("panel", runs(name, device, OLD));
	}
	for (const name of ["Attic", "Hall"])
		await waitUntil(async () => {
			const answer = await page.request.get(`web/devices/${devices[name].id}/firmware`);
			return (await answer.json()).version === OLD;
		});
	return { person, page, devices };
}

function runs(name, { url }, version) {
	return { url, name, more: ["--firmware-version", version] };
}

/** Waits until the rows say these states, by the name of the device. */
async function wait(page, states) {
	for (const [name, state] of Object.entries(states))
		await page.getByRole("row", { name }).getByText(state, { exact: true }).waitFor();
}

/** The panel restarts with the new firmware. */
async function comeBack(stage, name, device) {
	await stage.ask("panel_off", { name });
	await stage.ask("panel", runs(name, device, NEW));
}

export default {
	"all panels are updated, one after the other": async (stage) => {
		const { page, devices } = await fleet(stage);
		await page.goto("devices?view=list");
		await page.getByRole("link", { name: "Update all panels" }).click();
		await heading(page, "Update all panels").waitFor();
		await page.getByRole("button", { name: "Update all panels" }).click();
		await wait(page, { Attic: "Updating", Hall: "Waiting", Shelf: "Left out" });
		await page.getByText("Updating: 0 of 2 panels done.").waitFor();
		await page.getByText("The device has no board; choose it first.").waitFor();
		await stage.checkAccessibility(page);
		await comeBack(stage, "Attic", devices.Attic);
		await wait(page, { Attic: "Updated", Hall: "Updating" });
		await page.reload();
		await comeBack(stage, "Hall", devices.Hall);
		await page.getByText("Updated 2 panels.").waitFor();
		await wait(page, { Attic: "Updated", Hall: "Updated" });
		await page.getByRole("link", { name: "Shelf" }).click();
		await page.waitForURL(`**/devices/${devices.Shelf.id}/settings`);
		await stage.checkReflow(page, "settings");
		await page.goBack();
		await heading(page, "Update all panels").waitFor();
		await page.getByText("Updated 2 panels.").waitFor();
		await stage.checkReflow(page, "the update of all panels");
	},

	"an update of all panels is stopped": async (stage) => {
		const { page, devices } = await fleet(stage, { screen: "phone" });
		await page.goto(`devices/${devices.Attic.id}/connect`);
		await page.getByRole("link", { name: "Update all panels" }).click();
		await page.getByRole("button", { name: "Update all panels" }).click();
		await wait(page, { Attic: "Updating", Hall: "Waiting" });
		await page.getByRole("button", { name: "Stop the update" }).click();
		await page.getByText("You stopped the update. Updated 0 of 2 panels.").waitFor();
		await wait(page, { Hall: "Not updated" });
		await comeBack(stage, "Attic", devices.Attic);
		const { state } = await (await page.request.get("web/firmware-updates")).json();
		assert.equal(state, "cancelled");
		await page.getByRole("button", { name: "Update all panels" }).waitFor();
	},

	"photographs of the update of all panels": async (stage) => {
		const { person } = await fleet(stage);
		await stage.photograph(
			"firmware-updates",
			async (page) => {
				await page.goto("devices/firmware");
				await heading(page, "Update all panels").waitFor();
				const [start, stop] = ["Update all panels", "Stop the update"].map((name) =>
					page.getByRole("button", { name }),
				);
				await start.or(stop).waitFor();
				if (await start.isVisible()) await start.click();
				await wait(page, { Attic: "Updating", Hall: "Waiting" });
			},
			person,
		);
	},
};
