import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

interface ButtonProps {
	children: ComponentChildren;
	kind?: "primary" | "plain" | "danger";
	type?: "button" | "submit";
	onClick?: () => void;
	/** It keeps the focus: browsers would drop that of a button that is disabled by its own attribute. */
	isDisabled?: boolean;
	/** While busy it ignores clicks and shows that. */
	isBusy?: boolean;
	describedBy?: string;
	/** Accessible name, if the button's text alone is not enough. */
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
			aria-disabled={isDisabled === true}
			aria-busy={isBusy === true}
			aria-describedby={describedBy}
			aria-label={label}
			onClick={(event) => {
				if (isBusy || isDisabled) event.preventDefault();
				else onClick?.();
			}}
		>
			{children}
		</button>
	);
}

/**
 * Copies by a selection, since browsers allow the clipboard API only for https and localhost.
 * Returns whether that worked. The selection must be in the open dialog, if any, since everything
 * else is inert.
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

/** A button that copies a text and confirms that. */
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
