// Forms of apps, previews, and running apps.
import assert from "node:assert/strict";
import fs from "node:fs";
import { pressMore, searchFor } from "./wait.mjs";

const heading = (page, name) => page.getByRole("heading", { name, level: 1, exact: true });
const codeOf = (page) => page.locator(".code-view .cm-content");

function ownApp(path) {
	return fs.readFileSync(new URL(`../../share/apps/${path}`, import.meta.url), "utf8");
}

const CLOCK = ownApp("clock/clock.star");

/** Script with a secret setting, with which it greets, and a typeahead field for a pet. */
const GREETER = `load("render.star", "render")
load("schema.star", "schema")

def main(config):
    print("greets", config.str("pet", "nobody"))
    if not config.get("key"):
        return None
    return render.Root(child = render.Box(color = config.str("colour")))

def pets(text):
    names = ["Axolotl", "Dog", "Dolphin"]
    return [schema.Option(display = name, value = name.lower()) for name in names if name.lower().startswith(text.lower())]

def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Text(id = "key", name = "Key", desc = "The word at the door", icon = "key", secret = True),
        schema.Color(id = "colour", name = "Colour", desc = "", icon = "brush", default = "#00f"),
        schema.Typeahead(id = "pet", name = "Pet", desc = "", icon = "dog", handler = pets),
    ])
`;

/** Script that is green in the north, and blue elsewhere. */
const NORTH = `load("render.star", "render")
load("encoding/json.star", "json")
load("schema.star", "schema")

def main(config):
    place = config.get("where")
    isNorth = place and float(json.decode(place)["lat"]) > 0
    return render.Root(child = render.Box(color = "#0a0" if isNorth else "#00a"))

def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Location(id = "where", name = "Town", desc = "For the weather", icon = "map"),
    ])
`;

let count = 0;
const newSlug = (word) => `${word}-${process.pid}-${++count}`;

/** Publishes an app. */
async function publish(stage, fields, scriptContent, scriptLanguage = "STARLARK") {
	const author = await stage.ask("person", { name: "Ada Lovelace" });
	const reviewer = await stage.ask("person", { name: "Grace Hopper", roles: ["reviewer"] });
	const headers = { origin: new URL(stage.scene.url).origin };
	const send = async (person, path, data) => {
		const page = await stage.signedIn(person);
		const answer = await page.request.post(path, { data, headers });
		assert.ok(answer.ok(), `${path}: ${await answer.text()}`);
		const told = await answer.json();
		await page.context().close();
		return told;
	};
	await send(author, "web/studio", { visibility: "public", ...fields });
	const script = { version: "1.0", scriptLanguage, scriptContent };
	const { id } = await send(author, `web/studio/${fields.slug}/versions`, script);
	await send(reviewer, `web/reviews/${id}`, { status: "APPROVED" });
	return author;
}

/** A person with a panel that is on. */
async function owner(stage, options) {
	const person = await stage.ask("person", { device: false });
	const device = await stage.ask("add_device", { account: person.email, name: "Kitchen" });
	await stage.ask("panel", { url: device.url, name: device.id });
	return { person, device, page: await stage.signedIn(person, options) };
}

/** Returns the address of the panel's picture, once it differs from the previous one. */
async function picture(page, place, before) {
	const others = before === undefined ? "" : `:not([src="${before}"])`;
	const image = page.locator(`${place} img.panel-picture${others}`).first();
	return image.getAttribute("src");
}

/** Whether a panel's picture and all its light are dim. Runs in the page. */
function isDim(place) {
	const layers = [
		...document.querySelectorAll(`${place} :is(.panel-picture, .panel-bloom, .panel-glow)`),
	];
	return (
		layers.length === 3 &&
		layers.every((one) => getComputedStyle(one).filter.includes("brightness(0.7)"))
	);
}

/** Replaces the script in the editor. */
async function rewrite(page, text) {
	await codeOf(page).click();
	await page.keyboard.press("Control+a");
	await page.keyboard.press("Delete");
	await page.keyboard.insertText(text);
}

/** Chooses a place in the settings of a device. */
async function choosePlace(page, device, typed, option) {
	await page.goto(`devices/${device.id}/settings`);
	const box = page.getByRole("combobox", { name: "Place" });
	await box.click();
	await box.fill(typed);
	await page.getByRole("option", { name: option }).first().click();
	await page.getByText("Saved", { exact: true }).first().waitFor();
}

export default {
	"a device has a place, which its apps take": async (stage) => {
		const slug = newSlug("north");
		await publish(stage, { slug, name: "North", description: "Which half" }, NORTH);
		const { person, page, device } = await owner(stage);
		await choosePlace(page, device, "suva", "Suva, Central, Fiji");
		await page.getByRole("button", { name: "Use its time zone, Pacific/Fiji" }).click();
		await page.getByRole("button", { name: /^Use its time zone/ }).waitFor({ state: "detached" });
		await stage.photograph(
			"device-place",
			async (other) => {
				await other.goto(`devices/${device.id}/settings`);
				await other.getByRole("combobox", { name: "Place" }).scrollIntoViewIfNeeded();
			},
			person,
		);
		const form = `apps/${slug}/install/${device.id}`;
		await page.goto(form);
		const isOfDevice = page.getByLabel("Use the device's place for Town");
		assert.equal(await isOfDevice.isChecked(), true);
		await page.getByText("Town: Suva, Central, Fiji").waitFor();
		const south = await picture(page, ".app-preview");
		await stage.photograph(
			"install-place",
			async (other) => {
				await other.goto(form);
				await other.getByLabel("Use the device's place for Town").waitFor();
			},
			person,
		);
		await isOfDevice.uncheck();
		assert.equal(
			await page.getByRole("combobox", { name: "Town" }).inputValue(),
			"Suva, Central, Fiji",
		);
		await isOfDevice.check();
		await page.getByRole("button", { name: "Install" }).click();
		await page.getByText("North added to the rotation of Kitchen").waitFor();
		await picture(page, ".entry");
		await choosePlace(page, device, "zagreb", /^Zagreb/);
		const place = { account: person.email, device: device.id };
		const [installation] = await stage.ask("entries_of", place);
		await page.goto(`devices/${device.id}/apps/${installation}`);
		await page.getByText(/^Town: Zagreb/).waitFor();
		await picture(page, ".app-preview", south);
		await page.goto(`devices/${device.id}/settings`);
		await page.getByRole("button", { name: "Remove the place" }).click();
		await page.getByText("Apps can use it").waitFor();
	},

	"the browser is asked for its place only on a click": async (stage) => {
		const { page, device } = await owner(stage);
		await page.context().grantPermissions(["geolocation"]);
		await page.context().setGeolocation({ latitude: -18.1416, longitude: 178.4419 });
		await page.addInitScript(() => {
			globalThis.asked = 0;
			const whole = navigator.geolocation.getCurrentPosition.bind(navigator.geolocation);
			navigator.geolocation.getCurrentPosition = (...how) => {
				globalThis.asked++;
				whole(...how);
			};
		});
		await page.goto(`devices/${device.id}/settings`);
		await page.getByRole("combobox", { name: "Place" }).waitFor();
		await page.getByText("Enter coordinates").click();
		assert.equal(await page.evaluate(() => globalThis.asked), 0);
		await page.getByRole("button", { name: "Use this browser's place" }).click();
		await page.getByText("18.14° S, 178.44° E", { exact: false }).first().waitFor();
		assert.equal(await page.evaluate(() => globalThis.asked), 1);
		await page.getByText("Saved", { exact: true }).first().waitFor();
	},

	"the clock is found, set up, looked at and installed": async (stage) => {
		const slug = newSlug("clock");
		const name = `Clock ${slug}`;
		await publish(stage, { slug, name, description: "The time in big digits" }, CLOCK);
		const { person, page, device } = await owner(stage);
		await page.goto("apps");
		await searchFor(page, slug);
		await page.getByRole("link", { name }).click();
		await heading(page, name).waitFor();
		await page.getByRole("link", { name: "Install on Kitchen" }).click();
		await heading(page, `${name} on Kitchen`).waitFor();
		const first = await picture(page, ".app-preview");
		assert.match(first, /^data:image\/webp;base64,/);
		await page.getByLabel("light blue, #40a0ff").check({ force: true });
		const second = await picture(page, ".app-preview", first);
		await page.getByLabel("12 hours").check();
		await picture(page, ".app-preview", second);
		await page.getByRole("button", { name: "Install" }).click();
		await page.getByText(`${name} added to the rotation of Kitchen`).waitFor();
		await heading(page, "Kitchen").waitFor();
		// The panel is on: the app is rendered, and its picture appears by itself.
		assert.match(await picture(page, ".entry"), /\/pictures\/[0-9a-f]{32}$/);
		const place = { account: person.email, device: device.id };
		const [installation] = await stage.ask("entries_of", place);
		let letGo;
		const held = new Promise((resolve) => (letGo = resolve));
		await page.route(/\/rotation\/[^/]+\/settings$/, (route) => held.then(() => route.continue()));
		await page.goto(`devices/${device.id}/apps/${installation}`);
		await heading(page, name).waitFor();
		await page.getByText("Reading the form").waitFor();
		letGo();
		assert.equal(await page.getByLabel("12 hours").isChecked(), true);
		const save = page.getByRole("button", { name: "Save" });
		assert.equal(await save.isDisabled(), true);
		await page.getByLabel("12 hours").uncheck();
		await page.getByRole("link", { name: "Kitchen", exact: true }).click();
		await page.getByRole("heading", { name: "Leave without saving?" }).waitFor();
		await page.getByRole("button", { name: "Cancel" }).click();
		await save.click();
		await page.getByText("Saved", { exact: true }).waitFor();
		await page.getByRole("heading", { name: "Status" }).waitFor();
		await page.getByText("Render time", { exact: true }).waitFor();
		await page.reload();
		await heading(page, name).waitFor();
		assert.equal(await page.getByLabel("12 hours").isChecked(), false);
	},

	"an app is put on a device in three clicks, and named": async (stage) => {
		const slug = newSlug("clock");
		const name = `Clock ${slug}`;
		await publish(stage, { slug, name, description: "The time." }, CLOCK);
		const { page, device, person } = await owner(stage);
		let clicks = 0;
		const click = async (locator) => {
			clicks += 1;
			await locator.click();
		};
		const arrives = async () => {
			await heading(page, `Add an app to Kitchen`).waitFor();
			await searchFor(page, slug);
			await click(page.getByRole("link", { name }));
			await heading(page, `${name} on Kitchen`).waitFor();
			await click(page.getByRole("button", { name: "Install" }));
			await heading(page, "Kitchen").waitFor();
			const entry = page.locator('.entry[data-new="true"]');
			await entry.getByText("new", { exact: true }).waitFor();
			await page.waitForFunction(() => {
				const { top, bottom } = document
					.querySelector('.entry[data-new="true"]')
					.getBoundingClientRect();
				return top >= 0 && bottom <= innerHeight;
			});
			assert.equal(clicks, 3);
			clicks = 0;
		};
		// Click the link in the empty state, above the rotation, and on the tile.
		await page.goto(`devices/${device.id}`);
		await page.getByText("Nothing in the rotation yet").waitFor();
		await click(page.getByRole("link", { name: "Add an app", exact: true }));
		await arrives();
		await click(page.getByRole("link", { name: "Add an app", exact: true }));
		await arrives();
		await page.goto("devices");
		await page.locator(".device-tile").getByText(name).waitFor();
		assert.equal(
			await page
				.locator(".device-tile")
				.getByText(/An app/)
				.count(),
			0,
		);
		await click(page.getByRole("link", { name: "Add an app", exact: true }));
		await arrives();
		assert.equal(
			(await stage.ask("entries_of", { account: person.email, device: device.id })).length,
			3,
		);

		await pressMore(page.locator('.entry[data-new="true"]'), undefined, "Options");
		const options = page.locator('.entry[data-new="true"] .entry-options');
		await options.getByLabel("Name").fill("In the hall");
		await options.getByLabel("Name").press("Enter");
		await page.locator(".entry-name").getByText("In the hall").waitFor();
		await page.getByText(`App ${name}, changed`).waitFor();
		await page.getByRole("button", { name: "Show now In the hall" }).click();
		await page
			.locator(`.device .drop .panel-line`)
			.getByText(/^In the hall/)
			.waitFor();
		await page.goto("devices");
		await page.locator(".device-tile").getByText("In the hall").waitFor();
	},

	"an app that fails is red in its row, and marked on the list of devices": async (stage) => {
		const slug = newSlug("fails");
		await publish(
			stage,
			{ slug, name: "Faulty" },
			'def main(config):\n    fail("the sea is dry")\n',
		);
		const { page, device } = await owner(stage, { motion: "reduce" });
		await page.goto(`apps/${slug}/install/${device.id}`);
		await page.getByRole("button", { name: "Install" }).click();
		const row = page.locator('.entry[data-failing="true"]');
		await row.getByText(/^Failed: .*the sea is dry/).waitFor();
		await page.locator(".device-list").getByText("An app fails").waitFor();
		await stage.checkAccessibility(page);
		await page.emulateMedia({ colorScheme: "dark" });
		await stage.checkAccessibility(page, ["color-contrast"]);
		await page.goto("devices");
		await page.locator(".device-tile").getByText("Faulty fails").waitFor();
		await stage.checkAccessibility(page);
	},

	"what waits for its picture can be read": async (stage) => {
		const slug = newSlug("clock");
		await publish(stage, { slug, name: "Clock", description: "The time." }, CLOCK);
		const { page, device } = await owner(stage, { motion: "reduce" });
		await page.goto(`apps/${slug}/install/${device.id}`);
		await page.locator(".app-preview .panel-picture").waitFor();
		await page.locator('.app-preview[aria-busy="false"]').waitFor();
		let goOn;
		const held = new Promise((resolve) => (goOn = resolve));
		await page.route("**/preview", async (route) => {
			await held;
			await route.continue();
		});
		await page.getByLabel("12 hours").click();
		await page.locator('.app-preview[aria-busy="true"]').waitFor();
		await page.waitForFunction(isDim, ".app-preview");
		await stage.checkAccessibility(page);
		await page.emulateMedia({ colorScheme: "dark" });
		await stage.checkAccessibility(page, ["color-contrast"]);
		goOn();
		await page.locator('.app-preview[aria-busy="false"]').waitFor();
	},

	"a secret is kept, and an app that asks is answered": async (stage) => {
		const slug = newSlug("greeter");
		await publish(stage, { slug, name: "Greeter" }, GREETER);
		const { person, page, device } = await owner(stage, { screen: "phone" });
		await page.goto(`apps/${slug}/install/${device.id}`);
		await page.getByText("Nothing to show now").first().waitFor();
		await page.getByLabel("Key", { exact: true }).fill("sesame");
		await picture(page, ".app-preview");
		await page.getByRole("combobox", { name: "Pet" }).fill("do");
		await page.getByRole("option", { name: "Dog" }).waitFor();
		assert.equal(await page.getByRole("option", { name: "Axolotl" }).count(), 0);
		await page.getByRole("option", { name: "Dolphin" }).click();
		await page.getByRole("button", { name: "Install" }).click();
		await heading(page, "Kitchen").waitFor();
		const place = { account: person.email, device: device.id };
		const [installation] = await stage.ask("entries_of", place);
		await page.goto(`devices/${device.id}/apps/${installation}`);
		await page.getByText("Set", { exact: true }).waitFor();
		assert.equal(await page.getByRole("combobox", { name: "Pet" }).inputValue(), "Dolphin");
		// Only the renderer of the picture knows its secret.
		const before = await picture(page, ".app-preview");
		assert.doesNotMatch(await page.content(), /sesame/);
		await page.getByRole("button", { name: "Remove Key" }).click();
		await page.getByText("Nothing to show now").first().waitFor();
		await page.getByRole("button", { name: "Keep the present value" }).click();
		await picture(page, ".app-preview");
		assert.ok(before);
	},

	"a draft's picture follows each save, and its errors stand at their lines": async (stage) => {
		const author = await stage.ask("person");
		const page = await stage.signedIn(author);
		const slug = newSlug("draft");
		await page.goto("studio");
		await page.getByLabel("Name", { exact: true }).fill("Big clock");
		await page.getByLabel("Name in URLs").fill(slug);
		await page.getByRole("button", { name: "Create app" }).click();
		await heading(page, "Big clock").waitFor();
		const template = await picture(page, ".app-run");
		await rewrite(page, CLOCK.replace("def main(config):", 'def main(config):\n    print("tick")'));
		await picture(page, ".app-run", template);
		await page.getByText("Output (1 line)").waitFor();
		await page.getByText("tick", { exact: true }).waitFor();
		const settings = page.getByText("Settings for the preview");
		await settings.click();
		const before = await picture(page, ".app-run");
		await page.getByLabel("light blue, #40a0ff").check({ force: true });
		await picture(page, ".app-run", before);

		await rewrite(page, "def main(config):\n    return nothing\n");
		await page.getByText("The script failed").waitFor();
		await codeOf(page).locator(".problem", { hasText: "nothing" }).waitFor();
		await codeOf(page).locator(".wrong-line", { hasText: "return nothing" }).waitFor();
		await page.getByRole("button", { name: /line 2/ }).click();
		await page.keyboard.press("Shift+End");
		await page.keyboard.insertText("    return []");
		await page.getByText("Nothing to show now").first().waitFor();
		await codeOf(page).locator(".problem").waitFor({ state: "detached" });

		await page.getByLabel("TypeScript").check();
		await rewrite(page, "export default function main() {\n  return 1 +;\n}\n");
		await codeOf(page).locator(".wrong-line", { hasText: "return 1" }).waitFor();
	},

	"a reviewer sees what a version draws, and its author how it runs": async (stage) => {
		const slug = newSlug("seen");
		const author = await publish(stage, { slug, name: "Seen" }, CLOCK);
		const page = await stage.signedIn(author);
		const headers = { origin: new URL(stage.scene.url).origin };
		const data = { version: "1.1", scriptLanguage: "STARLARK", scriptContent: CLOCK + "# more\n" };
		const made = await page.request.post(`web/studio/${slug}/versions`, { data, headers });
		const { id } = await made.json();
		const reviewer = await stage.ask("person", { name: "Grace Hopper", roles: ["reviewer"] });
		const review = await stage.signedIn(reviewer);
		await review.goto(`review/${id}`);
		await picture(review, ".app-run");
		await page.goto(`studio/${slug}/versions`);
		await page.getByRole("heading", { name: "Status of 1.0" }).waitFor();
		await page.getByText("0 times").waitFor();
		await page.getByRole("link", { name: "1.1", exact: true }).click();
		await picture(page, ".app-run");
	},

	"photographs of apps that run": async (stage) => {
		const slug = newSlug("clock");
		const author = await publish(
			stage,
			{ slug, name: "Clock", description: "The time in big digits, with dots that blink." },
			CLOCK,
		);
		const { person, page, device } = await owner(stage);
		await page.goto(`apps/${slug}/install/${device.id}`);
		await picture(page, ".app-preview");
		await page.getByRole("button", { name: "Install" }).click();
		await heading(page, "Kitchen").waitFor();
		const place = { account: person.email, device: device.id };
		const [installation] = await stage.ask("entries_of", place);
		for (const [name, path, there] of [
			["apps-pictures", `apps?${slug}`, ".app-entry .panel-picture"],
			["app-picture", `apps/${slug}`, ".app-head .panel-picture"],
			["install", `apps/${slug}/install/${device.id}`, ".app-preview .panel-picture"],
			["installation", `devices/${device.id}/apps/${installation}`, "#runs"],
		]) {
			await stage.photograph(
				name,
				async (opened) => {
					await opened.goto(path);
					await opened.locator(there).first().waitFor();
				},
				person,
			);
		}
		const draft = {
			scriptLanguage: "STARLARK",
			scriptContent: CLOCK.replace("now.format", "now.fromat"),
		};
		const writer = await stage.signedIn(author);
		const headers = { origin: new URL(stage.scene.url).origin };
		const data = { ...draft, revision: 0 };
		await writer.request.put(`web/studio/${slug}/draft`, { data, headers });
		for (const [name, path, there] of [
			["studio-failing", `studio/${slug}`, ".app-problem"],
			["studio-renders", `studio/${slug}/versions`, "#renders"],
		]) {
			await stage.photograph(
				name,
				async (opened) => {
					await opened.goto(path);
					await opened.locator(there).first().waitFor();
				},
				author,
			);
		}
	},
};
