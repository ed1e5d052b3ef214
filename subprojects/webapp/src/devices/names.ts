import { useEffect, useRef, useState } from "preact/hooks";
import { get, type Schemas } from "../api/client";
import { panelNews } from "../api/live";
import { useResource } from "../api/resource";
import { WATCHED_MAX } from "../stream/wants";
import type { Called } from "./words";

export interface EntryName extends Called {
	isFailing: boolean;
}

/** Names of the entries of devices, by the devices' IDs. */
export type EntryNames = ReadonlyMap<string, readonly EntryName[]>;

const NOTHING: EntryNames = new Map();
/** Panels are loaded first: names wait this long, unless a panel shows an entry with a name of its
 * own. */
const REST_MS = 1_000;
/** There is no event for a failed render. */
const AGAIN_MS = 30_000;

type Names = Schemas["EntryNames"]["entries"];

function byDevice(list: Names): EntryNames {
	const all = new Map<string, EntryName[]>();
	for (const { deviceId, ...entry } of list)
		all.set(deviceId, [...(all.get(deviceId) ?? []), entry]);
	return all;
}

/** Whether one of these panels shows an entry that has another name than its ID, as far as known. */
function showsApp(ids: readonly string[], names: EntryNames): boolean {
	return ids.some((id) => {
		const news = panelNews(id).value;
		return [news?.installationId, news?.next?.installationId].some(
			(shown) =>
				typeof shown === "string" &&
				shown.length === 36 &&
				!names.get(id)?.some(({ installationId }) => installationId === shown),
		);
	});
}

/** Loads the names of the entries of some devices, and which of their apps fail. */
export function useEntryNames(devices: readonly string[]): EntryNames {
	const ids = devices.slice(0, WATCHED_MAX);
	const wanted = useRef(ids);
	wanted.current = ids;
	const [isDue, setDue] = useState(false);
	const due = useRef(false);
	due.current = isDue;
	const resource = useResource(async () => {
		if (!due.current || wanted.current.length === 0) return [];
		return (await get("/web/entries", { devices: wanted.current })).entries;
	}, [...ids.map((id) => `rotation:${id}`), "apps"]);
	const [names, setNames] = useState(NOTHING);
	const list = resource.value.value;
	useEffect(() => setNames(list ? byDevice(list) : NOTHING), [list]);
	const shows = showsApp(ids, names);
	useEffect(() => {
		if (isDue) return undefined;
		const timer = setTimeout(() => setDue(true), shows ? 0 : REST_MS);
		return () => clearTimeout(timer);
	}, [isDue, shows]);
	useEffect(() => {
		if (!isDue) return undefined;
		void resource.refresh();
		const timer = setInterval(() => {
			if (document.visibilityState === "visible") void resource.refresh();
		}, AGAIN_MS);
		return () => clearInterval(timer);
	}, [isDue, ids.join()]);
	return names;
}
