import { signal } from "@preact/signals";

/** The time, updated every second; for countdowns. */
export const nowMs = signal(Date.now());
setInterval(() => {
	if (document.visibilityState === "visible") nowMs.value = Date.now();
}, 1_000);

/** The time, updated twice a minute; for relative times. */
export const calmNowMs = signal(Date.now());
setInterval(() => (calmNowMs.value = Date.now()), 30_000);
