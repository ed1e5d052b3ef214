import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button";

interface DialogProps {
	title: string;
	onClose: () => void;
	children: ComponentChildren;
}

/** A dialog of the browser's own: it keeps the focus, Escape closes it. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
	const dialog = useRef<HTMLDialogElement>(null);
	const id = useId();
	useEffect(() => dialog.current?.showModal(), []);
	return (
		<dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onClose}>
			<div class="stack">
				<h2 id={id}>{title}</h2>
				{children}
			</div>
		</dialog>
	);
}

interface Question {
	title: string;
	text: ComponentChildren;
	/** Text of the confirming button: "Revoke". */
	action: string;
	answer: (yes: boolean) => void;
}

const question = signal<Question | undefined>();

/** Asks for a confirmation that names the thing, before an action that cannot be undone. */
export function confirm(asked: Omit<Question, "answer">): Promise<boolean> {
	return new Promise((resolve) => {
		question.value = { ...asked, answer: resolve };
	});
}

/** Shows the questions of confirm(); once a page. */
export function Questions(): JSX.Element | null {
	const asked = question.value;
	if (!asked) return null;
	const answer = (yes: boolean) => {
		question.value = undefined;
		asked.answer(yes);
	};
	return (
		<Dialog title={asked.title} onClose={() => answer(false)}>
			<p>{asked.text}</p>
			<div class="row end">
				<Button onClick={() => answer(false)}>Cancel</Button>
				<Button kind="danger" onClick={() => answer(true)}>
					{asked.action}
				</Button>
			</div>
		</Dialog>
	);
}
