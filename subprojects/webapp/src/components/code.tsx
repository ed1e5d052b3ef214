import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CodeOptions, CodeView, LineProblem, Remark } from "../editor/editor";
import { codeOf, HIDDEN } from "./hidden";

export type { Language, LineProblem, Remark } from "../editor/editor";
type Editor = typeof import("../editor/editor");

let loaded: Editor | undefined;

/** The editor is a file of its own: pages without scripts do not load it. */
export function useEditor(): Editor | undefined {
	const [editor, setEditor] = useState(loaded);
	useEffect(() => {
		if (editor) return;
		void import("../editor/editor").then((found) => {
			loaded = found;
			setEditor(found);
		});
	}, [editor]);
	return editor;
}

interface CodeProps extends Omit<CodeOptions, "hidden"> {
	remarks?: readonly Remark[];
	problems?: readonly LineProblem[];
	/** Called with the view, which can move the cursor. */
	onView?: (view: CodeView) => void;
	isTall?: boolean;
	/** Changes if the text was replaced, not typed here. */
	epoch?: number;
}

const NONE: readonly never[] = [];

/** A script in an editor, to be read, or compared with another one. */
export function Code(props: CodeProps): JSX.Element {
	const host = useRef<HTMLDivElement>(null);
	const view = useRef<CodeView | undefined>(undefined);
	const now = useRef(props);
	now.current = props;
	const editor = useEditor();
	const {
		text,
		language,
		label,
		original,
		isWhole,
		isReadOnly,
		remarks = NONE,
		problems = NONE,
	} = props;
	useEffect(() => {
		if (!editor || !host.current) return undefined;
		const made = new editor.CodeView(host.current, {
			...now.current,
			hidden: { characters: HIDDEN, codeOf },
			onChange: (changed) => now.current.onChange?.(changed),
			onSave: () => now.current.onSave?.(),
			onLine: (line) => now.current.onLine?.(line),
		});
		view.current = made;
		made.setRemarks(now.current.remarks ?? NONE);
		made.setProblems(now.current.problems ?? NONE);
		now.current.onView?.(made);
		return () => {
			view.current = undefined;
			made.destroy();
		};
	}, [editor, label, original, isWhole, isReadOnly]);
	const isTypedHere = isReadOnly !== true;
	// A text that comes back after typing may be older than the editor's text.
	useEffect(() => view.current?.setText(now.current.text), [isTypedHere ? props.epoch : text]);
	useEffect(() => view.current?.setLanguage(language), [language]);
	useEffect(() => view.current?.setRemarks(remarks), [remarks]);
	useEffect(() => view.current?.setProblems(problems), [problems]);
	return (
		<div
			class={props.isTall ? "code-view tall" : "code-view"}
			ref={host}
			aria-busy={editor === undefined}
		/>
	);
}
