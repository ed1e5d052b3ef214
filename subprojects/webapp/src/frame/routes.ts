/** Parameters in the path of a page: "ID" of "devices/ID" by the name "id" of "devices/{id}". */
export type Parameters = Readonly<Record<string, string>>;

function matchOne(pattern: string, path: string): Parameters | undefined {
	const wanted = pattern.split("/");
	const given = path.split("/");
	if (wanted.length !== given.length) return undefined;
	const parameters: Record<string, string> = {};
	for (const [i, part] of wanted.entries()) {
		const text = given[i] ?? "";
		const name = /^\{(\w+)\}$/.exec(part)?.[1];
		if (name === undefined ? part !== text : text === "") return undefined;
		try {
			if (name !== undefined) parameters[name] = decodeURIComponent(text);
		} catch {
			return undefined; // not UTF-8: no such page
		}
	}
	return parameters;
}

/** Returns the first matching pattern and the path's parameters; undefined: there is no such page. */
export function matchRoute<T>(
	routes: Readonly<Record<string, T>>,
	path: string,
): { route: T; parameters: Parameters } | undefined {
	for (const [pattern, route] of Object.entries(routes)) {
		const parameters = matchOne(pattern, path);
		if (parameters) return { route, parameters };
	}
	return undefined;
}
