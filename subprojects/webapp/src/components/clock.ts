import { signal } from "@preact/signals";

/** The time, every second; for what is counted down. */
export const nowMs = signal(Date.now());
setInterval(() => {
	if (document.visibilityState === "visible") nowMs.value = Date.now();
}, 1_000);

/** The time, twice a minute; for times as people say them. */
export const calmNowMs = signal(Date.now());
setInterval(() => (calmNowMs.value = Date.now()), 30_000);
