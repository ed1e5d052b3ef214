/** Program that asks the host of an address: a webhook or an MQTT connection of the account, or an app. */
export type Asker = "account" | "app";

/** Form of an app's setting that is taken for a host without "http://": a name of the home, or numbers. */
const HOME = /^(?:localhost|.*\.local|[\d.]+\.\d+|\[.*\])$/i;

/** Returns the host of an address that is being typed, without brackets; undefined: it has none yet. */
export function hostOf(text: string, asker: Asker): string | undefined {
	const parts = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/?#\s]*)/i.exec(text.trim());
	const host = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(parts?.[2] ?? "")?.[1];
	if (!host || (asker === "app" && parts?.[1] === undefined && !HOME.test(host))) return undefined;
	return host.replace(/^\[|\]$/g, "");
}
