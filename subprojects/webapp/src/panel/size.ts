/** Pixels of a panel. */
export interface Size {
	width: number;
	height: number;
}

/** The size of most panels. */
export const SMALL: Size = { width: 64, height: 32 };

const WIDE: Size = { width: 128, height: 64 };

/** Returns the size that a device's setting names. */
export function sizeOf(name: "64x32" | "128x64"): Size {
	return name === "128x64" ? WIDE : SMALL;
}
