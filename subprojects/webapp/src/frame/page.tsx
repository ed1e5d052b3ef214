import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** The heading of a page. It sets the tab's title, and takes the focus when the page is opened. */
export function Heading({ title, isHidden }: { title: string; isHidden?: boolean }): JSX.Element {
	const heading = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		document.title = `${title} · displayd`;
		if (document.activeElement === document.body || document.activeElement === null)
			heading.current?.focus({ preventScroll: true });
	}, [title]);
	return (
		<h1 ref={heading} tabIndex={-1} class={isHidden ? "only-read" : ""}>
			{title}
		</h1>
	);
}
