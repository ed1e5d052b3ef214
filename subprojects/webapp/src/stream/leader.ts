import type { News, PanelNews } from "./news";
import { Wants } from "./wants";

/** A connection to the server's stream. */
export interface Source {
	close(): void;
}

export interface SourceEvents {
	onOpen(): void;
	onNews(news: News): void;
	/** Called for a ping: no news, but the connection works. */
	onPing(): void;
	/** Reports the end of the stream: the server is unreachable, or refuses it. */
	onEnd(): void;
}

/** Functions of the browser that the leader uses. */
export interface LeaderMeans {
	open(ids: readonly string[], events: SourceEvents): Source;
	/** Calls back once, later; the result cancels that. */
	later(call: () => void, ms: number): () => void;
	nowMs(): number;
}

export interface LeaderEvents {
	onNews(news: News): void;
	/** isResumed: changes meanwhile were missed. */
	onUp(isUp: boolean, isResumed: boolean): void;
}

/** Delay before opening a stream, to combine the devices of several calls. */
const SETTLE_MS = 1;
/** Delay without any device: the page's list of devices may still be loading. */
const SETTLE_EMPTY_MS = 500;
/** Delay before no longer watching an unwanted device: a tab may soon want it again. */
const SHRINK_MS = 30_000;
/** The server sends something every 15 s: a connection that is silent for this long is dead, even if
 * it seems open. */
const SILENT_MS = 45_000;
const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 30_000;

/** The one stream of a browser. It is opened anew when more devices are to be watched. */
export class Leader {
	private readonly wants = new Wants();
	private readonly last = new Map<string, PanelNews>();
	private current: Source | undefined;
	/** Devices of the open stream, or of the one being opened. */
	private watched: Set<string> | undefined;
	/** Stream being opened; the current one is closed when this is open, so that nothing is missed. */
	private coming: Source | undefined;
	private stopWaiting: (() => void) | undefined;
	private dueMs = Infinity;
	private heardMs = 0;
	private stopListening: (() => void) | undefined;
	private retryMs = RETRY_FIRST_MS;
	private wasLost = false;
	private isClosed = false;

	constructor(
		private readonly means: LeaderMeans,
		private readonly events: LeaderEvents,
	) {
		this.plan(SETTLE_EMPTY_MS);
	}

	/** Sets the devices that one tab shows. Repeats the latest news about them. */
	want(tab: string, ids: readonly string[]): void {
		this.wants.set(tab, ids, this.means.nowMs());
		for (const id of ids) {
			const data = this.last.get(id);
			if (data && this.current) this.events.onNews({ event: "panel", data });
		}
		this.review();
	}

	drop(tab: string): void {
		this.wants.drop(tab);
		this.review();
	}

	/** Tries now, since the server is reachable again, or the tab visible. */
	wake(): void {
		const isSilent = this.means.nowMs() - this.heardMs >= SILENT_MS;
		if (this.coming && isSilent) this.lose(this.coming);
		if (this.current && isSilent) this.lose(this.current);
		if (!this.current && !this.coming) {
			this.retryMs = RETRY_FIRST_MS;
			this.plan(0);
		}
	}

	close(): void {
		this.isClosed = true;
		this.stopWaiting?.();
		this.stopListening?.();
		this.coming?.close();
		this.current?.close();
	}

	/** Called for everything received: restarts the timeout for silence. */
	private note(): void {
		this.heardMs = this.means.nowMs();
		this.stopListening?.();
		this.stopListening = this.means.later(() => {
			const silent = this.current ?? this.coming;
			if (this.coming) this.lose(this.coming);
			if (silent && silent === this.current) this.lose(silent);
		}, SILENT_MS);
	}

	private review(): void {
		const { watched } = this;
		const union = this.wants.union();
		// A stream that opens later, or is retried, watches the devices wanted then.
		if (!watched) {
			if (!this.wasLost && union.size > 0) this.plan(SETTLE_MS);
			return;
		}
		if ([...union].some((id) => !watched.has(id))) this.plan(SETTLE_MS);
		else if (union.size < watched.size) this.plan(SHRINK_MS);
	}

	/** Opens a stream after this time, or earlier if that is planned already. */
	private plan(ms: number): void {
		const dueMs = this.means.nowMs() + ms;
		if (this.isClosed || dueMs >= this.dueMs) return;
		this.stopWaiting?.();
		this.dueMs = dueMs;
		this.stopWaiting = this.means.later(() => {
			this.dueMs = Infinity;
			this.open();
		}, ms);
	}

	private open(): void {
		this.wants.expire(this.means.nowMs());
		const watched = this.wants.union();
		const isSame =
			watched.size === this.watched?.size && [...watched].every((id) => this.watched?.has(id));
		if (isSame) return;
		this.coming?.close();
		this.watched = watched;
		for (const id of this.last.keys()) if (!watched.has(id)) this.last.delete(id);
		const source: Source = this.means.open([...watched], {
			onOpen: () => this.arrive(source),
			onNews: (news) => this.hear(source, news),
			onPing: () => {
				if (source === this.current) this.note();
			},
			onEnd: () => this.lose(source),
		});
		this.coming = source;
		if (!this.current) this.note();
	}

	private arrive(source: Source): void {
		if (source !== this.coming) return;
		this.current?.close();
		this.current = source;
		this.coming = undefined;
		this.retryMs = RETRY_FIRST_MS;
		this.note();
		this.events.onUp(true, this.wasLost);
		this.wasLost = false;
		this.review();
	}

	private hear(source: Source, news: News): void {
		if (source !== this.current && source !== this.coming) return;
		this.note();
		if (news.event === "panel") this.last.set(news.data.deviceId, news.data);
		this.events.onNews(news);
	}

	private lose(source: Source): void {
		source.close();
		if (source === this.coming) this.coming = undefined;
		else if (source === this.current) this.current = undefined;
		else return;
		this.watched = undefined;
		if (!this.current) {
			this.wasLost = true;
			this.coming?.close();
			this.coming = undefined;
			this.last.clear();
			this.events.onUp(false, false);
		}
		this.plan(this.retryMs * (0.75 + Math.random() / 2));
		this.retryMs = Math.min(this.retryMs * 2, RETRY_MAX_MS);
	}
}
