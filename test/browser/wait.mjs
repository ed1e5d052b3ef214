// Waiting in journeys: for a condition, and never for a time. Whoever runs them ends one that hangs.

/** Asks until it is true; the value. */
export async function waitUntil(condition) {
	for (;;) {
		const value = await condition();
		if (value) return value;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}
