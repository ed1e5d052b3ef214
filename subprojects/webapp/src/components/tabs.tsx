import type { JSX } from "preact";
import { path } from "../frame/place";

interface TabsProps {
	label: string;
	tabs: readonly { to: string; words: string }[];
}

/** Parts of a page, each with a URL of its own. */
export function Tabs({ label, tabs }: TabsProps): JSX.Element {
	// A tab is current for pages below its path, too: take the longest matching path.
	const [current] = tabs
		.map(({ to }) => to)
		.filter((to) => path.value === to || path.value.startsWith(`${to}/`))
		.sort((a, b) => b.length - a.length);
	const ofPage = (to: string) => (path.value === to ? ("page" as const) : ("true" as const));
	return (
		<nav class="tabs" aria-label={label}>
			{tabs.map(({ to, words }) => (
				<a key={to} href={to} data-page aria-current={to === current ? ofPage(to) : undefined}>
					{words}
				</a>
			))}
		</nav>
	);
}
