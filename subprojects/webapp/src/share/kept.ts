const CACHE = "displayd-shared";
/** More than any picture that the pages take. */
const BYTES_MAX = 50_000_000;
const NAME = "X-Name";

/**
 * Keeps a picture that another app shares, until it is shown or another one comes. It stays in this
 * browser: the server gets only what a person pushes.
 */
export async function keepShared(file: File, place: string): Promise<void> {
	await caches.delete(CACHE);
	if (file.size > BYTES_MAX) return;
	const cache = await caches.open(CACHE);
	const headers = { "Content-Type": file.type, [NAME]: encodeURIComponent(file.name) };
	await cache.put(place, new Response(file, { headers }));
}

/** Returns the kept picture; undefined: there is none. */
export async function findShared(): Promise<File | undefined> {
	if (!("caches" in globalThis) || !(await caches.has(CACHE))) return undefined;
	const cache = await caches.open(CACHE);
	const [place] = await cache.keys();
	const kept = place && (await cache.match(place));
	if (!kept) return undefined;
	const name = decodeURIComponent(kept.headers.get(NAME) ?? "");
	return new File([await kept.blob()], name || "picture");
}

export async function forgetShared(): Promise<void> {
	if ("caches" in globalThis) await caches.delete(CACHE);
}
