// Focus: a person who uses the keyboard continues at the same place, whatever a button opens, closes, saves
// or removes.
import assert from "node:assert/strict";
import { pressMore, waitUntil } from "./wait.mjs";

const ELSEWHERE = "the page's heading";

function heading(page, name) {
	return page.getByRole("heading", { name, level: 1 });
}

/** Describes the element with the focus. */
function focused(page) {
	return page.evaluate((elsewhere) => {
		const { activeElement: element } = document;
		if (element === document.body || element === null) return "nothing";
		if (element.matches("main h1")) return elsewhere;
		return element.getAttribute("aria-label") ?? element.textContent.trim().replace(/\s+/g, " ");
	}, ELSEWHERE);
}

const SOMETHING = /^(?!nothing$)/;

function exactly(name) {
	return new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
}

/** Waits until the page is idle. */
function idle(page) {
	return page.evaluate(
		() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
	);
}

/** Waits until an element has the focus whose description matches, and checks that it keeps the focus. */
async function hasFocus(page, wanted) {
	await waitUntil(async () => wanted.test(await focused(page)));
	await idle(page);
	assert.match(await focused(page), wanted);
}

/** Presses a button by keyboard, and waits until the expected text is visible. */
async function press(part, name, seen) {
	await part.getByRole("button", { name }).first().press("Enter");
	await seen?.waitFor();
}

/** Checks that the button regains the focus after one of the dialog's own buttons closed it. */
async function comesBack(page, name, close, open = () => press(page, name)) {
	const dialog = page.getByRole("dialog");
	await open();
	await dialog.waitFor();
	await press(dialog, close);
	await dialog.waitFor({ state: "detached" });
	await hasFocus(page, exactly(name));
}

export default {
	"the focus comes back to what opened a dialog": async (stage) => {
		const person = await stage.ask("person", { roles: ["administrator"] });
		const page = await stage.signedIn(person);
		const dialog = page.getByRole("dialog");
		await page.goto("development/keys");
		await page.getByLabel("Name of a new key").fill("Lamp");
		await page.getByRole("button", { name: "Create key" }).click();
		await press(page, "I have copied it");
		await page.getByRole("rowheader", { name: "Lamp" }).waitFor();
		await hasFocus(page, SOMETHING);
		const open = {
			"Change Lamp": () => press(page, "Change Lamp", dialog),
			"More for Lamp": () => pressMore(page, "Lamp", "Revoke", "Enter"),
		};
		for (const [name, press] of Object.entries(open)) {
			await comesBack(page, name, "Cancel", press);
			await press();
			await dialog.waitFor();
			await page.keyboard.press("Escape");
			await dialog.waitFor({ state: "detached" });
			await hasFocus(page, exactly(name));
		}
		await press(page, "Change Lamp", dialog);
		await press(dialog, "Save", page.getByText("Lamp saved"));
		await hasFocus(page, exactly("Change Lamp"));
		await page.goto("admin");
		// The list of all accounts may have the buttons, too, until that of the search replaces it.
		const found = page.waitForResponse(
			(answer) => new URL(answer.url()).searchParams.get("q") === person.email,
		);
		await page.getByLabel("Search accounts").fill(person.email);
		await found;
		for (const item of ["Limit", "Sign out"])
			await comesBack(page, `More for ${person.email}`, "Cancel", () =>
				pressMore(page, person.email, item, "Enter"),
			);
		await comesBack(page, `Password link for ${person.email}`, "Done");
	},

	"the focus goes to what is near where its button goes": async (stage) => {
		const person = await stage.ask("person");
		const page = await stage.signedIn(person);
		const dialog = page.getByRole("dialog");
		const send = async (path, data) => {
			const headers = { origin: new URL(stage.scene.url).origin };
			const answer = await page.request.post(path, { data, headers });
			assert.equal(answer.status(), 201, await answer.text());
		};
		for (const name of ["One", "Two", "Three"]) await send("web/keys", { name });
		await page.goto("development/keys");
		await page.getByRole("rowheader").nth(2).waitFor();
		await pressMore(page, "Two", "Revoke", "Enter");
		await dialog.waitFor();
		await press(dialog, "Revoke", page.getByText("Two revoked"));
		await page.getByRole("rowheader", { name: "Two" }).waitFor({ state: "detached" });
		await hasFocus(page, /^More for (One|Three)$/);
		for (const path of ["a", "b"])
			await send("web/webhooks", { url: `https://example.org/${path}`, events: ["online"] });
		await page.goto("development/webhooks");
		await pressMore(page, "https://example.org/a", "Switch off", "Enter");
		await page.getByText("Switched off", { exact: true }).waitFor();
		await hasFocus(page, exactly("More for https://example.org/a"));
		await pressMore(page, "https://example.org/a", "Remove", "Enter");
		await dialog.waitFor();
		await press(dialog, "Remove", page.getByText("Webhook removed"));
		await page.getByRole("rowheader", { name: "example.org/a" }).waitFor({ state: "detached" });
		await hasFocus(page, / https:\/\/example.org\/b$/);
	},

	"a button that does nothing any more keeps the focus": async (stage) => {
		const author = await stage.ask("person", { name: "Ada Lovelace" });
		const reviewer = await stage.ask("person", { name: "Grace Hopper", roles: ["reviewer"] });
		const page = await stage.signedIn(author);
		const headers = { origin: new URL(stage.scene.url).origin };
		const slug = `focus-${process.pid}`;
		const post = async (path, data, by = page) => {
			const answer = await by.request.post(path, { data, headers });
			assert.ok(answer.ok(), await answer.text());
			return answer.json();
		};
		await post("web/studio", { slug, name: "Focus", visibility: "public" });
		const { id } = await post(`web/studio/${slug}/versions`, {
			version: "1.0",
			scriptLanguage: "STARLARK",
			scriptContent: `load("render.star", "render")
load("schema.star", "schema")

def main(config):
    return render.Root(child = render.Text(config.get("words", "-")))

def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Text(id = "words", name = "Words", desc = "Words to show", icon = "gear"),
    ])
`,
		});
		const review = await stage.signedIn(reviewer);
		await review.goto(`review/${id}`);
		await review.getByRole("textbox", { name: "Comment" }).fill("What is this for?");
		await press(review, "Add comment", review.getByRole("list", { name: "Your comments" }));
		await hasFocus(review, exactly("Add comment"));
		await press(review, /^Remove the comment/, review.getByText("Comment removed"));
		await hasFocus(review, SOMETHING);
		await post(`web/reviews/${id}`, { status: "APPROVED" }, review);
		const [device] = await (await page.request.get("web/devices")).json();
		const entry = await post(`web/devices/${device.id}/apps`, { app: slug, settings: {} });
		await page.goto(`devices/${device.id}/apps/${entry.id}`);
		await heading(page, "Focus").waitFor();
		// A local address in a setting: what it lacks is said while it is typed.
		await page.getByLabel("Words").fill("http://192.168.1.5:8123/api");
		const lacks = page.getByText("Words names an address that is not public: whoever runs");
		await lacks.waitFor();
		await page.getByLabel("Words").fill("Tea");
		await lacks.waitFor({ state: "detached" });
		await press(page, "Save", page.getByText("Saved", { exact: true }));
		await hasFocus(page, exactly("Save"));
		await page.keyboard.press("Enter");
		await page.getByRole("button", { name: "Save", disabled: true }).waitFor();
	},
};
