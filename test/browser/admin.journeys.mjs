// Administration: finding accounts, signing them out, the audit log, the state of the instance.
import assert from "node:assert/strict";
import fs from "node:fs";
import { pressMore, waitUntil } from "./wait.mjs";

function heading(page, name) {
	return page.getByRole("heading", { name, level: 1 });
}

async function administrator(stage, options) {
	const person = await stage.ask("person", { roles: ["administrator"], name: "Grace Hopper" });
	return { person, page: await stage.signedIn(person, options) };
}

/** Counts the clicks of a page from now on. Returns a function for their number. */
async function countClicks(page) {
	let count = 0;
	await page.exposeFunction("countClick", () => count++);
	await page.addInitScript(() =>
		addEventListener("click", (event) => event.isTrusted && window.countClick(), true),
	);
	return async () => {
		await page.evaluate(() => undefined);
		return count;
	};
}

/** Makes a person with an app. */
async function authorOf(stage, app) {
	const author = await stage.ask("person", { name: "Author" });
	const page = await stage.signedIn(author);
	const answer = await page.request.post("web/studio", {
		data: app,
		headers: { origin: new URL(stage.scene.url).origin },
	});
	assert.equal(answer.status(), 201);
	return author;
}

export default {
	"an administrator finds an account, and signs it out": async (stage) => {
		const person = await stage.ask("person", { name: "Sought & <i>found</i>" });
		const theirs = await stage.signedIn(person);
		await theirs.goto("account");
		await heading(theirs, "Account").waitFor();
		const { page } = await administrator(stage);
		await page.goto("admin");
		await page.getByRole("rowheader").nth(1).waitFor();
		await page.getByLabel("Search accounts").fill("sought & <i>");
		await page.getByRole("rowheader", { name: person.email }).waitFor();
		await page.getByRole("rowheader").nth(1).waitFor({ state: "detached" });
		await pressMore(page, person.email, "Sign out");
		await page.getByRole("button", { name: "End sessions" }).click();
		await theirs.getByText("Your session has ended").waitFor();
		const heir = page.getByLabel(`Inherits apps of deleted accounts : ${person.email}`);
		await heir.check();
		await page.getByText(/ inherits apps of deleted accounts/).waitFor();
		await heir.uncheck();
		await page.getByText("No account inherits apps").waitFor();
		await page.getByLabel("Search accounts").fill("nobody has this");
		await page.getByText("No matching accounts").waitFor();
	},

	"the log is searched, and read back": async (stage) => {
		const { person, page } = await administrator(stage);
		for (let i = 0; i < 101; i++) {
			const answer = await page.request.post("web/keys", {
				data: { name: `Lamp ${i}` },
				headers: { origin: new URL(stage.scene.url).origin },
			});
			assert.equal(answer.status(), 201);
		}
		await page.goto("admin/audit");
		await page.getByRole("rowheader").first().waitFor();
		await page.getByLabel("Search the log").fill("session.start");
		await page.getByText("signed in").first().waitFor();
		await page.getByLabel("Search the log").fill(person.email);
		await page.getByText("created the API key Lamp 100").waitFor();
		assert.equal(await page.getByText("created the API key Lamp 0", { exact: true }).count(), 0);
		await page.getByRole("button", { name: "Show older" }).click();
		await page.getByText("created the API key Lamp 0", { exact: true }).waitFor();
		await page.getByLabel("Search the log").fill("no such deed");
		await page.getByText("No matching entries").waitFor();
	},

	"the way back leads to what an administrator searched for": async (stage) => {
		const { person, page } = await administrator(stage);
		for (const [path, label] of [
			["admin", "Search accounts"],
			["admin/audit", "Search the log"],
		]) {
			await page.goto(path);
			await page.getByLabel(label).fill(person.email);
			await page.waitForFunction((text) => history.state?.values?.search === text, person.email);
			const rows = page.getByRole("rowheader");
			// The rows go before those that were found come.
			await waitUntil(async () => {
				const count = await rows.count();
				return count > 0 && count < 10;
			});
			const found = await rows.allInnerTexts();
			await page.getByRole("link", { name: "Devices" }).click();
			await heading(page, "Devices").waitFor();
			await page.goBack();
			await page.getByLabel(label).waitFor();
			assert.equal(await page.getByLabel(label).inputValue(), person.email);
			await rows.first().waitFor();
			assert.deepEqual(await rows.allInnerTexts(), found);
		}
	},

	"a name that is written right to left leaves what stands around it": async (stage) => {
		const { page } = await administrator(stage);
		const name = "\u05d3\u05e0\u05d4\u202e";
		const person = await stage.ask("person", { name });
		await page.goto("admin");
		// The list of all accounts has the row, too, until that of the search replaces it.
		await page.getByRole("rowheader").nth(1).waitFor();
		await page.getByLabel("Search accounts").fill(person.email);
		await page.getByRole("rowheader").nth(1).waitFor({ state: "detached" });
		await pressMore(page, person.email, "Sign out");
		await page.getByRole("button", { name: "End sessions" }).click();
		await page.getByText(`\u2068${name}\u2069 signed out`).waitFor();
		const theirs = await stage.signedIn(person);
		const [device] = await (await theirs.request.get("web/devices")).json();
		const answer = await theirs.request.patch(`web/devices/${device.id}`, {
			data: { name },
			headers: { origin: new URL(stage.scene.url).origin },
		});
		assert.equal(answer.status(), 200, await answer.text());
		await theirs.goto(`devices/${device.id}/add`);
		await heading(theirs, `Add an app to \u2068${name}\u2069`).waitFor();
		await theirs.goto(`devices/${device.id}/connect`);
		await theirs.getByRole("button", { name: "Remove the device" }).click();
		await theirs.getByRole("heading", { name: `Remove \u2068${name}\u2069?` }).waitFor();
		await theirs.getByRole("button", { name: "Remove", exact: true }).click();
		await theirs.getByText(`\u2068${name}\u2069 removed`).waitFor();
		await page.goto("admin/audit");
		await page.getByText(`removed the device \u2068${name}\u2069`).first().waitFor();
	},

	"an administrator removes an account, which the page names first": async (stage) => {
		const person = await stage.ask("person", { name: "Leaving" });
		const { person: boss, page } = await administrator(stage);
		const clicks = await countClicks(page);
		await page.goto("admin");
		await page.getByLabel("Search accounts").fill(person.email);
		await page.getByRole("rowheader", { name: person.email }).waitFor();
		await page.getByRole("rowheader").nth(1).waitFor({ state: "detached" });
		await pressMore(page, person.email, "Remove");
		const dialog = page.getByRole("dialog", { name: `Remove the account ${person.email}?` });
		await dialog.getByText("1 device, with all pictures: the panels go dark").waitFor();
		await stage.checkAccessibility(page);
		const button = dialog.getByRole("button", { name: `Remove ${person.email}` });
		await dialog.getByLabel("Your password", { exact: true }).fill("not the password");
		await button.click();
		await dialog.getByText("Is not the password of this account").waitFor();
		await dialog.getByLabel("Your password", { exact: true }).fill(boss.password);
		await button.click();
		await page.getByText(`Account ${person.email} removed`).waitFor();
		await page.getByText("No matching accounts").waitFor();
		// The menu, "Remove", and the button, once in vain.
		assert.equal(await clicks(), 4);
		await page.goto("admin/audit");
		await page.getByText(`removed the account ${person.email}`).first().waitFor();
	},

	"an administrator finds an app, disables it, and removes it": async (stage) => {
		const slug = `leaving-${Date.now()}`;
		const author = await authorOf(stage, { slug, name: "Leaving <b>app</b>" });
		const { page } = await administrator(stage, { screen: "phone" });
		await page.goto("admin/apps");
		await page.getByLabel("Search apps").fill(slug);
		await page.getByRole("rowheader", { name: slug }).waitFor();
		await page.getByRole("rowheader").nth(1).waitFor({ state: "detached" });
		await page.getByRole("button", { name: `Disable ${slug}` }).click();
		await page.getByText("disabled", { exact: true }).waitFor();
		await pressMore(page, slug, "Remove");
		const dialog = page.getByRole("dialog");
		await dialog.getByText(`It belongs to ${author.email}.`).waitFor();
		await dialog.getByRole("button", { name: "Cancel" }).click();
		await page.getByRole("rowheader", { name: slug }).waitFor();
		await pressMore(page, slug, "Remove");
		await dialog.getByRole("button", { name: "Remove Leaving <b>app</b>" }).click();
		await page.getByText("No matching apps").waitFor();
	},

	"an administrator downloads a backup": async (stage) => {
		const { person, page } = await administrator(stage);
		const clicks = await countClicks(page);
		await page.goto("admin/backups");
		await heading(page, "Backups").waitFor();
		const button = page.getByRole("button", { name: "Make and download a backup" });
		const fill = (label, text) => page.getByLabel(label, { exact: true }).fill(text);
		await fill("Pass phrase", "purple lamps hum quietly");
		await fill("Pass phrase again", "purple lamps hum");
		await fill("Your password", person.password);
		await button.click();
		await page.getByText("Does not match the pass phrase.").waitFor();
		await fill("Pass phrase again", "purple lamps hum quietly");
		const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
		assert.match(download.suggestedFilename(), /^displayd-\d{4}-\d\d-\d\d\.backup\.age$/);
		const file = fs.readFileSync(await download.path());
		assert.equal(file.subarray(0, 22).toString(), "age-encryption.org/v1\n");
		assert.equal(await clicks(), 2);
		await page.getByText("The download has begun.").waitFor();
		await page.getByRole("rowheader", { name: person.email }).waitFor();
		await page.getByText("Last backup: just now").waitFor();
	},

	"how the instance is": async (stage) => {
		const { page } = await administrator(stage, { screen: "phone" });
		await page.goto("admin");
		await page.getByRole("link", { name: "Instance" }).click();
		await heading(page, "Instance").waitFor();
		await page.getByText("running", { exact: true }).first().waitFor();
		await page.getByText("PostgreSQL", { exact: true }).waitFor();
		await page.getByText("Room on disk", { exact: true }).waitFor();
		await page.getByText("Last backup", { exact: true }).waitFor();
		await page.locator(".notice").first().waitFor();
	},

	"local addresses are closed to apps, and opened": async (stage) => {
		const { page } = await administrator(stage);
		await page.goto("admin/instance");
		const box = page.getByRole("checkbox", { name: "Apps can reach local addresses" });
		await page.getByText("only public addresses").waitFor();
		for (const isOn of [false, true]) {
			await box.setChecked(isOn);
			const words = isOn ? "local" : "public";
			await page.goto("admin/audit");
			await page.getByText(`changed the addresses that apps can reach: ${words}`).first().waitFor();
			await page.goto("admin/instance");
			await page
				.getByRole("checkbox", { name: "Apps can reach local addresses", checked: isOn })
				.waitFor();
		}
	},

	"photographs of administration": async (stage) => {
		const { person } = await administrator(stage);
		await stage.photograph(
			"admin-instance",
			async (page) => {
				await page.goto("admin/instance");
				await page.getByText("running", { exact: true }).first().waitFor();
			},
			person,
		);
		await stage.photograph(
			"admin-backups",
			async (page) => {
				await page.goto("admin/backups");
				await page.getByText("Last backup:").waitFor();
			},
			person,
		);
		await authorOf(stage, { slug: `shown-${Date.now()}`, name: "Shown" });
		await stage.photograph(
			"admin-apps",
			async (page) => {
				await page.goto("admin/apps");
				await page.getByRole("rowheader").first().waitFor();
			},
			person,
		);
	},
};
