import type { ComponentChildren, JSX } from "preact";

/** Name given by a user, in our sentence: a name written right to left must not reorder it. */
export function Name({ children }: { children: ComponentChildren }): JSX.Element {
	return <bdi>{children}</bdi>;
}
