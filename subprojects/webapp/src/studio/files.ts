/** The line that begins a file of a script that has several (txtar). */
const HEADER = /^-- (.+?) --$/;

/**
 * Returns the line in the whole script of a line in one of its files. A script without file headers
 * is one file; undefined: no file has this name.
 */
export function lineInScript(
	script: string,
	file: string | null,
	line: number,
): number | undefined {
	const lines = script.split(/\r\n?|\n/);
	const headers = lines.flatMap((text, at) => {
		const name = HEADER.exec(text)?.[1];
		return name === undefined ? [] : [{ name, at }];
	});
	// Same rule as in the engines: a script is one file unless it begins with a header,
	// comments aside.
	const first = lines.findIndex((text) => !/^\s*(#|$)/.test(text));
	if (headers.length === 0 || headers[0]?.at !== first)
		return line <= lines.length ? line : undefined;
	const named = headers.find(({ name }) => name === file);
	const baseName = (name: string) => name.slice(name.lastIndexOf("/") + 1);
	const found =
		named ?? headers.find(({ name }) => file !== null && baseName(name) === baseName(file));
	return found === undefined ? undefined : found.at + 1 + line;
}
