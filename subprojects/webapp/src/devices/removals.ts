import { signal } from "@preact/signals";

/** Time in which a removal can be undone. */
export const UNDO_MS = 10_000;

type Send = (isLeaving: boolean) => void;

/** Things that are removed on the page, but not yet on the server. */
export const removed = signal<ReadonlyMap<string, Send>>(new Map());

function take(key: string): Send | undefined {
	const rest = new Map(removed.value);
	const send = rest.get(key);
	rest.delete(key);
	removed.value = rest;
	return send;
}

/** Removes a thing from the page now, and from the server after UNDO_MS. Returns a function that
 * undoes it. */
export function removeLater(key: string, send: Send): () => void {
	removed.value = new Map(removed.value).set(key, send);
	const timer = setTimeout(() => {
		removed.value.get(key)?.(false);
	}, UNDO_MS);
	return () => {
		clearTimeout(timer);
		take(key);
	};
}

/** The server has removed it, or refused to: its answer counts. */
export function settleRemoval(key: string): void {
	take(key);
}

/** Leaving the page ends the time for undo. */
addEventListener("pagehide", () => {
	for (const key of removed.value.keys()) take(key)?.(true);
});
