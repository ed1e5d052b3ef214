/** Letters of scripts from the right to the left, and characters that turn the direction. */
const TURNS =
	/[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]|[\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name as it stands in a sentence: whichever way it is written, what follows stays where it is. */
export function isolated(name: string): string {
	return TURNS.test(name) ? `\u2068${name}\u2069` : name;
}
