// Runs one journey in a browser.
//
//   node run.mjs --list
//   node run.mjs NAME         the scene is a line of JSON on standard input
//
// A journey that wants something done outside of the browser writes {"ask": NAME, ...} as a line on
// standard output and waits for the answer, a line of JSON on standard input. Where it fails, the
// exit code is 1 and standard error says why.
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
// Far beyond what is ever needed: a machine under load fails no test.
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 120_000);

async function journeys() {
	const found = {};
	for (const name of fs.readdirSync(HERE).sort()) {
		if (!name.endsWith(".journeys.mjs")) continue;
		Object.assign(found, (await import(path.join(HERE, name))).default);
	}
	return found;
}

/** What axe-core finds on the page, as text; empty: nothing. */
async function findings(page) {
	await page.evaluate(axe);
	const { violations } = await page.evaluate(() => globalThis.axe.run());
	return violations
		.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(" ")}`)
		.join("\n");
}

class Stage {
	constructor(browser, scene, lines) {
		this.browser = browser;
		this.scene = scene;
		this.lines = lines;
	}

	/** Has something done outside of the browser. */
	async ask(what, more = {}) {
		console.log(JSON.stringify({ ask: what, ...more }));
		return JSON.parse((await this.lines.next()).value);
	}

	/** A browser of its own: cookies, storage. It fails the journey where a page has a fault. */
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

	/** A browser in which somebody is signed in. */
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
		console.error(text);
		process.exitCode = 1;
	}

	async checkAccessibility(page) {
		assert.equal(await findings(page), "");
	}

	/** At twice the size of text a phone is as narrow as this: still nothing is beyond the edge. */
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

	/** Photographs a page in light, dark and phone size, and has axe-core look at each. */
	async photograph(name, prepare, person, more = {}) {
		const kinds = {
			light: { scheme: "light" },
			dark: { scheme: "dark" },
			phone: { screen: "phone", scheme: "light" },
		};
		for (const [kind, options] of Object.entries(kinds)) {
			const given = { motion: "reduce", ...options, ...more };
			const page = person ? await this.signedIn(person, given) : await this.visitor(given);
			await prepare(page);
			await page.screenshot({
				path: path.join(this.scene.pictures, `${name}-${kind}.png`),
				fullPage: true,
			});
			await this.checkAccessibility(page);
			await this.checkReflow(page, `${name}-${kind}`);
			await page.context().close();
		}
	}
}

async function run(name) {
	const journey = (await journeys())[name];
	const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
	const scene = JSON.parse((await lines.next()).value);
	fs.mkdirSync(scene.pictures, { recursive: true });
	const browser = await chromium.launch({
		executablePath: scene.chromium,
		// The sandbox wants user namespaces, which root and containers often have not.
		args: ["--no-sandbox", "--disable-dev-shm-usage"],
	});
	try {
		await journey(new Stage(browser, scene, lines));
	} catch (error) {
		const pages = browser.contexts().flatMap((context) => context.pages());
		for (const [i, page] of pages.entries()) {
			const file = path.join(scene.pictures, `failed-${name.replaceAll(/\W+/g, "-")}-${i}.png`);
			await page.screenshot({ path: file }).catch(() => undefined);
		}
		throw error;
	} finally {
		await browser.close();
	}
}

const [name] = process.argv.slice(2);
if (name === "--list") {
	console.log(JSON.stringify(Object.keys(await journeys())));
} else {
	try {
		await run(name);
	} catch (error) {
		console.error(error.stack);
		process.exitCode = 1;
	}
	process.exit();
}
