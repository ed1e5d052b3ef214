import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { Dialog } from "../components/dialog";
import { goIfMay } from "./place";

const isShown = signal(false);

/** Second keys, after g, that go to a page. */
const PLACES: Record<string, [page: string, words: string]> = {
	d: ["devices", "your devices"],
	a: ["apps", "apps"],
	k: ["development/keys", "API keys"],
	s: ["studio", "the studio"],
	u: ["account", "your account"],
};
const SECOND_KEY_MS = 1_500;

/** Whether the user types, also in an editor, whose elements the event's target hides. */
function isTyping(event: KeyboardEvent): boolean {
	const [target] = event.composedPath();
	return (
		target instanceof HTMLElement &&
		(target.isContentEditable || target.closest("input, textarea, select, dialog") !== null)
	);
}

function focusSearch(): boolean {
	const search = document.querySelector<HTMLElement>('input[type="search"]');
	search?.focus();
	return search !== null;
}

/** Handles `g k` and so on, `/` and `?`, while isOn() is true. */
export function startShortcuts(isOn: () => boolean): void {
	let firstAt = -Infinity;
	document.addEventListener("keydown", (event) => {
		if (!isOn() || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
		const place = PLACES[event.key];
		if (place && performance.now() - firstAt < SECOND_KEY_MS) void goIfMay(place[0]);
		else if (event.key === "?") isShown.value = true;
		else if (event.key === "/" && focusSearch()) event.preventDefault();
		firstAt = event.key === "g" ? performance.now() : -Infinity;
	});
}

export function Shortcuts(): JSX.Element | null {
	if (!isShown.value) return null;
	return (
		<Dialog title="Keyboard shortcuts" onClose={() => (isShown.value = false)}>
			<dl class="keys">
				{Object.entries(PLACES).map(([key, [, words]]) => (
					<div key={key}>
						<dt>
							<kbd>g</kbd> <kbd>{key}</kbd>
						</dt>
						<dd>go to {words}</dd>
					</div>
				))}
				<div>
					<dt>
						<kbd>?</kbd>
					</dt>
					<dd>shows this list</dd>
				</div>
				<div>
					<dt>
						<kbd>Esc</kbd>
					</dt>
					<dd>closes</dd>
				</div>
			</dl>
		</Dialog>
	);
}
