import type { ComponentChildren, JSX } from "preact";
import { Panel } from "../components/panel";
import morning from "../pictures/morning.webp";

/** Layout of the pages for users who are not signed in: a description of displayd, and a form. */
export function Gate({
	children,
	isBusy,
}: {
	children: ComponentChildren;
	isBusy?: boolean;
}): JSX.Element {
	return (
		<main class="gate" aria-busy={isBusy === true}>
			<div class="hero">
				<Panel picture={morning} label="A panel that shows the time and the weather" />
				<p class="hero-words">Pictures for your small LED displays</p>
			</div>
			<div class="stack">{children}</div>
		</main>
	);
}
