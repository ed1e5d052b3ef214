import { Text } from "@codemirror/state";
import { Chunk } from "@codemirror/merge";

/** Limits for long scripts that differ everywhere. */
export const DIFF = { scanLimit: 500, timeout: 200 };

function chunksOf(before: Text, after: Text): readonly Chunk[] {
	return Chunk.build(before, after, DIFF);
}

function textOf(script: string): Text {
	return Text.of(script.split(/\r\n?|\n/));
}

/** Counts the lines of a range; a chunk's end is where the next line begins. */
function lineCount(text: Text, from: number, to: number): number {
	if (from >= to) return 0;
	const end = Math.min(to - 1, text.length);
	return text.lineAt(end).number - text.lineAt(from).number + 1;
}

/** Returns the lines of a range, without line ends. */
function linesOf(text: Text, from: number, to: number): string[] {
	const count = lineCount(text, from, to);
	const first = count > 0 ? text.lineAt(from).number : 0;
	return Array.from({ length: count }, (_, i) => text.line(first + i).text);
}

/** Counts the lines that were added and removed. */
export function countChanges(before: string, after: string): { added: number; removed: number } {
	const a = textOf(before);
	const b = textOf(after);
	let added = 0;
	let removed = 0;
	for (const chunk of chunksOf(a, b)) {
		const gone = linesOf(a, chunk.fromA, chunk.toA);
		const come = linesOf(b, chunk.fromB, chunk.toB);
		// A line is part of a chunk even if only its end has changed.
		while (gone.length > 0 && gone[0] === come[0]) {
			gone.shift();
			come.shift();
		}
		removed += gone.length;
		added += come.length;
	}
	return { added, removed };
}

/**
 * Maps lines of a script to lines of a later version of it. A removed line maps to where it would
 * be. All results are existing lines.
 */
export function mapLines(before: string, after: string, lines: readonly number[]): number[] {
	const a = textOf(before);
	const b = textOf(after);
	const chunks = chunksOf(a, b);
	return lines.map((line) => {
		if (line > a.lines) return b.lines;
		const place = a.line(Math.max(1, line)).from;
		let shift = 0;
		for (const chunk of chunks) {
			if (chunk.fromA > place) break;
			if (place < chunk.toA) {
				const inside = a.lineAt(place).number - a.lineAt(chunk.fromA).number;
				const first = b.lineAt(Math.min(chunk.fromB, b.length)).number;
				const last = first + Math.max(0, lineCount(b, chunk.fromB, chunk.toB) - 1);
				return Math.min(first + inside, last);
			}
			shift = chunk.toB - chunk.toA;
		}
		return b.lineAt(Math.min(Math.max(0, place + shift), b.length)).number;
	});
}
