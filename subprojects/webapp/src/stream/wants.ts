/** The server's limit of devices per stream. */
export const WATCHED_MAX = 200;
/** Browsers let the timers of hidden tabs run once a minute. */
const SILENT_MS = 150_000;

interface Want {
	ids: readonly string[];
	heardMs: number;
}

/** Devices that the tabs of a browser show. */
export class Wants {
	/** Tabs, the one heard last at the end. */
	private readonly tabs = new Map<string, Want>();

	set(tab: string, ids: readonly string[], nowMs: number): void {
		this.tabs.delete(tab);
		this.tabs.set(tab, { ids, heardMs: nowMs });
	}

	drop(tab: string): void {
		this.tabs.delete(tab);
	}

	/** Removes tabs that have been silent for long: they crashed. */
	expire(nowMs: number): void {
		for (const [tab, { heardMs }] of this.tabs)
			if (nowMs - heardMs > SILENT_MS) this.tabs.delete(tab);
	}

	/** Returns the devices of all tabs; if they are too many, those of the tabs heard last. */
	union(): Set<string> {
		const all = new Set<string>();
		for (const { ids } of [...this.tabs.values()].reverse())
			for (const id of ids) if (all.size < WATCHED_MAX) all.add(id);
		return all;
	}
}
