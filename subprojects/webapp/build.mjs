// Bundles the pages.
//
//   node build.mjs OUT_FOLDER LIST DEPFILE SETTINGS [--development]
//
// OUT_FOLDER gets the hashed files with a Brotli variant (NAME.br) beside each where that is
// smaller, and the shell, once for each depth of a page's path. LIST gets the arguments of
// tools/embed_static.py that embed them, one a line. SETTINGS: the plain forms of docs/api (build.py).
//
// Styles are in the script that draws the pages: without it there is nothing to style, and a
// separate file would cost one more request before the first paint.
import crypto from "node:crypto";
import { brotliCompressSync, constants } from "node:zlib";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { icon, ICON_SIZES, manifest } from "./installed.mjs";

const SOURCE = path.dirname(fileURLToPath(import.meta.url));
// "/" and "/panel" have depth 0, "/devices/ID" has 1. A path without a page may have more.
const BASES = Array.from({ length: 33 }, (_, depth) => "../".repeat(depth) || "./");
const [folder, list, depfile, settings, mode] = process.argv.slice(2);
const plain = JSON.parse(fs.readFileSync(settings, "utf8"));

function write(name, data) {
	const file = path.join(folder, name);
	const packed = brotliCompressSync(data, {
		params: {
			[constants.BROTLI_PARAM_QUALITY]: 11,
			[constants.BROTLI_PARAM_SIZE_HINT]: data.length,
		},
	});
	fs.writeFileSync(file, data);
	if (packed.length < data.length) fs.writeFileSync(`${file}.br`, packed);
	return file;
}

/** The import of a style file adds it to the document. */
const styles = {
	name: "styles",
	setup({ onLoad }) {
		onLoad({ filter: /\.css$/ }, async ({ path: file }) => {
			const text = fs.readFileSync(file, "utf8");
			const { code } = await transform(text, { loader: "css", minify: true });
			return {
				contents: `const sheet = new CSSStyleSheet();
					sheet.replaceSync(${JSON.stringify(code.trim())});
					document.adoptedStyleSheets.push(sheet);`,
				loader: "js",
			};
		});
	},
};

const APPS = path.join(SOURCE, "../../share/apps");

/** Returns a folder of share/apps as one script: several files are joined as txtar. */
function appOf(slug) {
	const folder = path.join(APPS, slug);
	const names = fs.readdirSync(folder).sort();
	const files = names.filter((name) => /\.(star|ts)$/.test(name) && !name.endsWith(".d.ts"));
	const manifest = fs.readFileSync(path.join(folder, "manifest.yaml"), "utf8");
	const said = (key) => new RegExp(`^${key}: *(.*)$`, "m").exec(manifest)?.[1].trim() ?? "";
	const text = (name) => fs.readFileSync(path.join(folder, name), "utf8");
	const scriptContent =
		files.length === 1
			? text(files[0])
			: ["manifest.yaml", ...files].map((name) => `-- ${name} --\n${text(name)}`).join("");
	const scriptLanguage = files[0].endsWith(".ts") ? "TYPESCRIPT" : "STARLARK";
	return {
		slug,
		name: said("name"),
		description: said("desc"),
		scriptLanguage,
		scriptContent,
		files: names.map((name) => path.join(folder, name)),
	};
}

/** The module "own-apps": the apps of share/apps, which the pages offer if the catalogue is empty. */
const ownApps = {
	name: "own-apps",
	setup({ onResolve, onLoad }) {
		onResolve({ filter: /^own-apps$/ }, () => ({ path: "own-apps", namespace: "own-apps" }));
		onLoad({ filter: /.*/, namespace: "own-apps" }, () => {
			const apps = fs.readdirSync(APPS).sort().map(appOf);
			const contents = JSON.stringify(apps.map(({ files: _, ...app }) => app));
			return { contents, loader: "json" };
		});
	},
};

/** The module "plain-settings": the settings without a designed place, by the schema of their body. */
const plainSettings = {
	name: "plain-settings",
	setup({ onResolve, onLoad }) {
		onResolve({ filter: /^plain-settings$/ }, ({ path }) => ({
			path,
			namespace: "plain-settings",
		}));
		onLoad({ filter: /.*/, namespace: "plain-settings" }, () => ({
			contents: JSON.stringify(plain.forms),
			loader: "json",
		}));
	},
};

const CHIPS = ["32", "32c3", "32s2", "32s3"];

/** esptool-js, for the chips that panels may have. */
const esptool = {
	name: "esptool",
	setup({ onResolve, onLoad }) {
		// The browser's own, in place of a CommonJS module.
		onResolve({ filter: /^atob-lite$/ }, ({ path }) => ({ path, namespace: "esptool" }));
		onResolve({ filter: /\/(esp|stub_flasher_)\w+\.js(on)?$/ }, ({ path: file }) => {
			const chip = /(?:esp|stub_flasher_)(\w+)\.\w+$/.exec(file)[1];
			if (!/targets\//.test(file) || CHIPS.includes(chip)) return undefined;
			return { path: "none", namespace: "esptool" };
		});
		onLoad({ filter: /^none$/, namespace: "esptool" }, () => ({ contents: "export {};" }));
		onLoad({ filter: /^atob-lite$/, namespace: "esptool" }, () => ({
			contents: "export default (text) => atob(text);",
		}));
	},
};

async function bundle() {
	const result = await build({
		absWorkingDir: SOURCE,
		entryPoints: { app: "src/main.tsx" },
		outdir: folder,
		entryNames: "[name]-[hash]",
		chunkNames: "part-[hash]",
		assetNames: "[name]-[hash]",
		bundle: true,
		splitting: true,
		format: "esm",
		target: "es2022",
		jsx: "automatic",
		jsxImportSource: "preact",
		loader: { ".webp": "dataurl" },
		plugins: [styles, ownApps, plainSettings, esptool],
		define: { DEVELOPMENT: String(mode === "--development") },
		minify: true,
		metafile: true,
		write: false,
		legalComments: "none",
		logLevel: "warning",
	});
	const shared = fs
		.readdirSync(APPS)
		.flatMap((slug) => appOf(slug).files)
		.map((file) => path.relative(SOURCE, file));
	const outputs = result.outputFiles.map((file) => ({
		name: path.basename(file.path),
		data: Buffer.from(file.contents),
	}));
	return {
		outputs,
		inputs: [
			...Object.keys(result.metafile.inputs).filter(
				(name) => !/^(own-apps|plain-settings|esptool):/.test(name),
			),
			...shared,
			...plain.inputs.map((file) => path.relative(SOURCE, file)),
		],
	};
}

/** The service worker: one file, whose URL stays. */
async function serviceWorker() {
	const result = await build({
		absWorkingDir: SOURCE,
		entryPoints: ["src/share/worker.ts"],
		outfile: path.join(folder, "worker.js"),
		bundle: true,
		format: "iife",
		target: "es2022",
		minify: true,
		metafile: true,
		write: false,
		legalComments: "none",
		logLevel: "warning",
	});
	const data = Buffer.from(result.outputFiles[0].contents);
	return { data, inputs: Object.keys(result.metafile.inputs) };
}

/** Icons with a hash in their names, and the manifest that names them. */
function installed() {
	const icons = ICON_SIZES.map((size) => {
		const data = icon(size);
		const hash = crypto.createHash("sha256").update(data).digest("hex").slice(0, 8);
		return { size, data, name: `icon-${size}-${hash}.png` };
	});
	const text = manifest(icons.map(({ size, name }) => ({ size, src: `web/assets/${name}` })));
	return { icons, manifest: Buffer.from(text) };
}

/** Loaded parts import the first script for what they share with it, so all of it is in a part, and the
 * entry does nothing but import that. Returns the part's name. */
function firstScript(outputs) {
	const entry = outputs.find((file) => /^app-.*\.js$/.test(file.name));
	const part = /^import"\.\/(part-\w+\.js)";\n?$/.exec(entry.data.toString())?.[1];
	if (!part) throw new Error(`${entry.name} does more than to import one part`);
	outputs.splice(outputs.indexOf(entry), 1);
	return part;
}

function shells(script) {
	const template = fs.readFileSync(path.join(SOURCE, "src/shell.html"), "utf8");
	return BASES.map((base, depth) => ({
		name: `shell-${depth}.html`,
		data: Buffer.from(template.replaceAll("{base}", base).replace("{script}", script)),
	}));
}

const { outputs, inputs } = await bundle();
const worker = await serviceWorker();
const app = installed();
const script = firstScript(outputs);
fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder, { recursive: true });
const lines = ["--cache-control", "public, max-age=31536000, immutable"];
for (const { name, data } of [...outputs, ...app.icons])
	lines.push(`/web/assets/${name}=${write(name, data)}`);
lines.push("--cache-control", "no-cache");
for (const { name, data } of shells(script)) lines.push(`${name}=${write(name, data)}`);
lines.push(`/worker.js=${write("worker.js", worker.data)}`);
lines.push(`/manifest.webmanifest=${write("manifest.webmanifest", app.manifest)}`);
fs.writeFileSync(list, `${lines.join("\n")}\n`);
const used = [
	...inputs,
	...worker.inputs,
	"src/shell.html",
	"build.mjs",
	"installed.mjs",
	"package-lock.json",
];
const names = used.map((name) => path.join(SOURCE, name).replaceAll(" ", "\\ "));
fs.writeFileSync(depfile, `${list}: ${names.join(" ")}\n`);
