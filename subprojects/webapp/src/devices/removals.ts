import { signal } from "@preact/signals";

/** Time in which a removal can be undone. */
export const UNDO_MS = 10_000;

type Send = (isLeaving: boolean) => void;

/** Things that are removed on the page, and not yet on the server. */
export const removed = signal<ReadonlyMap<string, Send>>(new Map());

function take(key: string): Send | undefined {
	const rest = new Map(removed.value);
	const send = rest.get(key);
	rest.delete(key);
	removed.value = rest;
	return send;
}

/** Removes from the page now, and from the server when it is too late for undo. Returns undo. */
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

/** The server has done it, or refused to: what it says holds. */
export function settleRemoval(key: string): void {
	take(key);
}

/** Whoever leaves the page has decided. */
addEventListener("pagehide", () => {
	for (const key of removed.value.keys()) take(key)?.(true);
});
