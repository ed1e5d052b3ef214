import { effect, signal, type ReadonlySignal } from "@preact/signals";
import { useLayoutEffect, useState } from "preact/hooks";
import { isAway, Problem } from "./client";
import { isStreaming, onChanged } from "./live";

/** Interval while the page is visible. Unchanged resources cost little: the answer is 304. */
const REFRESH_MS = 5_000;
/** Interval for resources with topics, while the stream is down. */
const REFRESH_TOLD_MS = 15_000;
/** Delay of one more request after the stream begins, since changes after the last answer were
 * missed. */
const CATCH_UP_MS = 1_000;
/** Delay of the first request while the stream begins: an answer before that is asked for again. */
const FIRST_MS = 150;
/** Changes come in quick succession: while a slider moves, or while several browsers are used. */
const REST_MS = 250;

export interface Resource<T> {
	/** Undefined until the first answer. */
	value: ReadonlySignal<T | undefined>;
	problem: ReadonlySignal<Problem | undefined>;
	/** Requests the value now, such as after a change. */
	refresh: () => Promise<void>;
	/** Sets a value that is known before the server has sent it. */
	set: (value: T) => void;
}

function makeResource<T>(load: () => Promise<T>, known: T | undefined): Resource<T> {
	const value = signal(known);
	const problem = signal<Problem>();
	const refresh = async () => {
		try {
			const next = await load();
			if (JSON.stringify(next) !== JSON.stringify(value.value)) value.value = next;
			problem.value = undefined;
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			problem.value = error;
		}
	};
	const set = (next: T) => {
		value.value = next;
	};
	return { value, problem, refresh, set };
}

/** Limits refreshes to one at a time and one per REST_MS; a request in between is done later. */
function calm(refresh: () => Promise<void>): { wish: () => void; end: () => void } {
	let isWished = false;
	let isResting = false;
	let timer = 0;
	const run = async () => {
		isWished = false;
		isResting = true;
		await refresh();
		timer = window.setTimeout(() => {
			isResting = false;
			if (isWished) void run();
		}, REST_MS);
	};
	return {
		wish: () => {
			isWished = true;
			if (!isResting) void run();
		},
		end: () => clearTimeout(timer),
	};
}

/** Refreshes whenever the value may have changed; the result ends that. */
function keepFresh(
	resource: { refresh: () => Promise<void>; problem: ReadonlySignal<Problem | undefined> },
	topics: readonly string[],
): () => void {
	const { wish, end } = calm(resource.refresh);
	let isStale = true;
	let isAsked = false;
	/** All changes since the last refresh were received. */
	let isHearing = false;
	const look = () => {
		if (document.visibilityState !== "visible") isStale = true;
		else {
			isStale = false;
			isAsked = true;
			isHearing = isStreaming.peek();
			wish();
		}
	};
	const isTold = topics.length > 0;
	if (!isTold || isStreaming.peek()) look();
	const first = setTimeout(() => {
		if (!isAsked) look();
	}, FIRST_MS);
	const stopTimer = effect(() => {
		if (isTold && isStreaming.value) {
			if (isHearing) return undefined;
			const once = setTimeout(look, isAsked ? CATCH_UP_MS : 0);
			return () => clearTimeout(once);
		}
		const timer = setInterval(look, isTold ? REFRESH_TOLD_MS : REFRESH_MS);
		return () => clearInterval(timer);
	});
	const stopHearing = onChanged((topic) => {
		if (topic === undefined || topics.includes(topic)) look();
	});
	const stopAway = isAway.subscribe((away) => {
		if (!away && resource.problem.value) look();
	});
	const turn = () => {
		if (isStale || !isTold || !isStreaming.value) look();
	};
	document.addEventListener("visibilitychange", turn);
	return () => {
		end();
		clearTimeout(first);
		stopTimer();
		stopHearing();
		stopAway();
		document.removeEventListener("visibilitychange", turn);
	};
}

/**
 * A value of the server that is shown and kept current: requested again when one of the topics has
 * changed, or, without topics, every few seconds.
 */
export function useResource<T>(
	load: () => Promise<T>,
	topics: readonly string[] = [],
	/** Value to show until the first answer. */
	known?: T,
): Resource<T> {
	const [resource] = useState(() => makeResource(load, known));
	const named = topics.join();
	// Before the page is painted, so that the request is sent a frame earlier.
	useLayoutEffect(
		() => keepFresh(resource, named === "" ? [] : named.split(",")),
		[resource, named],
	);
	return resource;
}
