// Waiting in journeys: for a condition, and never for a time. Whoever runs them ends one that hangs.

/** Repeats condition() until its value is true. Returns the value. */
export async function waitUntil(condition) {
	for (;;) {
		const value = await condition();
		if (value) return value;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}
