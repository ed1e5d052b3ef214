// Measures the pages in a browser, for bench/pages.py, which passes on standard input as JSON: url,
// email, password, key, device, images (base64), signIns, edits and saves. The answer is one line
// of JSON.
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { text } from "node:stream/consumers";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(path.join(HERE, "../subprojects/webapp/package.json"));
const { chromium } = require("playwright-core");

const PICTURE = ".panel-picture";
/** A device allows ten pushes a second. */
const PAUSE_MS = 150;
const SCREEN = { width: 1280, height: 800 };

const now = () => performance.timeOrigin + performance.now();

/** Runs in the page: records the times at which pictures became visible, in the frame after they
 * were loaded, and those of the last click and of the last keystroke that saves. */
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
	// The time of the event, not of this program's request, which takes a while.
	const note = ({ timeStamp }) => {
		globalThis.clickedAt = performance.timeOrigin + timeStamp;
	};
	addEventListener("click", note, { capture: true });
	const noteKey = ({ ctrlKey, key, timeStamp }) => {
		if (ctrlKey && key === "s") globalThis.saveKeyAt = performance.timeOrigin + timeStamp;
	};
	addEventListener("keydown", noteKey, { capture: true });
}

function summary(times) {
	times.sort((a, b) => a - b);
	const round = (time) => Math.round(time * 10) / 10;
	return {
		median_ms: round(times[times.length >> 1]),
		p99_ms: round(times[Math.ceil(0.99 * times.length) - 1]),
		max_ms: round(times.at(-1)),
	};
}

/** Calls act(). Returns the time at which a new picture becomes visible. */
async function newPicture(page, act) {
	const known = await page.evaluate(() => Object.keys(globalThis.seen));
	await act();
	const found = await page.waitForFunction(
		(before) => Object.entries(globalThis.seen).find(([source]) => !before.includes(source))?.at(1),
		known,
	);
	return found.jsonValue();
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

/** Returns the time from the click until the panel's picture is visible. */
async function signIn(browser, scene) {
	const page = await openSignIn(browser, scene);
	await page.getByRole("button", { name: "Sign in", exact: true }).click();
	const at = await page
		.waitForFunction(() =>
			Object.entries(globalThis.seen).find(([source]) => source.includes("/pictures/"))?.at(1),
		)
		.then((found) => found.jsonValue());
	return { page, time: at - (await page.evaluate(() => globalThis.clickedAt)) };
}

/** Returns the time from the answer to a push until its picture is visible. */
async function push(page, scene, image) {
	let answered;
	const at = await newPicture(page, async () => {
		const answer = await fetch(new URL(`v1/devices/${scene.device}/push`, scene.url), {
			method: "POST",
			headers: { "Authorization": `Bearer ${scene.key}`, "Content-Type": "application/json" },
			body: JSON.stringify({ image }),
		});
		answered = now();
		if (!answer.ok) throw new Error(await answer.text());
	});
	await page.waitForTimeout(PAUSE_MS);
	return at - answered;
}

/** Replaces the whole script by one that shows this text. Returns when that began. */
async function type(page, shown) {
	await page.locator(".code-view .cm-content").click();
	await page.keyboard.press("Control+a");
	const editedAt = now();
	await page.keyboard.insertText(
		`load("render.star", "render")\n\ndef main():\n    return render.Root(child = render.Text("${shown}"))\n`,
	);
	return editedAt;
}

/** Returns three lists of times until the rendered picture of a draft is visible: from its edit,
 * from the answer to its save, and from the keystroke that saves. */
async function editDraft(page, scene) {
	const slug = `bench-${Date.now()}`;
	const headers = { origin: new URL(scene.url).origin };
	const app = { slug, name: "Bench", visibility: "private" };
	const made = await page.request.post(new URL("web/studio", scene.url).href, { data: app, headers });
	if (!made.ok()) throw new Error(await made.text());
	await page.goto(new URL(`studio/${slug}`, scene.url).href);
	await page.waitForFunction(() => Object.keys(globalThis.seen).length > 0);
	let savedAt;
	page.on("response", (answer) => {
		if (answer.request().method() === "PUT" && answer.url().endsWith("/draft")) savedAt = now();
	});
	const times = { edits: [], saves: [], keys: [] };
	for (let i = 0; i < scene.edits; i++) {
		let editedAt;
		const at = await newPicture(page, async () => {
			editedAt = await type(page, i);
		});
		times.edits.push(at - editedAt);
		times.saves.push(at - savedAt);
	}
	for (let i = 0; i < scene.saves; i++) {
		const at = await newPicture(page, async () => {
			await type(page, `save ${i}`);
			await page.keyboard.press("Control+s");
		});
		times.keys.push(at - (await page.evaluate(() => globalThis.saveKeyAt)));
	}
	return times;
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
	const drafts = await editDraft(page, scene);
	console.log(
		JSON.stringify({
			sign_in_to_picture: summary(signIns),
			push_to_picture: summary(pushes),
			edit_to_picture: summary(drafts.edits),
			save_to_picture: summary(drafts.saves),
			save_key_to_picture: summary(drafts.keys),
			requests_of_live_page: requests,
		}),
	);
} finally {
	await browser.close();
}
