import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

interface ButtonProps {
	children: ComponentChildren;
	kind?: "primary" | "plain" | "danger";
	type?: "button" | "submit";
	onClick?: () => void;
	isDisabled?: boolean;
	/** While it works it takes no second click, and says so. */
	isBusy?: boolean;
	describedBy?: string;
	/** Accessible name, if the button's words alone are not enough. */
	label?: string;
}

export function Button(props: ButtonProps): JSX.Element {
	const {
		children,
		kind = "plain",
		type = "button",
		onClick,
		isDisabled,
		isBusy,
		describedBy,
		label,
	} = props;
	return (
		<button
			type={type}
			class={`button ${kind}`}
			disabled={isDisabled === true}
			aria-busy={isBusy === true}
			aria-describedby={describedBy}
			aria-label={label}
			onClick={(event) => {
				if (isBusy) event.preventDefault();
				else onClick?.();
			}}
		>
			{children}
		</button>
	);
}

/**
 * Copies by a selection, as browsers give the clipboard to https and localhost only. Returns whether it
 * did. A dialog that is open takes the selection: all else is inert.
 */
function copySelected(text: string, button: HTMLElement): boolean {
	const area = document.createElement("textarea");
	area.value = text;
	(button.closest("dialog") ?? document.body).append(area);
	area.select();
	// eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else copies there
	const isDone = document.execCommand("copy");
	area.remove();
	button.focus();
	return isDone;
}

/** Copies a text, and says that it did. */
export function CopyButton({ text, what }: { text: string; what: string }): JSX.Element {
	const [said, setSaid] = useState("");
	const copy = async (button: HTMLElement) => {
		let isDone = true;
		try {
			await navigator.clipboard.writeText(text);
		} catch {
			isDone = copySelected(text, button);
		}
		const isTouched = matchMedia("(pointer: coarse)").matches;
		const byHand = isTouched ? "Press and hold to copy" : "Select the text and press Ctrl+C";
		setSaid(isDone ? "Copied" : byHand);
		setTimeout(() => setSaid(""), 4_000);
	};
	return (
		<span class="copy">
			<button
				type="button"
				class="button plain"
				onClick={(event) => void copy(event.currentTarget)}
			>
				Copy<span class="only-read"> {what}</span>
			</button>
			<span class="quiet" role="status">
				{said}
			</span>
		</span>
	);
}
