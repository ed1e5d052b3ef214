// Has Lighthouse look at pages.
//
//   node lighthouse.mjs       the folder of its packages is the one that it runs in
//
// Standard input tells as JSON: url, chromium, email, password, open (paths of pages that need nobody to
// be signed in, or URLs) and pages (paths of others). The answer is one line of JSON: for each page where
// it led to, its scores (0 to 100) by category, and what was found, as text.
import { createRequire } from "node:module";
import path from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const require = createRequire(path.join(process.cwd(), "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { default: lighthouse, desktopConfig } = await load("lighthouse");
const { default: puppeteer } = await load("puppeteer-core");

const CATEGORIES = ["accessibility", "best-practices"];
// A page keeps its stream open, and Lighthouse counts a page with at most two open requests as quiet. Short
// quiet is enough, since speed is not measured.
const QUIET_MS = 500;
const FLAGS = {
	logLevel: "error",
	output: "json",
	onlyCategories: CATEGORIES,
	throttlingMethod: "simulate", // without slowing down; "provided" would wait for 5 s of quiet
	disableFullPageScreenshot: true,
	disableStorageReset: true, // keeps the session
	pauseAfterFcpMs: QUIET_MS,
	pauseAfterLoadMs: QUIET_MS,
	networkQuietThresholdMs: QUIET_MS,
	cpuQuietThresholdMs: QUIET_MS,
	maxWaitForFcp: 120_000,
	maxWaitForLoad: 30_000, // pages with moving pictures may never be quiet on a busy machine
};

/** Finding of an audit, with the elements. */
function findingOf({ id, title, details }) {
	const places = (details?.items ?? []).map(
		(item) => item.node?.snippet ?? item.description ?? item.url ?? JSON.stringify(item),
	);
	return `${id}: ${title}: ${places.join(" ")}`;
}

async function look(page, url) {
	const { lhr } = await lighthouse(url, FLAGS, desktopConfig, page);
	if (lhr.runtimeError) throw new Error(`${url}: ${lhr.runtimeError.message}`);
	const scores = {};
	const found = [];
	for (const category of CATEGORIES) {
		const { score, auditRefs } = lhr.categories[category];
		scores[category] = Math.round(100 * score);
		for (const { id, weight } of auditRefs) {
			const audit = lhr.audits[id];
			if (weight > 0 && audit.score !== null && audit.score < 1) found.push(findingOf(audit));
		}
	}
	return { scores, found, url: lhr.finalDisplayedUrl };
}

async function signIn(page, { url, email, password }) {
	await page.goto(url);
	const status = await page.evaluate(async (body) => {
		const headers = { "Content-Type": "application/json" };
		const answer = await fetch("web/session", { method: "POST", headers, body });
		return answer.status;
	}, JSON.stringify({ email, password }));
	if (status !== 200) throw new Error(`nobody can sign in: ${status}`);
}

const scene = JSON.parse(await text(process.stdin));
const browser = await puppeteer.launch({
	executablePath: scene.chromium,
	headless: "shell",
	// The sandbox needs user namespaces, which root and containers often lack.
	args: ["--no-sandbox", "--disable-dev-shm-usage"],
	protocolTimeout: 600_000,
});
try {
	const answer = {};
	const page = await browser.newPage();
	for (const name of scene.open) answer[name] = await look(page, new URL(name, scene.url).href);
	await signIn(page, scene);
	for (const name of scene.pages) answer[name] = await look(page, new URL(name, scene.url).href);
	console.log(JSON.stringify(answer));
} finally {
	await browser.close();
}
