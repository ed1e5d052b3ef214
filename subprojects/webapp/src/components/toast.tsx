import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "./button";

interface Toast {
	text: string;
	undo?: () => void;
}

const UNDO_MS = 10_000;
const TEXT_MS = 5_000;
const shown = signal<Toast | undefined>();
let timer = 0;

/** A short word at the edge of the page; with undo it stays for 10 s. */
export function toast(text: string, undo?: () => void): void {
	clearTimeout(timer);
	shown.value = undo ? { text, undo } : { text };
	timer = window.setTimeout(() => (shown.value = undefined), undo ? UNDO_MS : TEXT_MS);
}

/** Where toast() speaks; once a page. */
export function Toasts(): JSX.Element {
	const { text, undo } = shown.value ?? {};
	return (
		<div class="toasts" role="status">
			{text !== undefined && (
				<div class="toast row">
					<span>{text}</span>
					{undo && (
						<Button
							onClick={() => {
								shown.value = undefined;
								undo();
							}}
						>
							Undo
						</Button>
					)}
				</div>
			)}
		</div>
	);
}
