import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { unifiedMergeView } from "@codemirror/merge";
import { search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
	drawSelection,
	EditorView,
	highlightActiveLine,
	highlightActiveLineGutter,
	highlightSpecialChars,
	keymap,
	lineNumbers,
} from "@codemirror/view";
import { insertionOf } from "./insertion";
import type { Language } from "./language";
import { DIFF } from "./lines";
import { problemExtension, showProblems, type LineProblem } from "./problems";
import { remarkExtension, showRemarks, type Remark } from "./remarks";
import { themeExtension } from "./theme";

export interface CodeOptions {
	text: string;
	language: Language;
	/** Accessible name. */
	label: string;
	/** Script to compare with; none: no changes are shown. */
	original?: string | undefined;
	/** Whether a comparison also shows unchanged lines. */
	isWhole?: boolean;
	isReadOnly?: boolean;
	/** Characters that are not seen, and what is shown in their place. They come from the page: a module that two
	 * bundles share would be a third one, and a request more for each page. */
	hidden: { characters: RegExp; codeOf: (character: number) => string };
	onChange?: (text: string) => void;
	onSave?: () => void;
	/** The line that the cursor is on, from 1. */
	onLine?: (line: number) => void;
}

/** Starlark has Python's syntax. */
function languageExtension(language: Language): Extension {
	return language === "STARLARK"
		? [python(), indentUnit.of("    ")]
		: [javascript({ typescript: true }), indentUnit.of("  ")];
}

function comparison(original: string, isWhole: boolean): Extension {
	return unifiedMergeView({
		original,
		mergeControls: false,
		gutter: true,
		diffConfig: DIFF,
		...(isWhole ? {} : { collapseUnchanged: { margin: 3, minSize: 6 } }),
	});
}

function writing(options: CodeOptions): Extension {
	if (options.isReadOnly)
		// The cursor stays for keyboard users; a phone shows no keyboard for it.
		return [
			EditorState.readOnly.of(true),
			EditorView.contentAttributes.of({ inputmode: "none", "aria-readonly": "true" }),
		];
	const save = () => {
		options.onSave?.();
		return true;
	};
	return [
		history(),
		indentOnInput(),
		keymap.of([{ key: "Mod-s", run: save, preventDefault: true }, ...historyKeymap, indentWithTab]),
	];
}

/** Shows the number of each invisible character in its place. */
function hiddenExtension({ characters, codeOf }: CodeOptions["hidden"]): Extension {
	return highlightSpecialChars({
		specialChars: characters,
		render: (code) => {
			const mark = document.createElement("span");
			mark.className = "hidden-character";
			mark.textContent = codeOf(code);
			return mark;
		},
	});
}

function extensionsOf(options: CodeOptions, language: Compartment): Extension {
	return [
		lineNumbers(),
		highlightActiveLine(),
		highlightActiveLineGutter(),
		drawSelection(),
		bracketMatching(),
		hiddenExtension(options.hidden),
		search({ top: true }),
		writing(options),
		keymap.of([...searchKeymap, ...defaultKeymap]),
		language.of(languageExtension(options.language)),
		EditorView.lineWrapping,
		EditorState.tabSize.of(4),
		EditorView.contentAttributes.of({
			"aria-label": options.label,
			tabindex: "0",
			spellcheck: "false",
			autocapitalize: "off",
		}),
		remarkExtension,
		problemExtension,
		themeExtension,
		options.original === undefined ? [] : comparison(options.original, options.isWhole === true),
		EditorView.updateListener.of((update) => {
			if (update.docChanged) options.onChange?.(update.state.doc.toString());
			if (update.selectionSet || update.docChanged)
				options.onLine?.(update.state.doc.lineAt(update.state.selection.main.head).number);
		}),
	];
}

/**
 * An editor, or a read-only script. It is in a shadow root: its styles are adopted there and need
 * no <style> in the page, which the content security policy forbids.
 */
export class CodeView {
	private readonly view: EditorView;
	private readonly language = new Compartment();

	constructor(host: HTMLElement, options: CodeOptions) {
		const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
		this.view = new EditorView({
			state: EditorState.create({
				doc: options.text,
				extensions: extensionsOf(options, this.language),
			}),
			parent: root,
			root,
		});
	}

	/** Replaces the text, which was changed elsewhere. */
	setText(text: string): void {
		if (text === this.view.state.doc.toString()) return;
		this.view.dispatch({
			changes: { from: 0, to: this.view.state.doc.length, insert: text },
		});
	}

	setLanguage(language: Language): void {
		this.view.dispatch({ effects: this.language.reconfigure(languageExtension(language)) });
	}

	setRemarks(remarks: readonly Remark[]): void {
		showRemarks(this.view, remarks);
	}

	setProblems(problems: readonly LineProblem[]): void {
		showProblems(this.view, problems);
	}

	/** Moves the cursor to a line and scrolls it into view. */
	goTo(line: number): void {
		const { doc } = this.view.state;
		const place = doc.line(Math.min(Math.max(1, line), doc.lines)).from;
		this.view.dispatch({
			selection: { anchor: place },
			effects: EditorView.scrollIntoView(place, { y: "center" }),
		});
		this.view.focus();
	}

	/** Puts code in place of what is chosen, with the imports that it needs. A cursor that was never placed is at the
	 * end. */
	insert(code: string, language: Language): void {
		const { doc, selection } = this.view.state;
		const { from, to } = selection.main;
		const place = to === 0 ? { from: doc.length, to: doc.length } : { from, to };
		const changes = this.view.state.changes(insertionOf(doc.toString(), place, language, code));
		const anchor = changes.mapPos(place.to, 1);
		this.view.dispatch({
			changes,
			selection: { anchor },
			scrollIntoView: true,
			userEvent: "input",
		});
		this.view.focus();
	}

	destroy(): void {
		this.view.destroy();
	}
}
