import type { Chosen } from "./chosen";
import type { OnLook } from "./look";
import type { Device } from "./store";

/** Properties of the part of a device's page that pushes. */
export interface PushProps {
	device: Device;
	/** Chosen pictures, in order. */
	chosen: readonly Chosen[];
	isOneOfMany: boolean;
	/** Why the dropped, pasted or chosen file is no picture. */
	fault: string | undefined;
	taken: readonly string[];
	/** A temporary picture is shown, or waits for the panel. */
	isKept: boolean;
	onLook: OnLook;
	onFiles: (files: readonly File[]) => void;
	/** A picture is no longer to be pushed. name: of its new entry; undefined: no entry was made. */
	onDone: (number: number, name?: string) => void;
}
