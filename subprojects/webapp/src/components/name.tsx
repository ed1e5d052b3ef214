import type { ComponentChildren, JSX } from "preact";

/** What somebody has called something, in a sentence of ours: whichever way it is written, the sentence stays as it is. */
export function Name({ children }: { children: ComponentChildren }): JSX.Element {
	return <bdi>{children}</bdi>;
}
