import type { JSX } from "preact";
import { path } from "../frame/place";

interface TabsProps {
	label: string;
	tabs: readonly { to: string; words: string }[];
}

/** Parts of a page, each with a URL of its own. */
export function Tabs({ label, tabs }: TabsProps): JSX.Element {
	return (
		<nav class="tabs" aria-label={label}>
			{tabs.map(({ to, words }) => (
				<a key={to} href={to} data-page aria-current={path.value === to ? "page" : undefined}>
					{words}
				</a>
			))}
		</nav>
	);
}
