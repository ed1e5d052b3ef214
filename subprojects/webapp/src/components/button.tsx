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

/** Copies a text, and says that it did. */
export function CopyButton({ text, what }: { text: string; what: string }): JSX.Element {
	const [said, setSaid] = useState("");
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(text);
			setSaid("Copied");
		} catch {
			// Browsers give the clipboard to https and localhost only.
			setSaid("Select it and press Ctrl C");
		}
		setTimeout(() => setSaid(""), 4_000);
	};
	return (
		<span class="copy">
			<button type="button" class="button plain" onClick={() => void copy()}>
				Copy<span class="only-read"> {what}</span>
			</button>
			<span class="quiet" role="status">
				{said}
			</span>
		</span>
	);
}
