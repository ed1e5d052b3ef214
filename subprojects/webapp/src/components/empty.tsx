import type { ComponentChildren, JSX } from "preact";

/** Shows that a list is empty; children say what to do. */
export function Empty({
	title,
	children,
}: {
	title: string;
	children?: ComponentChildren;
}): JSX.Element {
	return (
		<div class="empty stack">
			<p class="empty-title">{title}</p>
			{children}
		</div>
	);
}
