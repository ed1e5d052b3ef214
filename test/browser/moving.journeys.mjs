// Moving panels from a tronbyt server: a preview of the import, then the panels by their former addresses.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

function heading(page, name) {
	return page.getByRole("heading", { name, level: 1 });
}

/** A file as exported by a person. */
function exported(content) {
	const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "export-")), "devices.json");
	fs.writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
	return file;
}

/** Returns a former ID that no other test uses. Of random ones, one in 2,500 has no digit: it is a word, which people can
 * guess. */
function newId() {
	const made = crypto.randomUUID().slice(0, 8);
	return /\d/.test(made) ? made : newId();
}

function accountOf(...ids) {
	const device = (id, i) => ({
		id,
		name: ["Kitchen", "Hall"][i],
		brightness: 35,
		timezone: "Europe/Zagreb",
		swap_colors: true,
		apps: [{ iname: "7", name: "no-such-app", enabled: true, config: {} }],
	});
	return { username: "ada", devices: ids.map(device) };
}

async function choose(page, file) {
	await page.locator('input[type="file"]').setInputFiles(file);
}

async function bring(stage, options) {
	const person = await stage.ask("person", { device: false });
	const page = await stage.signedIn(person, options);
	await page.goto("devices");
	await page.getByRole("link", { name: "Import from a tronbyt server" }).click();
	await heading(page, "Import from a tronbyt server").waitFor();
	const ids = [newId(), newId()];
	const file = exported(accountOf(...ids));
	await choose(page, file);
	await page.getByText("Nothing has been imported yet.").waitFor();
	assert.equal(await page.getByText("Will be imported", { exact: true }).count(), 2);
	assert.equal(await page.getByText("0 of 1 entry", { exact: true }).count(), 2);
	await page.getByText('there is no app "no-such-app" here').first().waitFor();
	await page.getByText("the panel's firmware keeps this setting").first().waitFor();
	await page.getByText(`/${ids[0]}/`, { exact: true }).waitFor();
	assert.deepEqual(await stage.ask("devices_of", { account: person.email }), []);
	await page.getByRole("button", { name: "Import 2 devices" }).click();
	await page.getByText("Done.", { exact: true }).waitFor();
	assert.equal(await page.getByText("Imported", { exact: true }).count(), 2);
	assert.deepEqual((await stage.ask("devices_of", { account: person.email })).sort(), [
		"Hall",
		"Kitchen",
	]);
	return { page, person, ids, file };
}

export default {
	"somebody brings two panels, and one is led to its own address": async (stage) => {
		const { page, ids, file } = await bring(stage, {});
		await stage.ask("former_panel", { alias: ids[0] });
		await page.getByRole("link", { name: "Kitchen" }).click();
		await heading(page, "Kitchen").waitFor();
		await page.getByRole("link", { name: "Connect" }).click();
		await page.getByText("The panel may still use the address").waitFor();
		await page.getByText("WebSocket", { exact: true }).waitFor();
		await page.getByText("displayctl 1.6.6").waitFor();
		await page.getByRole("button", { name: "Move to own address" }).click();
		await page.getByText("Kitchen will restart with its own address").waitFor();
		await page.getByText("The panel was sent its own address.").waitFor();
		// The panel restarts and connects by its own address, and the former one has ended.
		await stage.ask("start_where_told", { alias: ids[0] });
		await page
			.getByRole("button", { name: "Remove the former address" })
			.waitFor({ state: "detached" });
		await page.getByText("WebSocket", { exact: true }).waitFor();
		await page.getByText("The panel was sent its own address.").waitFor({ state: "detached" });
		// The other panel's former address is ended by hand.
		await page.goto("devices");
		await page.getByRole("link", { name: "Hall" }).first().click();
		await heading(page, "Hall").waitFor();
		await page.getByRole("link", { name: "Connect" }).click();
		await page.getByRole("button", { name: "Remove the former address" }).click();
		await page.getByRole("button", { name: "Remove", exact: true }).click();
		await page.getByText("Former address removed").waitFor();
		await page.getByText("The panel may still use the address").waitFor({ state: "detached" });
		// A second import finds them already here.
		await page.goto("devices/import");
		await choose(page, file);
		await page.getByText("Already here, unchanged").first().waitFor();
		assert.equal(await page.getByRole("button", { name: /^Import/ }).count(), 0);
		return page;
	},

	"somebody brings two panels on a phone": async (stage) => {
		const { page } = await bring(stage, { screen: "phone" });
		return page;
	},

	"a panel that keeps its address, and one that needs its new one": async (stage) => {
		const person = await stage.ask("person", { device: false });
		const page = await stage.signedIn(person, {});
		await page.goto("devices/import");
		await choose(page, exported(accountOf(newId(), `hall-${newId()}`)));
		await page.getByRole("button", { name: "Import 2 devices" }).click();
		await page.getByText("Done.", { exact: true }).waitFor();
		await page.getByText("Panels with a former address then connect by themselves.").waitFor();
		const lost = page.locator("details", { hasText: "Addresses to enter at panels" });
		await lost.getByText("Hall", { exact: true }).waitFor();
		assert.equal(await lost.getByText("Kitchen", { exact: true }).count(), 0);
		const kept = page.locator("details", { hasText: "Own addresses" });
		assert.equal(await kept.getAttribute("open"), null);
		await kept.locator("summary").click();
		await kept.getByText("Kitchen", { exact: true }).waitFor();
		assert.equal(await kept.getByText("Hall", { exact: true }).count(), 0);
		return page;
	},

	"photographs of an import": async (stage) => {
		const person = await stage.ask("person", { device: false });
		const file = exported(accountOf("1f6a09c3", "8e20b7d4"));
		await stage.photograph(
			"import",
			async (page) => {
				await page.goto("devices/import");
				await choose(page, file);
				await page.getByText("Nothing has been imported yet.").waitFor();
			},
			person,
		);
	},

	"a file that is no export": async (stage) => {
		const person = await stage.ask("person", { device: false });
		const page = await stage.signedIn(person, {});
		await page.goto("devices/import");
		await choose(page, exported("no JSON"));
		await page.getByText("This file is not an export: it is not JSON.").waitFor();
		await choose(page, exported({ name: "x" }));
		await page.getByText(/^This file must be the export of a device/).waitFor();
		await choose(page, exported({ devices: "x" }));
		await page.getByText(`"devices" in this file must be an array.`).waitFor();
		await choose(page, exported(accountOf(newId())));
		await page.getByRole("button", { name: "Import 1 device" }).waitFor();
		assert.equal(await page.getByRole("alert").count(), 0);
		return page;
	},
};
