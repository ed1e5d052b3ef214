/** A server's stream watches no more devices. */
export const WATCHED_MAX = 200;
/** Browsers let the timers of hidden tabs run once a minute. */
const SILENT_MS = 150_000;

interface Want {
	ids: readonly string[];
	heardMs: number;
}

/** Which devices the tabs of a browser show. */
export class Wants {
	/** In the order in which they spoke. */
	private readonly tabs = new Map<string, Want>();

	set(tab: string, ids: readonly string[], nowMs: number): void {
		this.tabs.delete(tab);
		this.tabs.set(tab, { ids, heardMs: nowMs });
	}

	drop(tab: string): void {
		this.tabs.delete(tab);
	}

	/** Forgets tabs that have said nothing for long: they crashed. */
	expire(nowMs: number): void {
		for (const [tab, { heardMs }] of this.tabs)
			if (nowMs - heardMs > SILENT_MS) this.tabs.delete(tab);
	}

	/** What any of them shows; where that is too much, the tabs that spoke last have it. */
	union(): Set<string> {
		const all = new Set<string>();
		for (const { ids } of [...this.tabs.values()].reverse())
			for (const id of ids) if (all.size < WATCHED_MAX) all.add(id);
		return all;
	}
}
