// Runs journeys, one after the other, in one browser. A journey is a test of what a person does with the
// pages. Each has contexts of its own: no cookie and no storage of one is there in another.
//
//   node run.mjs --list
//   node run.mjs CHROMIUM
//
// Each line on standard input names a journey and its scene: {"run": NAME, "scene": {...}}. The answer
// is a line on standard output: {"ended": NAME, "fault": TEXT}, where no text means that all went well.
// A journey that wants something done outside of the browser writes {"ask": NAME, ...} before that,
// and waits for a line with {"answer": ...} or {"fault": TEXT}.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(path.join(HERE, "../../subprojects/webapp/package.json"));
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const SCREENS = {
	desktop: { viewport: { width: 1280, height: 800 } },
	phone: {
		viewport: { width: 390, height: 844 },
		hasTouch: true,
		isMobile: true,
	},
};
// Far more than needed, so that no test fails on a busy machine.
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 120_000);
// A journey that hangs must not keep the others from running.
const LONGEST_MS = 5 * PATIENCE_MS;

/** Journeys of one file, or of all. */
async function journeys(subject = "") {
	const found = {};
	for (const name of fs.readdirSync(HERE).sort()) {
		if (!name.endsWith(".journeys.mjs") || !name.startsWith(subject)) continue;
		Object.assign(found, (await import(path.join(HERE, name))).default);
	}
	return found;
}

/** Findings of axe-core on the page, as text; empty: none. */
async function findings(page, rules) {
	await page.evaluate(axe);
	const { violations } = await page.evaluate(
		(names) =>
			globalThis.axe.run({
				resultTypes: ["violations"],
				...(names ? { runOnly: { type: "rule", values: names } } : {}),
			}),
		rules,
	);
	return violations
		.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(" ")}`)
		.join("\n");
}

class Stage {
	constructor(browser, scene, lines) {
		this.browser = browser;
		this.scene = scene;
		this.lines = lines;
		this.faults = [];
		this.isOver = false;
	}

	/** Requests an action outside of the browser. */
	async ask(what, more = {}) {
		if (this.isOver) throw new Error("this journey has ended");
		say({ ask: what, ...more });
		const { answer, fault } = JSON.parse((await this.lines.next()).value);
		if (fault) throw new Error(fault);
		return answer;
	}

	/** A browser with its own cookies and storage. A fault of a page fails the journey. */
	async visitor({ screen = "desktop", scheme = "light", motion = "no-preference", ...more } = {}) {
		const context = await this.browser.newContext({
			...SCREENS[screen],
			colorScheme: scheme,
			reducedMotion: motion,
			baseURL: this.scene.url,
			...more,
		});
		context.setDefaultTimeout(PATIENCE_MS);
		const page = await context.newPage();
		page.on("pageerror", (error) => this.fail(`a fault on the page: ${error.stack}`));
		page.on("console", (message) => {
			if (/Content.Security.Policy|Trusted/.test(message.text())) this.fail(message.text());
		});
		return page;
	}

	/** A browser in which this person is signed in. */
	async signedIn(person, options) {
		const page = await this.visitor(options);
		const answer = await page.request.post("web/session", {
			data: { email: person.email, password: person.password },
			headers: { origin: new URL((options ?? {}).baseURL ?? this.scene.url).origin },
		});
		assert.equal(answer.status(), 200, await answer.text());
		return page;
	}

	fail(text) {
		this.faults.push(text);
	}

	/** Checks the named rules, or all. */
	async checkAccessibility(page, rules) {
		assert.equal(await findings(page, rules), "");
	}

	/** Checks that nothing is beyond the edge on a phone with text of twice the size. */
	async checkReflow(page, name) {
		await page.setViewportSize({ width: 320, height: 640 });
		const wide = await page.evaluate(() =>
			[...document.querySelectorAll("body *")]
				.filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
				.filter((element) => !element.closest(".only-read, .panel-case, thead"))
				.map((element) => element.outerHTML.slice(0, 120)),
		);
		assert.deepEqual(wide, [], `${name} is wider than the screen`);
	}

	/** Checks that boxes to tick, and dots of choices, are as wide as they are high. */
	async checkBoxes(page, name) {
		const uneven = await page
			.locator(".check input")
			.evaluateAll((boxes) =>
				boxes.filter((box) => box.offsetWidth !== box.offsetHeight).map((box) => box.outerHTML),
			);
		assert.deepEqual(uneven, [], `${name} has uneven boxes`);
	}

	/** Checks that no short word of a table is split on a laptop, whatever the cells beside it
	 * contain. */
	async checkTables(page, name) {
		await page.setViewportSize(SCREENS.desktop.viewport);
		const broken = await page.evaluate(() => {
			const found = [];
			for (const cell of document.querySelectorAll(".table td, .table th")) {
				const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
				while (walker.nextNode()) {
					const text = walker.currentNode;
					for (const { 0: word, index } of text.data.matchAll(/\S{2,12}(?!\S)/g)) {
						if (index > 0 && /\S/.test(text.data[index - 1])) continue;
						const range = document.createRange();
						range.setStart(text, index);
						range.setEnd(text, index + word.length);
						if (range.getClientRects().length > 1) found.push(word);
					}
				}
			}
			return found;
		});
		assert.deepEqual(broken, [], `${name} breaks words`);
	}

	/** Photographs a page in light, dark and phone size, and checks each with axe-core. It turns dark
	 * while it is open, so everything but its colours was checked before. */
	async photograph(name, prepare, person, more = {}) {
		const page = await this.opened(prepare, person, { motion: "reduce", ...more });
		await this.keep(page, `${name}-light`);
		await page.emulateMedia({ colorScheme: "dark" });
		await this.keep(page, `${name}-dark`, ["color-contrast"]);
		await this.checkReflow(page, name);
		const cookies = await page.context().cookies();
		await page.context().close();
		const small = { screen: "phone", motion: "reduce", cookies, ...more };
		const phone = await this.opened(prepare, undefined, small);
		await this.keep(phone, `${name}-phone`);
		await this.checkReflow(phone, `${name}-phone`);
		await phone.context().close();
	}

	async opened(prepare, person, { cookies = [], ...options }) {
		const page = person ? await this.signedIn(person, options) : await this.visitor(options);
		await page.context().addCookies(cookies);
		await prepare(page);
		return page;
	}

	async keep(page, name, rules) {
		const file = path.join(this.scene.pictures, `${name}.png`);
		// A bar at the bottom of the window would be in the middle of a longer page.
		const fullPage = (await page.locator(".bottom-bar").count()) === 0;
		const feet = page.locator(".bar nav");
		const show = (visibility) =>
			feet.evaluateAll((all, value) => {
				for (const one of all)
					if (
						getComputedStyle(one).position === "fixed" &&
						document.body.scrollHeight > innerHeight
					)
						one.style.visibility = value;
			}, visibility);
		if (fullPage) await show("hidden");
		await page.screenshot({ path: file, fullPage });
		await show("");
		await this.checkAccessibility(page, rules);
		await this.checkBoxes(page, name);
	}
}

/** Photographs the pages that are open when a journey has failed. */
async function photographAll(browser, name, folder) {
	const pages = browser.contexts().flatMap((context) => context.pages());
	for (const [i, page] of pages.entries()) {
		const file = path.join(folder, `failed-${name.replaceAll(/\W+/g, "-")}-${i}.png`);
		await page.screenshot({ path: file, timeout: 30_000 }).catch(() => undefined);
	}
}

/** Rejects when a journey takes too long. */
function tooLong(signal) {
	return new Promise((_, reject) => {
		const error = new Error(`not at its end after ${LONGEST_MS / 1000} s`);
		const timer = setTimeout(() => reject(error), LONGEST_MS);
		signal.addEventListener("abort", () => clearTimeout(timer));
	});
}

/** Runs one journey. Returns its fault as text. */
async function run(journey, stage, name) {
	const ended = new AbortController();
	const note = (error) => stage.fail(String(error?.stack ?? error));
	process.removeAllListeners("unhandledRejection").on("unhandledRejection", note);
	fs.mkdirSync(stage.scene.pictures, { recursive: true });
	try {
		await Promise.race([journey(stage), tooLong(ended.signal)]);
	} catch (error) {
		note(error);
		await photographAll(stage.browser, name, stage.scene.pictures);
	}
	stage.isOver = true;
	ended.abort();
	for (const context of stage.browser.contexts()) await context.close().catch(note);
	return stage.faults.join("\n");
}

function say(what) {
	console.log(JSON.stringify(what));
}

async function runAll(executablePath) {
	const known = await journeys();
	const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
	// The sandbox needs user namespaces, which root and containers often lack.
	const args = ["--no-sandbox", "--disable-dev-shm-usage"];
	let browser;
	for await (const line of lines) {
		if (!browser?.isConnected()) browser = await chromium.launch({ executablePath, args });
		const { run: name, scene } = JSON.parse(line);
		const fault = await run(known[name], new Stage(browser, scene, lines), name);
		say({ ended: name, fault });
	}
	await browser?.close();
}

const [what, subject] = process.argv.slice(2);
if (what === "--list") {
	console.log(JSON.stringify(Object.keys(await journeys(subject))));
} else {
	await runAll(what);
}
process.exit();
