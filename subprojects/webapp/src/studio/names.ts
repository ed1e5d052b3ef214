/** Returns an own app's name in URLs: an imported app may have the slug of another app. */
export function ownPathOf(app: { id: string; slug: string; collection?: string }): string {
	return app.collection === undefined ? app.slug : app.id;
}

/** Makes a slug from a name; "" if no character of it is allowed in a slug. */
export function slugOf(name: string): string {
	return name
		.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "-")
		.slice(0, 64)
		.replace(/^-+|-+$/g, "");
}

/** Suggests the name of the next version: its last number is one more. */
export function nextVersion(last: string | undefined): string {
	if (last === undefined) return "1.0";
	const parts = /^(.*?)(\d+)(\D*)$/.exec(last);
	if (!parts) return "";
	const [, before = "", number = "", after = ""] = parts;
	return `${before}${BigInt(number) + 1n}${after}`.slice(0, 64);
}
