import type { Schemas } from "../api/client";

type Preview = Pick<Schemas["DraftPreview"], "hosts" | "fields">;

/** Hosts that a version may reach, and secrets that it asks for. */
export interface Reach {
	hosts: readonly string[];
	/** By the IDs of their fields. */
	secrets: ReadonlyMap<string, string>;
}

/** Host of an address in a script, with parts that the script fills in, such as "{city}.example.org". */
const ADDRESS =
	/\b(?:https?|wss?):\/\/(?:[^\s"'`/?#\\<>()@]*@)?([^\s"'`/?#\\<>()[\]:,;]+|\[[\d:a-f.]+\])/gi;

/** Returns the hosts whose addresses stand in a script, sorted. */
export function hostsIn(script: string): string[] {
	const found = [...script.matchAll(ADDRESS)].map(([, host = ""]) =>
		host.toLowerCase().replace(/\.+$/, ""),
	);
	return [...new Set(found)].filter((host) => host !== "").sort();
}

/** Finds what the script names, and what its preview has asked, as far as there is one. */
export function reachOf(script: string, preview: Preview | undefined): Reach {
	const hosts = new Set([...hostsIn(script), ...(preview?.hosts ?? [])]);
	const secrets = (preview?.fields ?? []).filter(({ secret }) => secret);
	return {
		hosts: [...hosts].sort(),
		secrets: new Map(secrets.map(({ id, name }) => [id, name === "" ? id : name])),
	};
}

/** Returns what the version before it neither reaches nor asks. */
export function newIn(after: Reach, before: Reach | undefined): Reach {
	const known = new Set(before?.hosts);
	return {
		hosts: after.hosts.filter((host) => !known.has(host)),
		secrets: new Map([...after.secrets].filter(([id]) => !before?.secrets.has(id))),
	};
}
