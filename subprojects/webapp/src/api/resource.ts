import { signal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { isAway, Problem } from "./client";

/** While the page is looked at. What has not changed is answered with 304, which costs little. */
const REFRESH_MS = 5_000;

export interface Resource<T> {
	/** Undefined until the first answer. */
	value: ReadonlySignal<T | undefined>;
	problem: ReadonlySignal<Problem | undefined>;
	/** Asks now; for after a change. */
	refresh: () => Promise<void>;
	/** What is known to be so before the server has said it. */
	set: (value: T) => void;
}

/** Something of the server's that is shown, and kept as it is there. */
export function useResource<T>(load: () => Promise<T>): Resource<T> {
	const [resource] = useState(() => {
		const value = signal<T>();
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
	});
	useEffect(() => {
		const look = () => {
			if (document.visibilityState === "visible") void resource.refresh();
		};
		look();
		const timer = setInterval(look, REFRESH_MS);
		const stop = isAway.subscribe((away) => {
			if (!away && resource.problem.value) look();
		});
		document.addEventListener("visibilitychange", look);
		return () => {
			clearInterval(timer);
			stop();
			document.removeEventListener("visibilitychange", look);
		};
	}, [resource]);
	return resource;
}
