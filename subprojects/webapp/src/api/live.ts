import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { browserMeans, watchVisibility, watchWaking } from "../stream/browser";
import { Member } from "../stream/member";
import type { News, PanelNews } from "../stream/news";
import { isAway } from "./client";

/** Whether the server streams changes; otherwise pages poll. */
export const isStreaming = signal(false);
/** Whether the shown state of panels may be outdated. */
export const isOld = computed(() => isAway.value || !isStreaming.value);
/** Called if the session may have ended, or if the data of /web/start has changed. */
export const onStartChanged: { call: () => void } = { call: () => undefined };

const panels = new Map<string, Signal<PanelNews | undefined>>();
const listeners = new Set<(topic: string | undefined) => void>();
/** Number of parts of this tab's page that show each device. */
const shown = new Map<string, number>();
let member: Member | undefined;
let isSeen = true;

function panelSignal(id: string): Signal<PanelNews | undefined> {
	const known = panels.get(id);
	if (known) return known;
	const made = signal<PanelNews>();
	panels.set(id, made);
	return made;
}

/** Latest news of a panel; undefined: none yet. Updated only while useWatch() has the device. */
export function panelNews(id: string): ReadonlySignal<PanelNews | undefined> {
	return panelSignal(id);
}

/** Calls back with each topic that has changed; undefined: any may have. The result ends that. */
export function onChanged(call: (topic: string | undefined) => void): () => void {
	listeners.add(call);
	return () => listeners.delete(call);
}

function say(topic: string | undefined): void {
	for (const call of listeners) call(topic);
}

function hear(news: News): void {
	switch (news.event) {
		case "panel":
			panelSignal(news.data.deviceId).value = news.data;
			break;
		case "changed":
			if (news.topic === "account") onStartChanged.call();
			say(news.topic);
			break;
		case "bye":
			onStartChanged.call();
			break;
		case "away":
			isAway.value = true;
			break;
		case "back":
			onStartChanged.call();
			break;
	}
}

function want(): void {
	member?.want(isSeen ? [...shown.keys()] : []);
}

/** Watches the devices as long as the component is mounted. */
export function useWatch(ids: readonly string[]): void {
	const key = ids.join();
	useLayoutEffect(() => {
		const mine = key === "" ? [] : key.split(",");
		for (const id of mine) shown.set(id, (shown.get(id) ?? 0) + 1);
		want();
		return () => {
			for (const id of mine) {
				const count = (shown.get(id) ?? 1) - 1;
				if (count > 0) shown.set(id, count);
				else shown.delete(id);
			}
			// The next page sets its devices in the same turn.
			queueMicrotask(want);
		};
	}, [key]);
}

/** Opens the server's stream until the result is called; needs a signed-in user. */
export function startStream(): () => void {
	const join = () => {
		const means = browserMeans((word) => made.hear(word));
		const made = new Member(means, {
			onNews: hear,
			onUp: (isUp, isResumed) => {
				isStreaming.value = isUp;
				// The server may be unreachable; this checks it.
				if (!isUp) onStartChanged.call();
				else if (isResumed) say(undefined);
			},
		});
		return {
			member: made,
			leave: () => {
				made.close();
				means.end();
				member = undefined;
				isStreaming.value = false;
			},
			canShare: means.canShare,
		};
	};
	let here: ReturnType<typeof join> | undefined;
	const come = () => {
		here ??= join();
		member = here.member;
		want();
	};
	const leave = () => {
		here?.leave();
		here = undefined;
	};
	const stopWatching = watchVisibility((seen) => {
		isSeen = seen;
		if (seen || here?.canShare) come();
		else leave();
	});
	const stopWaking = isAway.subscribe((away) => {
		if (!away) member?.wake();
	});
	const stopLooking = watchWaking(() => member?.wake());
	// A page in the browser's back-forward cache must not hold the stream.
	const show = (event: PageTransitionEvent) => {
		if (event.persisted) come();
	};
	addEventListener("pagehide", leave);
	addEventListener("pageshow", show);
	return () => {
		removeEventListener("pagehide", leave);
		removeEventListener("pageshow", show);
		stopWatching();
		stopWaking();
		stopLooking();
		leave();
		panels.clear();
	};
}
