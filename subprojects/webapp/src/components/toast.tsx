import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "./button";

interface Toast {
	number: number;
	text: string;
	undo?: () => void;
}

const UNDO_MS = 10_000;
const TEXT_MS = 5_000;
const shown = signal<readonly Toast[]>([]);
let count = 0;

function drop(number: number): void {
	shown.value = shown.value.filter((toast) => toast.number !== number);
}

/**
 * Shows a short message at the edge of the page, in place of the last one. With undo it stays for
 * 10 s, beside all others that can be undone.
 */
export function toast(text: string, undo?: () => void): void {
	const number = ++count;
	const kept = shown.value.filter((other) => other.undo !== undefined);
	shown.value = [...kept, undo ? { number, text, undo } : { number, text }];
	setTimeout(() => drop(number), undo ? UNDO_MS : TEXT_MS);
}

/** Shows the messages of toast(); once a page. */
export function Toasts(): JSX.Element {
	return (
		<div class="toasts" role="status">
			{shown.value.map(({ number, text, undo }) => (
				<div key={number} class="toast row">
					<span>{text}</span>
					{undo && (
						<Button
							label={`Undo: ${text}`}
							onClick={() => {
								drop(number);
								undo();
							}}
						>
							Undo
						</Button>
					)}
				</div>
			))}
		</div>
	);
}
