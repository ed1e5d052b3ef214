// Checks the sources, one check per run:
//
//   node check.mjs types|lint|format|unit FOLDER DOCUMENT
//
// FOLDER: for what the check makes; DOCUMENT: web-openapi.json of the build
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SOURCE = path.dirname(fileURLToPath(import.meta.url));
const [what, folder, endpoints] = process.argv.slice(2);

function run(command, ...more) {
	const done = spawnSync(command, more, { cwd: SOURCE, stdio: "inherit" });
	if (done.status !== 0) process.exit(done.status ?? 1);
}

function tool(name, ...more) {
	run(path.join(SOURCE, "node_modules/.bin", name), ...more);
}

/** Generates the types of the endpoints from their document, to where "web-api" is found
 * (tsconfig.json). */
function generateTypes() {
	const place = path.join(SOURCE, "node_modules/.web-api");
	fs.mkdirSync(place, { recursive: true });
	const made = path.join(place, `schema-${process.pid}.d.ts`);
	tool("openapi-typescript", endpoints, "-o", made, "--silent");
	fs.renameSync(made, path.join(place, "schema.d.ts"));
}

/** Tests are TypeScript: bundled one by one, and run by Node's own runner. */
async function unit() {
	const names = fs
		.readdirSync(path.join(SOURCE, "test"))
		.filter((name) => name.endsWith(".test.ts"));
	fs.rmSync(folder, { recursive: true, force: true });
	await build({
		absWorkingDir: SOURCE,
		entryPoints: names.map((name) => `test/${name}`),
		outdir: folder,
		outExtension: { ".js": ".mjs" },
		bundle: true,
		platform: "node",
		format: "esm",
		logLevel: "warning",
	});
	const files = names.map((name) => path.join(folder, name.replace(/ts$/, "mjs")));
	run(process.execPath, "--test", "--test-reporter=tap", ...files);
}

/** Reports modules that import each other, directly or through others; types count. */
function circles() {
	const isFile = (name) => fs.statSync(name, { throwIfNoEntry: false })?.isFile();
	const importsOf = (file) =>
		[...fs.readFileSync(file, "utf8").matchAll(/\bfrom "(\.[^"]+)"/g)]
			.map(([, name]) => path.resolve(path.dirname(file), name))
			.map((name) => ["", ".ts", ".tsx"].map((end) => name + end).find(isFile))
			.filter(Boolean);
	const seen = new Set();
	const walk = (file, way) => {
		if (way.includes(file)) {
			const circle = [...way.slice(way.indexOf(file)), file];
			console.error("in a circle:", ...circle.map((one) => path.relative(SOURCE, one)));
			process.exit(1);
		}
		if (seen.has(file)) return;
		seen.add(file);
		for (const next of importsOf(file)) walk(next, [...way, file]);
	};
	for (const name of fs.readdirSync(path.join(SOURCE, "src"), { recursive: true }))
		if (/\.tsx?$/.test(name)) walk(path.join(SOURCE, "src", name), []);
}

const checks = {
	types: () => {
		generateTypes();
		tool("tsc", "-p", ".");
	},
	lint: () => {
		circles();
		generateTypes();
		tool("eslint", "--max-warnings=0", ".");
	},
	format: () =>
		tool(
			"prettier",
			"--check",
			"--config=.prettierrc.json",
			"--log-level=warn",
			".",
			"../../test/browser",
		),
	unit,
};
await checks[what]();
