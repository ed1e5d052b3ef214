import { base } from "../frame/place";
import type { Source, SourceEvents } from "./leader";
import type { MemberMeans, Word } from "./member";
import { parseNews } from "./news";

const NAMES = ["panel", "changed", "bye", "away", "back"];
/** Name of the lock and the channel: one for each server of this origin, by its base path. */
const CHANNEL = `displayd.stream ${base.pathname}`;
/** A tab that leads only while it is visible ends its stream this long after it is hidden. */
const HIDDEN_MS = 30_000;

function openSource(ids: readonly string[], events: SourceEvents): Source {
	// A comma needs no escape in a query, but URLSearchParams escapes it.
	const query = ids.length > 0 ? `?devices=${ids.map(encodeURIComponent).join(",")}` : "";
	const url = new URL(`web/events${query}`, base);
	const source = new EventSource(url);
	source.onopen = () => events.onOpen();
	// EventSource would retry by itself, but does not find out when the server is back.
	source.onerror = () => events.onEnd();
	source.addEventListener("ping", () => events.onPing());
	for (const name of NAMES) {
		source.addEventListener(name, (event: MessageEvent<string>) => {
			const news = parseNews(name, event.data);
			if (news) events.onNews(news);
		});
	}
	return source;
}

function later(call: () => void, ms: number): () => void {
	const timer = setTimeout(call, ms);
	return () => clearTimeout(timer);
}

/** Makes one tab at a time the leader: the tab that holds the lock, until that ends. */
function leadByLock(locks: LockManager, call: () => void): () => void {
	const stopped = new AbortController();
	let release: (() => void) | undefined;
	locks
		.request(CHANNEL, { signal: stopped.signal }, () => {
			call();
			return new Promise<void>((resolve) => (release = resolve));
		})
		.catch(() => undefined); // it was ended before it was granted
	return () => {
		stopped.abort();
		release?.();
	};
}

/**
 * Returns the browser's means for a Member. Browsers grant locks to https and localhost only:
 * elsewhere each tab has a stream of its own, while it is visible.
 */
export function browserMeans(hear: (word: Word) => void): MemberMeans & {
	canShare: boolean;
	end: () => void;
} {
	// Its type says that it always exists, but it does not.
	const locks = navigator.locks as LockManager | undefined;
	const channel = locks ? new BroadcastChannel(CHANNEL) : undefined;
	if (channel) channel.onmessage = ({ data }: MessageEvent<Word>) => hear(data);
	return {
		tab: crypto.getRandomValues(new Uint32Array(2)).join("-"),
		say: (word) => channel?.postMessage(word),
		lead: (call) => {
			if (locks) return leadByLock(locks, call);
			call();
			return () => undefined;
		},
		open: openSource,
		later,
		// Continues while the machine sleeps.
		nowMs: () => Date.now(),
		canShare: channel !== undefined,
		end: () => channel?.close(),
	};
}

/** Calls back with whether the tab is visible, or was until HIDDEN_MS ago; the result ends that. */
export function watchVisibility(call: (isSeen: boolean) => void): () => void {
	let stop: (() => void) | undefined;
	const look = () => {
		stop?.();
		if (document.visibilityState === "visible") call(true);
		else stop = later(() => call(false), HIDDEN_MS);
	};
	look();
	document.addEventListener("visibilitychange", look);
	return () => {
		stop?.();
		document.removeEventListener("visibilitychange", look);
	};
}

/** Calls back when the tab becomes visible again, or the machine has a network again; the result
 * ends that. */
export function watchWaking(call: () => void): () => void {
	const ended = new AbortController();
	const { signal } = ended;
	const look = () => {
		if (document.visibilityState === "visible") call();
	};
	document.addEventListener("visibilitychange", look, { signal });
	document.addEventListener("resume", call, { signal });
	addEventListener("focus", look, { signal });
	addEventListener("online", call, { signal });
	return () => ended.abort();
}
