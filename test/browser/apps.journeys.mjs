// The catalogue, the studio and reviews.
import assert from "node:assert/strict";
import { pressMore, waitUntil } from "./wait.mjs";

const heading = (page, name) => page.getByRole("heading", { name, level: 1, exact: true });

const CLOCK = `load("render.star", "render")
load("time.star", "time")

def main(config):
    now = time.now().in_location(config.get("timezone", "Europe/Zagreb"))

    # Every other second the colon is dark.
    return render.Root(
        delay = 500,
        child = render.Animation(
            children = [
                render.Text(now.format("15:04")),
                render.Text(now.format("15 04")),
            ],
        ),
    )
`;
const CLOCK_2 = CLOCK.replace("render.Text(now", 'render.Text(color = "#fa3", content = now')
	.replace("        delay = 500,\n", "        delay = 1000,\n")
	.replace("    # Every", "    # Amber, as an LED should be.\n    # Every");

let count = 0;
const newSlug = (word) => `${word}-${process.pid}-a${++count}`;

/** A person who uses the endpoints directly to prepare a scene. */
class Hand {
	constructor(stage, page) {
		this.page = page;
		this.headers = { origin: new URL(stage.scene.url).origin };
	}

	async send(method, path, data) {
		const { headers } = this;
		const answer = await this.page.request.fetch(path, {
			method,
			data,
			headers,
		});
		assert.ok(answer.ok(), `${method} ${path}: ${await answer.text()}`);
		return answer.json();
	}

	app(fields) {
		return this.send("POST", "web/studio", { visibility: "public", ...fields });
	}

	submit(slug, version, scriptContent, scriptLanguage = "STARLARK") {
		const script = { version, scriptContent, scriptLanguage };
		return this.send("POST", `web/studio/${slug}/versions`, script);
	}

	decide(version, status, more = {}) {
		return this.send("POST", `web/reviews/${version}`, { status, ...more });
	}
}

async function signedIn(stage, person, options) {
	const page = await stage.signedIn(person, options);
	return { page, hand: new Hand(stage, page) };
}

/** An author and a reviewer, each with a browser. */
async function people(stage) {
	const author = await stage.ask("person", { name: "Ada Lovelace" });
	const reviewer = await stage.ask("person", {
		name: "Grace Hopper",
		roles: ["reviewer"],
	});
	return {
		author,
		reviewer,
		ada: await signedIn(stage, author),
		grace: await signedIn(stage, reviewer),
	};
}

/** A clock whose versions 1.0 and 1.1 are approved and whose 1.2 was sent back to its author. */
async function clock(ada, grace, fields = {}) {
	const slug = newSlug("clock");
	await ada.app({
		slug,
		name: "Clock",
		description: "The time in big digits",
		...fields,
	});
	for (const [version, script] of [
		["1.0", CLOCK],
		["1.1", CLOCK_2],
	]) {
		const { id } = await ada.submit(slug, version, script);
		await grace.decide(id, "APPROVED");
	}
	return slug;
}

const codeOf = (page) => page.locator(".code-view .cm-content");

/** Waits until the comment being written belongs to this line. */
async function untilLine(page, number) {
	const field = page.getByRole("textbox", { name: "Line", exact: true });
	await waitUntil(async () => (await field.inputValue()) === number);
}

/** Presses Tab until the wanted element has the focus. */
async function tabTo(page, wanted) {
	for (let i = 0; i < 10; i++) {
		await page.keyboard.press("Tab");
		if (await wanted.evaluate((element) => element === document.activeElement)) return;
	}
	assert.fail("Tab does not lead there");
}

async function revisionOf(page, slug) {
	return (await (await page.request.get(`web/studio/${slug}/draft`)).json()).revision;
}

/** Types after the text in the editor. */
async function write(page, text) {
	await codeOf(page).click();
	await page.keyboard.press("Control+End");
	await page.keyboard.insertText(text);
}

export default {
	"what is not seen in a script is shown to who reviews it": async (stage) => {
		const { ada, grace } = await people(stage);
		const slug = newSlug("hidden");
		await ada.hand.app({ slug, name: "Clo\u202eck", description: "Time\u200b." });
		const { id } = await ada.hand.submit(
			slug,
			"1.0",
			CLOCK.replace('"15:04"', '"15:04" #\u202e \u2066return\u2069 \u200b\u200b\u00ad'),
		);
		const { page } = grace;
		await page.goto(`review/${id}`);
		await heading(page, "Clo[U+202E]ck 1.0").waitFor();
		await page.getByText("Time[U+200B].").waitFor();
		await page.getByText(/invisible characters.*U\+200B \(2 times\)/).waitFor();
		for (const code of ["U+202E", "U+2066", "U+2069", "U+200B", "U+00AD"])
			await page.locator(".cm-content .hidden-character").getByText(code).first().waitFor();
		await stage.checkAccessibility(page);
	},

	"a catalogue of more than a thousand apps is shown to its end, and again on the way back": async (
		stage,
	) => {
		const page = await stage.signedIn(await stage.ask("person"));
		const all = Array.from({ length: 1044 }, (_, i) => ({
			id: `0198f6a3-1111-7f19-a3c6-${String(i).padStart(12, "0")}`,
			slug: `app-${i}`,
			name: `App ${i}`,
			description: "",
			version: "1.0",
			author: "Ada",
			isOwn: false,
			isPrivate: false,
			picture: null,
			still: null,
			hosts: [],
		}));
		await page.route("**/web/apps?*", (route) => {
			const { searchParams } = new URL(route.request().url());
			const limit = Number(searchParams.get("limit"));
			const begin = Number(searchParams.get("cursor") ?? 0);
			const end = begin + limit;
			assert.ok(limit >= 1 && limit <= 1000, `a part of ${limit} apps`);
			const next = `<../web/apps?limit=${limit}&cursor=${end}>; rel="next"`;
			return route.fulfill({
				json: all.slice(begin, end),
				headers: end < all.length ? { Link: next } : {},
			});
		});
		await page.goto("apps");
		const more = page.getByRole("button", { name: "Show more" });
		for (let count = 24; count < 1044; count *= 2) {
			await page
				.locator(".app-entry")
				.nth(count - 1)
				.waitFor();
			await more.click();
		}
		await page.locator(".app-entry").nth(1043).waitFor();
		assert.equal(await page.locator(".app-entry").count(), 1044);
		assert.equal(await more.count(), 0);
		await page.getByRole("link", { name: "App 1043" }).scrollIntoViewIfNeeded();
		const y = await page.evaluate(() => scrollY);
		await page.waitForFunction((there) => history.state?.y === there, y);
		await page.getByRole("link", { name: "App 1043" }).click();
		await page.waitForURL("**/apps/app-1043");
		await page.goBack();
		await page.locator(".app-entry").nth(1043).waitFor();
		await page.waitForFunction((there) => Math.abs(scrollY - there) < 50, y);
	},

	"an app of the catalogue moves when somebody points at it, and views are in the URL": async (
		stage,
	) => {
		const { ada, grace } = await people(stage);
		const slug = newSlug("moves");
		await ada.hand.app({ slug, name: slug });
		const { id } = await ada.hand.submit(slug, "1.0", CLOCK);
		await grace.hand.decide(id, "APPROVED");
		const { page } = ada;
		await page.goto(`apps?q=${slug}`);
		const picture = page.locator(".app-entry img.panel-picture");
		await page.locator('.app-entry img.panel-picture[src^="data:image/webp;base64,"]').waitFor();
		await page.getByRole("link", { name: slug }).hover();
		await page.locator('.app-entry img.panel-picture[src*="/picture?"]').waitFor();
		await page.mouse.move(0, 0);
		await page.locator('.app-entry img.panel-picture[src^="data:"]').waitFor();
		assert.equal(await picture.count(), 1);
		await page.getByRole("button", { name: "On your panels" }).click();
		await page.getByText(`No apps match “${slug}”`).waitFor();
		await page.waitForURL(`**/apps?q=${slug}&view=installed`);
		await page.reload();
		await page.getByRole("button", { name: "On your panels", pressed: true }).waitFor();
		await page.getByRole("searchbox").fill("");
		await page.getByRole("button", { name: "Newest" }).click();
		await page.waitForURL("**/apps?view=newest");
		const asked = page.waitForRequest(/web\/apps\?.*view=newest.*broken=true/);
		await page.getByLabel("Show broken apps").check();
		await asked;
		await page.getByLabel("Show broken apps").uncheck();
		await page.getByRole("link", { name: slug }).waitFor();
		await stage.checkAccessibility(page);
		await page.setViewportSize({ width: 390, height: 844 });
		await page.getByRole("combobox", { name: "Show" }).selectOption("All");
		await page.waitForURL("**/apps");
	},

	"an app of another is read, and made one's own": async (stage) => {
		const { ada, grace } = await people(stage);
		const slug = newSlug("mine");
		await ada.hand.app({ slug, name: slug });
		const { id } = await ada.hand.submit(slug, "1.0", CLOCK);
		await grace.hand.decide(id, "APPROVED");
		const { page } = grace;
		await page.goto(`apps/${slug}`);
		await page.getByRole("button", { name: "Show the script" }).click();
		await page.locator(".cm-content").getByText("Every other second").waitFor();
		await stage.checkAccessibility(page);
		await page.getByRole("button", { name: "Make it mine" }).click();
		await page.waitForURL(`**/studio/${slug}`);
		await page.locator(".cm-content").getByText("Every other second").waitFor();
		// A second copy has another name.
		await page.goto(`apps?q=${slug}`);
		const app = (await (await page.request.get(`web/apps?q=${slug}`)).json())[0];
		await page.goto(`apps/${app.id}`);
		await page.getByRole("button", { name: "Make it mine" }).click();
		await page.waitForURL(`**/studio/${slug}-2`);
		const own = await (await page.request.get(`web/studio/${slug}-2`)).json();
		assert.deepEqual([own.visibility, own.name], ["private", slug]);
	},

	"a name of a hundred letters breaks no page": async (stage) => {
		const { ada, grace, author } = await people(stage);
		const slug = newSlug("long");
		const name = "W".repeat(100);
		await ada.hand.app({ slug, name, description: "i".repeat(120) });
		const { id } = await ada.hand.submit(slug, "1".repeat(64), CLOCK);
		await grace.page.goto(`review/${id}`);
		await grace.page.getByRole("button", { name: "Approve and publish" }).waitFor();
		await stage.checkReflow(grace.page, "review");
		await grace.hand.decide(id, "APPROVED");
		const { page } = ada;
		const devices = await (await page.request.get("web/devices")).json();
		const device = devices[0].id;
		const app = await ada.hand.send("POST", `web/devices/${device}/apps`, {
			app: slug,
			settings: {},
		});
		for (const [path, there] of [
			[`apps?${slug}`, ".app-entry"],
			[`apps/${slug}`, "h1"],
			[`apps/${slug}/install/${device}`, "h1"],
			["devices", ".device-tile"],
			[`devices/${device}`, ".entry"],
			[`devices/${device}/add`, ".app-entry"],
			[`devices/${device}/apps/${app.id}`, "h1"],
			["studio", "h1"],
			[`studio/${slug}`, "h1"],
			[`studio/${slug}/versions`, "h1"],
		]) {
			await page.goto(path);
			await page.locator(there).first().waitFor();
			await stage.checkTables(page, path);
			await stage.checkReflow(page, path);
		}
		assert.ok(author);
	},

	"whoever is alone publishes an app, and goes on with its script": async (stage) => {
		const fresh = await stage.ask("fresh");
		const page = await stage.visitor({ baseURL: fresh.url });
		await page.goto(fresh.link);
		await page.getByLabel("E-mail address").fill("ada@example.org");
		await page.getByLabel("Name", { exact: true }).fill("Ada");
		await page.getByLabel("Password", { exact: true }).fill("seven small lamps");
		await page.keyboard.press("Enter");
		await heading(page, "First steps").waitFor();
		await page.goto("apps");
		await page.getByRole("button", { name: "Bring in about 1,000 apps" }).waitFor();
		await page.getByRole("button", { name: "Add these apps" }).click();
		await page.locator(".app-entry").nth(5).waitFor();
		assert.deepEqual(await page.locator(".app-entry-name").allInnerTexts(), [
			"Clock",
			"Clock in TypeScript",
			"Countdown",
			"Date",
			"Text",
			"Weather",
		]);
		const send = async (path, data) => {
			const headers = { origin: new URL(fresh.url).origin };
			const answer = await page.request.post(path, { data, headers });
			assert.ok(answer.ok(), await answer.text());
		};
		await send("web/studio", { slug: "own", name: "My clock", visibility: "private" });
		const scriptContent = CLOCK;
		await send("web/studio/own/versions", {
			version: "1.0",
			scriptLanguage: "STARLARK",
			scriptContent,
		});
		await page.goto("studio/own");
		// The editor opens the uploaded version, since there is no draft yet.
		await page.locator(".cm-content").getByText("Every other second").waitFor();
		await page.getByRole("link", { name: "review it" }).click();
		await page.getByRole("button", { name: "Approve and publish" }).click();
		await page.getByText("My clock 1.0 approved and published").waitFor();
		await page.goto("studio/own");
		await page.locator(".cm-content").getByText("Every other second").waitFor();
		assert.equal(await page.locator(".cm-content").getByText("Hello").count(), 0);
		await page.goto("apps");
		await page.getByRole("link", { name: "My clock" }).waitFor();
	},

	"a version becomes the draft again, and the last draft comes back by Undo": async (stage) => {
		const { ada, grace } = await people(stage);
		const slug = await clock(ada.hand, grace.hand);
		const { page } = ada;
		const draft = async () => (await page.request.get(`web/studio/${slug}/draft`)).json();
		await page.goto(`studio/${slug}/versions`);
		const row = (version) => page.getByRole("row", { name: new RegExp(`^${version}`) });
		await row("1.0").getByRole("link", { name: "Compare" }).waitFor();
		await pressMore(row("1.0"), "1.0", "Take as draft", "Enter");
		await page.waitForURL(`**/studio/${slug}`);
		await page.getByText("Version 1.0 is the draft now").waitFor();
		assert.equal((await draft()).scriptContent, CLOCK);
		await write(page, "# mine\n");
		await waitUntil(async () => (await draft()).scriptContent === `${CLOCK}# mine\n`);
		await page.goto(`studio/${slug}/versions`);
		await row("1.1").getByRole("button", { name: "Take as draft version 1.1" }).press("Enter");
		await codeOf(page).getByText("Amber").waitFor();
		await stage.checkAccessibility(page);
		await page.getByRole("button", { name: "Undo: Version 1.1 is the draft now" }).press("Enter");
		await codeOf(page).getByText("# mine").waitFor();
		assert.equal((await draft()).scriptContent, `${CLOCK}# mine\n`);
	},

	"a reviewer sees both pictures, and what is new in a version": async (stage) => {
		const { ada, grace, reviewer } = await people(stage);
		const slug = newSlug("reach");
		await ada.hand.app({ slug, name: "Reach" });
		const first = await ada.hand.submit(slug, "1.0", CLOCK);
		const { page } = grace;
		await page.goto(`review/${first.id}`);
		await page.getByText("It names and reaches no host, and asks for no secret.").waitFor();
		assert.equal(await page.locator(".app-pair").count(), 0);
		await grace.hand.decide(first.id, "APPROVED");
		const same = await ada.hand.submit(slug, "1.1", CLOCK_2);
		await page.goto(`review/${same.id}`);
		await page.getByText("It names and reaches no host that 1.0 does not").waitFor();
		await page.locator(".app-pair img.panel-picture").nth(1).waitFor();
		await grace.hand.decide(same.id, "APPROVED");
		const more = `load("schema.star", "schema")\nURL = "https://api.example.org/v1"\n${CLOCK_2}
def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Text(id = "key", name = "API key", desc = "", icon = "key", secret = True),
    ])
`;
		const { id } = await ada.hand.submit(slug, "1.2", more);
		await page.goto(`review/${id}`);
		const reach = page.getByRole("region", { name: "New in this version" });
		await reach.getByText("api.example.org").waitFor();
		await reach.getByText("API key").waitFor();
		await page.getByRole("heading", { name: "Deployed: 1.1" }).waitFor();
		await page.getByRole("heading", { name: "This one: 1.2" }).waitFor();
		await stage.photograph(
			"review-reach",
			async (shown) => {
				await shown.goto(`review/${id}`);
				await shown.getByText("api.example.org").last().waitFor();
				await shown.locator(".app-pair .panel-picture").nth(1).waitFor();
			},
			reviewer,
		);
	},

	"a draft is on a panel for five minutes, and what is old is grey": async (stage) => {
		const { ada } = await people(stage);
		const slug = newSlug("shown");
		await ada.hand.app({ slug, name: "Shown" });
		const { page } = ada;
		const [device] = await (await page.request.get("web/devices")).json();
		const entries = async () =>
			(await (await page.request.get(`web/devices/${device.id}/rotation`)).json()).entries;
		await page.goto(`studio/${slug}`);
		await page.locator(".app-run img.panel-picture").waitFor();
		await page.getByRole("button", { name: /^Show on .* for 5 minutes$/ }).press("Enter");
		await page.getByText(/^Shown on .* until \d\d:\d\d, with each change\.$/).waitFor();
		const [entry] = await waitUntil(async () => (await entries()).length > 0 && entries());
		assert.equal(entry.installationId, `Draft of ${slug}`);
		const left = Date.parse(entry.expiresAt) - Date.now();
		assert.ok(left > 240_000 && left < 330_000, `${left} ms`);
		await stage.checkAccessibility(page);
		// The next picture is on the way, and not there yet.
		let go;
		const held = new Promise((resolve) => (go = resolve));
		await page.route("**/preview", async (route) => {
			await held;
			await route.continue();
		});
		await codeOf(page).getByText("Hello").click();
		await page.keyboard.press("End");
		for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowLeft");
		await page.keyboard.insertText("!");
		const picture = page.locator(".app-run img.panel-picture");
		await waitUntil(async () =>
			(await picture.evaluate((shown) => getComputedStyle(shown).filter)).startsWith(
				"grayscale(1)",
			),
		);
		const pushed = page.waitForRequest((request) => request.url().endsWith("/push"));
		go();
		await pushed;
		await waitUntil(async () =>
			(await picture.evaluate((shown) => getComputedStyle(shown).filter)).startsWith(
				"grayscale(0)",
			),
		);
		await page.getByRole("button", { name: "Stop" }).press("Enter");
		await page.getByRole("button", { name: /^Show on .* for 5 minutes$/ }).waitFor();
		await waitUntil(async () => (await entries()).length === 0);
	},

	"widgets and fields are found by their pictures, and inserted": async (stage) => {
		const { ada, author } = await people(stage);
		const slug = newSlug("palette");
		await ada.hand.app({ slug, name: "Palette" });
		const { page } = ada;
		const draft = async () =>
			(await (await page.request.get(`web/studio/${slug}/draft`)).json()).scriptContent;
		const open = async (shown) => {
			await shown.goto(`studio/${slug}`);
			await shown.locator(".app-run .panel-picture").first().waitFor();
			await shown.getByText("Widgets and fields", { exact: true }).click();
			await shown.waitForFunction(
				() => document.querySelectorAll(".sample .panel-picture").length > 20,
			);
			await shown.locator(".sample-field label").first().waitFor();
		};
		await open(page);
		const search = page.getByLabel("Search widgets and fields");
		await search.fill("shares");
		await codeOf(page).getByText("Hello").click();
		await page.keyboard.press("End");
		await page.keyboard.press("ArrowLeft");
		await page.keyboard.press("Shift+Home");
		await page.getByRole("button", { name: "Insert PieChart" }).press("Enter");
		await waitUntil(async () => (await draft()).includes("render.PieChart(diameter = 28"));
		assert.equal((await draft()).match(/load\(/g).length, 1);
		await page.locator(".app-run > .app-preview img.panel-picture").waitFor();
		await search.fill("kept encrypted");
		await page.getByRole("button", { name: "Insert Secret text" }).click();
		await waitUntil(async () => (await draft()).includes("secret = True"));
		assert.ok((await draft()).startsWith('load("schema.star", "schema")\nload("render.star"'));
		await search.fill("nothing of this kind");
		await page.getByText("No matches").waitFor();
		await page.request.put(`web/studio/${slug}/draft`, {
			data: {
				scriptLanguage: "STARLARK",
				scriptContent: CLOCK,
				revision: await revisionOf(page, slug),
			},
			headers: ada.hand.headers,
		});
		await stage.photograph("studio-palette", open, author);
	},

	"an author writes an app, a reviewer asks for more and publishes it": async (stage) => {
		const { ada, grace } = await people(stage);
		const [page, review] = [ada.page, grace.page];
		const slug = newSlug("big-clock");
		await page.goto("studio");
		await page.getByText("No apps yet").waitFor();
		await page.getByLabel("Name", { exact: true }).fill("Big clock");
		assert.equal(await page.getByLabel("Name in URLs").inputValue(), "big-clock");
		await page.getByLabel("Name in URLs").fill(slug);
		await page.getByLabel("Summary").fill("The time, big");
		await page.keyboard.press("Tab");
		await page.getByRole("button", { name: "Create app" }).click();
		await heading(page, "Big clock").waitFor();
		await codeOf(page).getByText("render.Root").waitFor();
		await write(page, "\n# one more line");
		await page.getByText("Saved", { exact: true }).waitFor();
		await page.reload();
		await codeOf(page).getByText("# one more line").waitFor();
		await page.getByRole("button", { name: "Submit for review" }).click();
		await page.getByText("Version 1.0 is awaiting review. You can").waitFor();

		await review.goto("review");
		await review.getByRole("link", { name: "Big clock 1.0" }).last().click();
		await heading(review, "Big clock 1.0").waitFor();
		await codeOf(review).getByText("def").click();
		await untilLine(review, "3");
		await review.getByRole("textbox", { name: "Comment" }).fill("What is this for?");
		await review.getByRole("button", { name: "Add comment" }).click();
		await codeOf(review).getByText("What is this for?").waitFor();
		await review.reload();
		await codeOf(review).getByText("What is this for?").waitFor();
		await review.getByRole("button", { name: "Request changes" }).click();
		await heading(review, "Review").waitFor();
		await review.getByText("Big clock 1.0 sent back to its author").waitFor();

		// The author's page shows it without a reload.
		await page.getByRole("heading", { name: "Review of 1.0" }).waitFor();
		await codeOf(page).getByText("What is this for?").waitFor();
		await page.getByRole("button", { name: "Line 3" }).click();
		await page.keyboard.insertText("# It draws.\n");
		await page.getByRole("button", { name: "Submit for review" }).click();
		await page.getByText("Version 1.1 is awaiting review. You can").waitFor();

		await review.getByRole("link", { name: "Big clock 1.1" }).last().click();
		await codeOf(review).getByText("# It draws.").waitFor();
		await review.getByRole("button", { name: "Approve and publish" }).click();
		await review.getByText("Big clock 1.1 approved and published").waitFor();
		await page.getByText("Published", { exact: true }).waitFor();
		await page.getByRole("link", { name: "Versions" }).click();
		await page.getByRole("rowheader", { name: "1.1" }).getByText("Deployed").waitFor();
	},

	"what cannot run is shown to its author and to reviewers": async (stage) => {
		const evil = `<img src=x onerror="document.title='owned'">`;
		const { author, reviewer, ada, grace } = await people(stage);
		const slug = newSlug("broken");
		await ada.hand.app({ slug, name: "Broken" });
		await ada.page.goto(`studio/${slug}/versions`);
		await ada.page.getByText("No versions yet").waitFor();
		const script = `// ${evil}\nexport default function main() {\n\treturn \`${evil}\` "${evil}";\n}\n`;
		const { id } = await ada.hand.submit(slug, "1.0", script, "TYPESCRIPT");
		// Both pages are notified when the compiler has ended.
		await grace.page.goto(`review/${id}`);
		await ada.page.getByText("Cannot run", { exact: true }).waitFor();
		await ada.page.getByRole("link", { name: "1.0", exact: true }).click();
		for (const { page } of [ada, grace]) {
			const note = page.locator(".app-problem", { hasText: "Version 1.0 cannot run" });
			await note.getByText(/Expected/).waitFor();
			await note.getByRole("button", { name: /line 3, column/ }).click();
			await codeOf(page).locator(".problem").first().waitFor();
			assert.equal(await page.locator(".app-run").count(), 0);
			assert.doesNotMatch(await page.title(), /^owned/);
		}
		const approve = grace.page.getByRole("button", { name: "Approve and publish" });
		assert.ok(await approve.isDisabled());
		await grace.page.getByText("The version cannot run, so it cannot be approved.").waitFor();
		for (const [name, path, person] of [
			["version-broken", `studio/${slug}/versions/1.0`, author],
			["review-broken", `review/${id}`, reviewer],
		])
			await stage.photograph(
				name,
				async (page) => {
					await page.goto(path);
					await page.locator(".app-problem").waitFor();
					await codeOf(page).locator(".problem").first().waitFor();
				},
				person,
			);
		await grace.page.getByLabel("Summary").fill("It cannot run.");
		await grace.page.getByRole("button", { name: "Request changes" }).click();
		await ada.page.getByText("The version was not approved.").waitFor();
	},

	"what a check has found is shown to the author and to reviewers": async (stage) => {
		const { author, reviewer, ada, grace } = await people(stage);
		const slug = newSlug("checked");
		await ada.hand.app({ slug, name: "Checked" });
		const { id } = await ada.hand.submit(slug, "1.0", CLOCK);
		await ada.page.goto(`studio/${slug}/versions/1.0`);
		await grace.page.goto(`review/${id}`);
		for (const { page } of [ada, grace]) {
			await page.getByText("Version 1.0 can run.").waitFor();
			await page.getByText(/ bytes; took [0-9.]+ ms of CPU time/).waitFor();
		}
		// It lacks a setting, which is no reason to refuse it.
		await grace.hand.decide(id, "APPROVED");
		const needs = `load("render.star", "render")
def main(config):
    return render.Root(child = render.Text(config["key"]))
`;
		const second = await ada.hand.submit(slug, "1.1", needs);
		await ada.page.goto(`studio/${slug}/versions/1.1`);
		await grace.page.goto(`review/${second.id}`);
		for (const { page } of [ada, grace]) {
			const title = "Version 1.1 makes no picture without network and settings";
			const note = page.locator(".app-problem", { hasText: title });
			await note.getByRole("button", { name: /line 3, column/ }).waitFor();
			await note.getByText("It may need them, so this is no reason to refuse it.").waitFor();
		}
		assert.ok(await grace.page.getByRole("button", { name: "Approve and publish" }).isEnabled());
		for (const [name, path, person] of [
			["version-checked", `studio/${slug}/versions/1.0`, author],
			["review-remark", `review/${second.id}`, reviewer],
		])
			await stage.photograph(
				name,
				async (page) => {
					await page.goto(path);
					await page
						.getByText(/Version 1\.[01] (can run|makes no picture)/)
						.first()
						.waitFor();
					await codeOf(page).first().waitFor();
				},
				person,
			);
	},

	"somebody finds an app and installs it, on a phone": async (stage) => {
		const { ada, grace } = await people(stage);
		const mark = newSlug("mark");
		await clock(ada.hand, grace.hand, { name: `Clock ${mark}` });
		const person = await stage.ask("person");
		const { page } = await signedIn(stage, person, { screen: "phone" });
		await page.goto("apps");
		await page.getByRole("searchbox").fill(`no ${mark}`);
		await page.getByText(`No apps match “no ${mark}”`).waitFor();
		await page.getByRole("searchbox").fill(mark.toUpperCase());
		await page.getByRole("link", { name: `Clock ${mark}` }).click();
		await heading(page, `Clock ${mark}`).waitFor();
		await page.getByRole("link", { name: "Install on Kitchen" }).click();
		await heading(page, `Clock ${mark} on Kitchen`).waitFor();
		await page.getByRole("button", { name: "Install" }).click();
		await page.getByText(`Clock ${mark} added to the rotation of Kitchen`).waitFor();
		await heading(page, "Kitchen").waitFor();
		await page.goBack();
		await page.goBack();
		await heading(page, `Clock ${mark}`).waitFor();
		await page.getByText("Installed", { exact: true }).waitFor();
		await pressMore(page, "Kitchen", "Remove");
		await page.getByText("0 of 100 entries").waitFor();
		await page.getByRole("button", { name: "Undo" }).click();
		await page.getByText("Installed", { exact: true }).waitFor();
		await pressMore(page, "Kitchen", "Remove");
		await page.getByText("0 of 100 entries").waitFor();
		// Leaving the page is a decision.
		await page.goto("studio");
		await heading(page, "Studio").waitFor();
		await page.goBack();
		await page.getByText("0 of 100 entries").waitFor();
		assert.equal(await page.getByRole("button", { name: "More for Kitchen" }).count(), 0);
	},

	"an author rolls back, and sees first what changes": async (stage) => {
		const { ada, grace } = await people(stage);
		const { page } = ada;
		const slug = await clock(ada.hand, grace.hand);
		await page.goto(`studio/${slug}/versions`);
		await page.getByRole("link", { name: "Compare 1.0 with the deployed version" }).click();
		await page.getByRole("heading", { name: "Changes from 1.1" }).waitFor();
		await page.getByText("2 lines added").waitFor();
		await page.getByText("3 lines removed").waitFor();
		await page.locator(".cm-deletedChunk", { hasText: "Amber, as an LED" }).waitFor();
		await page.locator(".cm-changedLine", { hasText: "500" }).waitFor();
		await page.getByRole("button", { name: "Roll back to 1.0" }).click();
		await page.getByText("Version 1.0 deployed").waitFor();
		await page.getByRole("rowheader", { name: "1.0" }).getByText("Deployed").waitFor();
		await page.getByRole("link", { name: "1.1", exact: true }).click();
		await page.getByRole("button", { name: "Deploy 1.1" }).click();
		await page.getByRole("rowheader", { name: "1.1" }).getByText("Deployed").waitFor();
	},

	"two windows of one author do not overwrite each other": async (stage) => {
		const author = await stage.ask("person");
		const [one, two] = [await signedIn(stage, author), await signedIn(stage, author)];
		const slug = newSlug("twice");
		await one.hand.app({ slug, name: "Twice" });
		for (const { page } of [one, two]) {
			await page.goto(`studio/${slug}`);
			await codeOf(page).getByText("render.Root").waitFor();
		}
		await write(one.page, "\n# from the first");
		await one.page.getByText("Saved", { exact: true }).waitFor();
		// The other window updates by itself if that loses nothing.
		await codeOf(two.page).getByText("# from the first").waitFor();
		await two.page.route("**/draft", (route) => route.abort());
		await write(two.page, "\n# from the second");
		await two.page.getByText(/Not saved/).waitFor();
		await write(one.page, "\n# first again");
		await one.page.getByText("Saved", { exact: true }).waitFor();
		await two.page.unroute("**/draft");
		await write(two.page, " and more");
		await two.page.getByText("was changed elsewhere").waitFor();
		await two.page.getByRole("button", { name: "Keep the other" }).click();
		await codeOf(two.page).getByText("# first again").waitFor();
		assert.equal(await codeOf(two.page).getByText("# from the second").count(), 0);
		await one.page.route("**/draft", (route) => route.abort());
		await write(one.page, "\n# once more");
		await one.page.getByText(/Not saved/).waitFor();
		await write(two.page, "\n# after it");
		await two.page.getByText("Saved", { exact: true }).waitFor();
		await one.page.unroute("**/draft");
		await write(one.page, " and more");
		await one.page.getByRole("button", { name: "Keep mine" }).click();
		await one.page.getByText("Saved", { exact: true }).waitFor();
		const { scriptContent } = await one.hand.send("GET", `web/studio/${slug}/draft`);
		assert.match(scriptContent, /# once more and more/);
		assert.doesNotMatch(scriptContent, /# after it/);
	},

	"a draft is not lost while the server is away": async (stage) => {
		const author = await stage.ask("person");
		const { page, hand } = await signedIn(stage, author);
		const slug = newSlug("storm");
		await hand.app({ slug, name: "Storm" });
		await page.goto(`studio/${slug}`);
		await codeOf(page).getByText("render.Root").waitFor();
		await stage.ask("stop");
		await write(page, "\n# written in the storm");
		await page.getByText(/Not saved: /).waitFor();
		await page.getByRole("link", { name: "Apps", exact: true }).click();
		await page.getByRole("heading", { name: "Leave without saving?" }).waitFor();
		await page.getByRole("button", { name: "Cancel" }).click();
		await stage.ask("start");
		await page.getByText("Saved", { exact: true }).waitFor();
		await page.reload();
		await codeOf(page).getByText("# written in the storm").waitFor();
	},

	"hostile scripts, names and comments are shown as text": async (stage) => {
		const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
		const author = await stage.ask("person", { name: `<i>Ada</i>${evil.slice(0, 60)}` });
		const reviewer = await stage.ask("person", { name: evil.slice(0, 90), roles: ["reviewer"] });
		const ada = await signedIn(stage, author);
		const grace = await signedIn(stage, reviewer);
		const slug = newSlug("evil");
		await ada.hand.app({ slug, name: `${evil}`.slice(0, 100), description: evil });
		const script = `# ${evil}\n"""${evil}"""\n# \u202e\u2028x = 1\ndef main():\n    return []\n`;
		const first = await ada.hand.submit(slug, "1.0", script);
		await grace.hand.decide(first.id, "APPROVED", { summary: evil });
		const second = await ada.hand.submit(slug, "2.0", `${script}y = """${evil}"""\n`);
		const places = [
			[grace.page, `review/${second.id}`, codeOf(grace.page).getByText(evil).first()],
			[grace.page, "review", grace.page.locator("main").getByText(evil.slice(0, 60)).first()],
		];
		for (const [page, path, there] of places) {
			await page.goto(path);
			await there.waitFor();
			assert.doesNotMatch(await page.title(), /^owned/);
		}
		await grace.hand.decide(second.id, "REJECTED", {
			reason: evil,
			comments: [{ comment: evil, line: 1 }, { comment: evil }],
		});
		for (const [path, there] of [
			[`studio/${slug}`, codeOf(ada.page).locator(".remark", { hasText: evil }).first()],
			[`studio/${slug}/versions/2.0`, ada.page.locator(".said-text", { hasText: evil }).first()],
			[`studio/${slug}/details`, ada.page.getByLabel("Summary")],
			[`apps/${slug}`, ada.page.locator(".said-text", { hasText: evil })],
			["apps", ada.page.locator(".app-entry-line", { hasText: evil }).first()],
			["studio", ada.page.getByRole("rowheader", { name: evil.slice(0, 60) })],
		]) {
			await ada.page.goto(path);
			await there.waitFor();
			assert.doesNotMatch(await ada.page.title(), /^owned/);
			const strange = ada.page.locator('main img:not([class^="panel-"], .cm-widgetBuffer)');
			assert.equal(await strange.count(), 0, path);
		}
	},

	"a reviewer works by keyboard alone": async (stage) => {
		const { ada, grace } = await people(stage);
		const slug = newSlug("keys");
		await ada.hand.app({ slug, name: "Keys" });
		await ada.hand.submit(slug, "1.0", CLOCK);
		const { page } = grace;
		await page.goto("review");
		const link = page.getByRole("link", { name: "Keys 1.0" }).last();
		await link.focus();
		await page.keyboard.press("Enter");
		await heading(page, "Keys 1.0").waitFor();
		await codeOf(page).focus();
		for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowDown");
		await untilLine(page, "5");
		await tabTo(page, page.getByRole("textbox", { name: "Comment" }));
		await page.keyboard.insertText("Zagreb is not everywhere.");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
		await codeOf(page).getByText("Zagreb is not everywhere.").waitFor();
		const reject = page.getByRole("button", { name: "Reject" });
		await reject.focus();
		await page.keyboard.press("Enter");
		await page.getByText("Enter the reason for the rejection.").waitFor();
		await page.getByLabel("Summary").focus();
		await page.keyboard.insertText("It is not for here.");
		await reject.focus();
		await page.keyboard.press("Enter");
		await page.getByText("Keys 1.0 rejected").waitFor();
		const [version] = await ada.hand.send("GET", `web/studio/${slug}/versions`);
		assert.equal(version.rejectionReason, "It is not for here.");
		assert.equal(version.reviewComments[0].line, 5);
	},

	"an author works by keyboard alone": async (stage) => {
		const { page, hand } = await signedIn(stage, await stage.ask("person"));
		await page.goto("");
		await page.locator("h1").waitFor();
		await page.keyboard.press("g");
		await page.keyboard.press("s");
		await heading(page, "Studio").waitFor();
		const slug = newSlug("typed");
		await page.getByLabel("Name", { exact: true }).focus();
		await page.keyboard.insertText("Typed");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Control+A");
		await page.keyboard.insertText(slug);
		await page.keyboard.press("Enter");
		await heading(page, "Typed").waitFor();
		await codeOf(page).focus();
		await page.keyboard.press("Control+End");
		await page.keyboard.insertText("def other():");
		await page.keyboard.press("Enter");
		await page.keyboard.insertText("return None");
		// Keys that open other pages are only letters here.
		await page.keyboard.type(" # g k / ?");
		await page.keyboard.press("Control+S");
		await page.getByText("Saved", { exact: true }).waitFor();
		// Tab indents in the editor; after Escape it leaves the editor.
		await page.keyboard.press("Enter");
		await page.keyboard.press("Tab");
		await page.keyboard.insertText("# deep");
		await page.keyboard.press("Escape");
		await tabTo(page, page.getByLabel("Version"));
		await page.getByText("Saved", { exact: true }).waitFor();
		const draft = await hand.send("GET", `web/studio/${slug}/draft`);
		assert.match(
			draft.scriptContent,
			/\ndef other\(\):\n {4}return None # g k \/ \?\n {4,}# deep$/,
		);
		await page.keyboard.press("Enter");
		await page.getByText("Version 1.0 is awaiting review. You can").waitFor();
	},

	"nobody reviews his own version while there is another reviewer": async (stage) => {
		const person = await stage.ask("person", { roles: ["reviewer"] });
		await stage.ask("person", { roles: ["reviewer"] });
		const { page, hand } = await signedIn(stage, person);
		const slug = newSlug("own");
		await hand.app({ slug, name: "Own" });
		const { id } = await hand.submit(slug, "1.0", CLOCK);
		await page.goto(`review/${id}`);
		await page.getByText("another reviewer decides").waitFor();
		assert.equal(await page.getByRole("button", { name: "Approve" }).count(), 0);
		const other = await signedIn(stage, await stage.ask("person"));
		await other.page.goto("review");
		await heading(other.page, "Page not found").waitFor();
	},

	"photographs of apps, studio and review": async (stage) => {
		const { author, reviewer, ada, grace } = await people(stage);
		const slug = await clock(ada.hand, grace.hand);
		for (const [name, description] of [
			["Weather", "Rain or shine at a place of your choice, three days ahead"],
			["Countdown", "Days until something that you look forward to"],
			["Marquee", "A line of text that walks by"],
			["Moon", "Its phase tonight, and when it rises"],
		]) {
			const other = newSlug(name.toLowerCase());
			await ada.hand.app({ slug: other, name, description });
			const { id } = await ada.hand.submit(other, "1.0", CLOCK);
			await grace.hand.decide(id, "APPROVED");
		}
		const returned = await ada.hand.submit(slug, "1.2", CLOCK.replace("500", "250"));
		await grace.hand.decide(returned.id, "CHANGES_REQUESTED", {
			summary: "Nearly there: the colon blinks too fast for me.",
			comments: [
				{
					line: 9,
					comment: "Twice a second is restless on a wall. 500 was good.",
				},
				{ line: 5, comment: "What where the owner has no time zone?" },
			],
		});
		await ada.hand.send("PUT", `web/studio/${slug}/draft`, {
			scriptContent: CLOCK_2,
			scriptLanguage: "STARLARK",
			revision: 0,
		});
		const pending = newSlug("weather-radar");
		await ada.hand.app({ slug: pending, name: "Weather radar" });
		await ada.hand.submit(pending, "0.1", CLOCK);
		const shoot = (name, path, ready, person) =>
			stage.photograph(
				name,
				async (page) => {
					await page.goto(path);
					await ready(page);
				},
				person,
			);
		await shoot(
			"apps",
			"apps",
			(page) => page.getByRole("link", { name: "Weather" }).waitFor(),
			reviewer,
		);
		await shoot(
			"app",
			`apps/${slug}`,
			(page) => page.getByRole("link", { name: "Install on" }).first().waitFor(),
			reviewer,
		);
		await shoot(
			"studio",
			"studio",
			(page) => page.getByRole("rowheader", { name: "Weather radar" }).waitFor(),
			author,
		);
		await shoot(
			"studio-draft",
			`studio/${slug}`,
			(page) => codeOf(page).getByText("What where the owner").waitFor(),
			author,
		);
		await shoot(
			"studio-versions",
			`studio/${slug}/versions`,
			(page) => page.getByRole("rowheader", { name: "1.2" }).waitFor(),
			author,
		);
		await shoot(
			"studio-version",
			`studio/${slug}/versions/1.0`,
			(page) => page.locator(".cm-deletedChunk").first().waitFor(),
			author,
		);
		await shoot(
			"studio-details",
			`studio/${slug}/details`,
			(page) => page.getByLabel("Everyone here").waitFor(),
			author,
		);
		const { id } = await ada.hand.submit(slug, "1.3", CLOCK.replace("15:04", "3:04 PM"));
		await shoot(
			"reviews",
			"review",
			(page) => page.getByRole("rowheader", { name: "Weather radar 0.1" }).waitFor(),
			reviewer,
		);
		await shoot(
			"review",
			`review/${id}`,
			async (page) => {
				await page.locator(".cm-deletedChunk").first().waitFor();
				await page.getByLabel("Comment", { exact: true }).fill("Half of the world counts to 24.");
				await page.getByLabel("Line", { exact: true }).fill("12");
				await page.getByRole("button", { name: "Add comment" }).click();
				await codeOf(page).getByText("Half of the world").waitFor();
			},
			reviewer,
		);
	},
};
