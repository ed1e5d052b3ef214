import { render, type ComponentChildren } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";

interface BottomBarProps {
	/** For those who listen. */
	label: string;
	children: ComponentChildren;
}

/**
 * Stays at the bottom of the window, however long the page is. It is beside the page: of browsers before 2025 a
 * container, which the page is, holds what is fixed in it.
 */
export function BottomBar({ label, children }: BottomBarProps): null {
	const bar = useMemo(() => document.createElement("section"), []);
	useLayoutEffect(() => {
		bar.className = "bottom-bar";
		bar.setAttribute("aria-label", label);
		document.body.append(bar);
		return () => {
			render(null, bar);
			bar.remove();
		};
	}, []);
	useLayoutEffect(() => render(children, bar));
	return null;
}
