import { signal } from "@preact/signals";
import { base } from "../frame/place";

/** The browser's offer to install the pages as an app; not all browsers make one. */
export interface InstallOffer extends Event {
	prompt: () => Promise<unknown>;
}

export const installOffer = signal<InstallOffer | undefined>();

/** Browsers offer it once, early. */
export function watchInstallOffer(): void {
	addEventListener("beforeinstallprompt", (event) => {
		installOffer.value = event as InstallOffer;
	});
}

/** Whether the browser may install the pages: over https, or on this machine. */
export function canInstall(): boolean {
	return isSecureContext && "serviceWorker" in navigator;
}

export async function startServiceWorker(): Promise<void> {
	if (canInstall()) await navigator.serviceWorker.register(new URL("worker.js", base));
}
