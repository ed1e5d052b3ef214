import type { JSX } from "preact";
import { CopyButton } from "./button";

/** A text that is shown only once, with a button that copies it. */
export function Secret({ text, what }: { text: string; what: string }): JSX.Element {
	return (
		<div class="secret">
			<code>{text}</code>
			<CopyButton text={text} what={what} />
		</div>
	);
}
