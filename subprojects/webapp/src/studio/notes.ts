import { signal, type Signal } from "@preact/signals";

/** Notes of a reviewer about a version, not sent yet. */
export interface Notes {
	summary: string;
	comments: { line: number | null; comment: string }[];
}

const NONE: Notes = { summary: "", comments: [] };

function read(key: string): Notes {
	try {
		return { ...NONE, ...(JSON.parse(sessionStorage.getItem(key) ?? "{}") as Partial<Notes>) };
	} catch {
		return NONE;
	}
}

/** Reads and stores the notes in this tab, so that reloading the page loses nothing. */
export function notesOf(version: string): {
	notes: Signal<Notes>;
	change: (part: Partial<Notes>) => void;
	clear: () => void;
} {
	const key = `review ${version}`;
	const notes = signal(read(key));
	return {
		notes,
		change: (part) => {
			notes.value = { ...notes.value, ...part };
			sessionStorage.setItem(key, JSON.stringify(notes.value));
		},
		clear: () => {
			notes.value = NONE;
			sessionStorage.removeItem(key);
		},
	};
}
