/** Letters of right-to-left scripts, and characters that change the direction. */
const TURNS =
	/[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]|[\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Isolates a name in a sentence: whatever its direction, the text after it keeps its order. */
export function isolated(name: string): string {
	return TURNS.test(name) ? `\u2068${name}\u2069` : name;
}
