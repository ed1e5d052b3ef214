// Measures the pages in a browser, for bench/pages.py, which tells on standard input as JSON: url,
// email, password, key, device, images (base64) and signIns. The answer is one line of JSON.
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { text } from "node:stream/consumers";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(path.join(HERE, "../subprojects/webapp/package.json"));
const { chromium } = require("playwright-core");

const PICTURE = ".panel-picture";
/** Ten pushes a second a device are allowed. */
const PAUSE_MS = 150;
const SCREEN = { width: 1280, height: 800 };

const now = () => performance.timeOrigin + performance.now();

/** In the page: the times at which pictures could be seen, in the frame after they were loaded. */
function watchPictures(selector) {
	globalThis.seen = {};
	const look = () => {
		for (const image of document.querySelectorAll(selector)) {
			if (!(image instanceof HTMLImageElement) || !image.complete || !image.naturalWidth) continue;
			globalThis.seen[image.src] ??= performance.timeOrigin + performance.now();
		}
		requestAnimationFrame(look);
	};
	requestAnimationFrame(look);
}

function summary(times) {
	times.sort((a, b) => a - b);
	const round = (time) => Math.round(time * 10) / 10;
	return { median_ms: round(times[times.length >> 1]), max_ms: round(times.at(-1)) };
}

async function openSignIn(browser, scene) {
	const context = await browser.newContext({ viewport: SCREEN });
	await context.addInitScript(watchPictures, PICTURE);
	const page = await context.newPage();
	await page.goto(scene.url);
	await page.getByLabel("E-mail").fill(scene.email);
	await page.getByLabel("Password", { exact: true }).fill(scene.password);
	return page;
}

/** From the click until the panel's picture can be seen. */
async function signIn(browser, scene) {
	const page = await openSignIn(browser, scene);
	const before = now();
	await page.getByRole("button", { name: "Sign in", exact: true }).click();
	const at = await page
		.waitForFunction(() =>
			Object.entries(globalThis.seen).find(([source]) => source.includes("/pictures/"))?.at(1),
		)
		.then((found) => found.jsonValue());
	return { page, time: at - before };
}

/** From the answer to a push until its picture can be seen. */
async function push(page, scene, image) {
	const known = await page.evaluate(() => Object.keys(globalThis.seen));
	const answer = await fetch(new URL(`v1/devices/${scene.device}/push`, scene.url), {
		method: "POST",
		headers: { "Authorization": `Bearer ${scene.key}`, "Content-Type": "application/json" },
		body: JSON.stringify({ image }),
	});
	const answered = now();
	if (!answer.ok) throw new Error(await answer.text());
	const at = await page
		.waitForFunction(
			(before) => Object.entries(globalThis.seen).find(([source]) => !before.includes(source))?.at(1),
			known,
		)
		.then((found) => found.jsonValue());
	await page.waitForTimeout(PAUSE_MS);
	return at - answered;
}

async function load(page, target) {
	const requests = [];
	const note = (request) => {
		if (!request.url().startsWith("data:")) requests.push(request.url());
	};
	page.on("request", note);
	await page.goto(target);
	await page.waitForFunction(() => Object.keys(globalThis.seen).length > 0);
	page.off("request", note);
	return requests.length;
}

const scene = JSON.parse(await text(process.stdin));
const browser = await chromium.launch({ executablePath: scene.chromium, args: ["--no-sandbox"] });
try {
	const signIns = [];
	let page;
	for (let i = 0; i < scene.signIns; i++) {
		await page?.context().close();
		const done = await signIn(browser, scene);
		page = done.page;
		signIns.push(done.time);
	}
	const requests = await load(page, new URL("devices", scene.url).href);
	await load(page, new URL(`devices/${scene.device}`, scene.url).href);
	const pushes = [];
	for (const image of scene.images) pushes.push(await push(page, scene, image));
	console.log(
		JSON.stringify({
			sign_in_to_picture: summary(signIns),
			push_to_picture: summary(pushes),
			requests_of_live_page: requests,
		}),
	);
} finally {
	await browser.close();
}
