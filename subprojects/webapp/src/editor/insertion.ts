import type { Language } from "./language";

/** A change of a text. */
export interface Insertion {
	from: number;
	to?: number;
	insert: string;
}

/** The line that begins a file of a script that has several (txtar). */
const HEADER = /^-- .+? --$/gm;
const LIBRARY = /import\s*(?:type\s*)?\{([^}]*)\}\s*from\s*["']panel["']/;

/** Returns the part of the script that is the file of a place in it. */
function fileOf(text: string, at: number): { from: number; to: number } {
	const headers = [...text.matchAll(HEADER)];
	const before = headers.filter(({ index }) => index < at).at(-1);
	const after = headers.find(({ index }) => index >= at);
	return {
		from: before ? Math.min(text.length, before.index + before[0].length + 1) : 0,
		to: after?.index ?? text.length,
	};
}

function all(pattern: RegExp, code: string): string[] {
	return [...new Set([...code.matchAll(pattern)].map(([, name = ""]) => name))];
}

/** Returns the loads of the modules that the code needs and the file lacks. */
function loadsFor(code: string, file: string, start: number): Insertion[] {
	const missing = all(/\b(animation|filter|render|schema)\.[A-Z]/g, code).filter(
		(name) => !new RegExp(`^load\\(\\s*"${name}\\.star"`, "m").test(file),
	);
	const insert = missing.map((name) => `load("${name}.star", "${name}")\n`).join("");
	// Below the comment with which the file begins.
	const below = /^(?:[ \t]*#.*\n|[ \t]*\n)*/.exec(file)?.[0].length ?? 0;
	return insert === "" ? [] : [{ from: start + below, insert }];
}

/** Returns the imports that the code needs and the file lacks. */
function importsFor(code: string, file: string, start: number): Insertion[] {
	const needed = [
		...all(/(?<![.\w])([A-Z]\w+)\(/g, code),
		...all(/\b(animation|filter|form)\.[A-Z]/g, code),
	];
	const found = LIBRARY.exec(file);
	const known = (found?.[1] ?? "").split(",").map((name) => name.trim());
	const missing = needed.filter((name) => !known.includes(name));
	if (missing.length === 0) return [];
	const words = missing.join(", ");
	if (!found) return [{ from: start, insert: `import { ${words} } from "panel";\n` }];
	const opened = found.index + found[0].indexOf("{") + 1;
	const names = (found[1] ?? "").trimEnd();
	const comma = names === "" || names.endsWith(",") ? "" : ",";
	return [{ from: start + opened + names.length, insert: `${comma} ${words}` }];
}

/** Returns the changes that put code in place of a part of the script, with the imports that it needs. */
export function insertionOf(
	text: string,
	place: { from: number; to: number },
	language: Language,
	code: string,
): Insertion[] {
	const { from, to } = fileOf(text, place.from);
	const needs = language === "STARLARK" ? loadsFor : importsFor;
	return [...needs(code, text.slice(from, to), from), { ...place, insert: code }];
}
