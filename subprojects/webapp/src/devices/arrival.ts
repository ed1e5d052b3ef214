import { signal } from "@preact/signals";

/** The entry that was added last, as "DEVICE/INSTALLATION", until the page of its rotation is left. */
export const arrived = signal<string | undefined>();
