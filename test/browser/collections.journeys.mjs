// Collections of apps: the community's in an empty catalogue, and those of an account.
import assert from "node:assert/strict";

function heading(page, name) {
	return page.getByRole("heading", { name, level: 1 });
}

/** Leads the community's address to the server of this test. */
async function localize(page, archive) {
	await page.route("**/web/collections", async (route) => {
		if (route.request().method() !== "POST") return route.continue();
		const wish = JSON.parse(route.request().postData());
		return route.continue({ postData: JSON.stringify({ ...wish, url: archive }) });
	});
}

async function signIn(page, { email, password }) {
	await page.goto("");
	await page.getByLabel("E-mail address").fill(email);
	await page.getByLabel("Password", { exact: true }).fill(password);
	await page.keyboard.press("Enter");
	await heading(page, "First steps").waitFor(); // it has no device
}

/** Photographs the page on both screens in both schemes, and checks it. */
async function look(stage, page, name) {
	for (const colorScheme of ["light", "dark"])
		for (const [screen, width, height] of [
			["desktop", 1280, 800],
			["phone", 390, 844],
		]) {
			await page.emulateMedia({ colorScheme });
			await page.setViewportSize({ width, height });
			await page.screenshot({
				path: `${stage.scene.pictures}/${name}-${screen}-${colorScheme}.png`,
			});
		}
	await stage.checkAccessibility(page);
	await stage.checkReflow(page, name);
	await page.emulateMedia({ colorScheme: "light" });
	await page.setViewportSize({ width: 1280, height: 800 });
}

export default {
	"an administrator brings the community's apps in, and an account has its own": async (stage) => {
		const server = await stage.ask("with_collections");
		const page = await stage.visitor({ baseURL: server.url });
		await signIn(page, server.administrator);
		await page.goto("apps");
		const button = page.getByRole("button", {
			name: "Bring in about 1,000 apps of the community (27 MB)",
		});
		await button.waitFor();
		await look(stage, page, "collections-empty");
		await localize(page, server.archive);
		await button.click();
		await page.getByText("Downloading: ").waitFor();
		// The egress ends a download that stands still for half a minute, so this one is not kept waiting.
		await stage.ask("open_archive");
		await page.locator(".app-entry").nth(2).waitFor();
		await page.goto("admin/collections");
		await page.getByText("4 apps: 3 new, 1 failed.").waitFor();
		await page.getByText("What came of each app").click();
		await page.getByRole("row", { name: /bad/ }).getByText("Failed").waitFor();
		// An update that reaches further waits for the administrator.
		await stage.ask("change_archive");
		await page.getByRole("button", { name: "Update now" }).click();
		await page.getByText("4 apps: 1 failed, 1 to approve.").waitFor();
		await page.getByText("names new hosts: new.example").waitFor();
		await look(stage, page, "collections-held");
		await page.getByRole("button", { name: "Approve" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
		await page.getByText("4 apps: 1 updated, 1 failed.").waitFor();

		// Somebody else has a collection, which only they see.
		const own = await stage.visitor({ baseURL: server.url });
		await signIn(own, server.person);
		await own.goto("apps");
		await own.locator(".app-entry").nth(2).waitFor();
		await own.getByRole("link", { name: "Your collections" }).click();
		await heading(own, "Your collections").waitFor();
		await own.getByText("No collections yet").waitFor();
		await own.getByLabel("Address of the archive").fill("http://a.example/");
		await own.getByRole("button", { name: "Add a collection" }).click();
		await own.getByText(/must be an address with https/i).waitFor();
		await own.getByLabel("Address of the archive").fill(server.archive);
		await own.getByLabel("Folder in it").fill("apps");
		await own.getByRole("button", { name: "Add a collection" }).click();
		await own.getByText("4 apps: 3 new, 1 failed.").waitFor();
		await look(stage, own, "collections-own");
		await page.goto("admin/collections");
		await page.getByText("4 apps: 1 updated, 1 failed.").waitFor();
		assert.equal(await page.locator(".collection").count(), 1);
		await own.getByRole("button", { name: /More for/ }).click();
		await own.getByRole("menuitem", { name: "Remove" }).click();
		await own.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
		await own.getByText("No collections yet").waitFor();
	},
};
