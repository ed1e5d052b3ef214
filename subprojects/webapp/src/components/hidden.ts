/**
 * Characters that are invisible or change how others are shown: controls of the text direction
 * (bidi), joiners, zero-width spaces, fillers, tags and variation selectors.
 */
export const HIDDEN =
	/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** "U+202E" */
export function codeOf(character: number): string {
	return `U+${character.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Counts each hidden character, the most frequent first. */
export function hiddenIn(text: string): { code: string; count: number }[] {
	const counts = new Map<string, number>();
	for (const [character] of text.matchAll(HIDDEN)) {
		const code = codeOf(character.codePointAt(0) ?? 0);
		counts.set(code, (counts.get(code) ?? 0) + 1);
	}
	return [...counts]
		.map(([code, count]) => ({ code, count }))
		.sort((one, other) => other.count - one.count);
}

/** Returns the text with the name of each hidden character in its place. */
export function withCodes(text: string): string {
	return text.replace(HIDDEN, (character) => `[${codeOf(character.codePointAt(0) ?? 0)}]`);
}
