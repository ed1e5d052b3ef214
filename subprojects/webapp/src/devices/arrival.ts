import { signal } from "@preact/signals";

/** The entry that was added last, as "DEVICE/INSTALLATION", until its rotation is left. */
export const arrived = signal<string | undefined>();
