import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Colours come from tokens.css, so that they follow the light and the dark theme. */
const theme = EditorView.theme({
	"&": {
		color: "var(--text)",
		backgroundColor: "var(--surface-raised)",
		fontSize: "var(--text-small)",
		height: "100%",
	},
	"&.cm-focused": { outline: "2px solid var(--accent-text)", outlineOffset: "1px" },
	".cm-scroller": { fontFamily: "var(--font-fixed)", lineHeight: "1.55" },
	".cm-content": { padding: "8px 0", caretColor: "var(--text)" },
	".cm-line": { padding: "0 12px" },
	".cm-gutters": {
		color: "var(--text-quiet)",
		backgroundColor: "var(--surface-sunk)",
		border: "0",
		borderRight: "1px solid var(--line)",
	},
	".cm-lineNumbers .cm-gutterElement": { minWidth: "2.6em", padding: "0 8px 0 6px" },
	".cm-activeLine": { backgroundColor: "var(--code-active)" },
	".cm-activeLineGutter": { backgroundColor: "var(--line)", color: "var(--text)" },
	".cm-cursor": { borderLeftColor: "var(--text)" },
	"&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
		{ background: "var(--code-selection)" },
	"&.cm-focused .cm-matchingBracket": {
		backgroundColor: "transparent",
		outline: "1px solid var(--line-strong)",
	},
	".cm-searchMatch": {
		backgroundColor: "var(--code-selection)",
		outline: "1px solid var(--accent)",
	},
	".cm-panels": { backgroundColor: "var(--surface-sunk)", color: "var(--text)" },
	".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line)" },
	".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
	".cm-textfield": {
		color: "var(--text)",
		backgroundColor: "var(--surface-raised)",
		border: "1px solid var(--line-strong)",
		borderRadius: "4px",
		fontSize: "inherit",
	},
	".cm-button": {
		color: "var(--text)",
		background: "var(--surface-raised)",
		border: "1px solid var(--line-strong)",
		borderRadius: "4px",
		fontSize: "inherit",
	},
	".cm-panel.cm-search label": { fontSize: "inherit" },
	".hidden-character": {
		padding: "0 2px",
		borderRadius: "3px",
		background: "var(--danger)",
		color: "var(--surface)",
		fontSize: "0.75em",
	},
	".cm-panel.cm-search [name=close]": { color: "var(--text)" },
});

const remarks = EditorView.theme({
	".remark-place": { padding: "4px 12px 8px" },
	".remark": {
		padding: "8px 12px",
		maxWidth: "44rem",
		fontFamily: "var(--font)",
		borderLeft: "3px solid var(--accent)",
		backgroundColor: "var(--surface-sunk)",
		color: "var(--text)",
		whiteSpace: "pre-wrap",
		overflowWrap: "anywhere",
	},
	".remark-author": { color: "var(--text-quiet)", fontWeight: "550" },
	".remark button": {
		marginTop: "4px",
		padding: "2px 10px",
		font: "inherit",
		color: "var(--text)",
		background: "var(--surface-raised)",
		border: "1px solid var(--line-strong)",
		borderRadius: "var(--radius)",
		cursor: "pointer",
	},
});

const problems = EditorView.theme({
	".wrong-line": { backgroundColor: "var(--danger-surface)" },
	".wrong-word": {
		textDecoration: "underline wavy var(--danger)",
		textDecorationSkipInk: "none",
		textUnderlineOffset: "3px",
	},
	".problem-place": { padding: "2px 12px 6px" },
	".problem": {
		padding: "4px 12px",
		maxWidth: "44rem",
		borderLeft: "3px solid var(--danger)",
		backgroundColor: "var(--danger-surface)",
		color: "var(--danger)",
		fontFamily: "var(--font)",
		whiteSpace: "pre-wrap",
		overflowWrap: "anywhere",
	},
});

const merge = EditorView.theme({
	"& .cm-changedLine, &.cm-merge-b .cm-changedLine, & .cm-inlineChangedLine": {
		backgroundColor: "var(--code-added)",
	},
	"& .cm-deletedChunk": { backgroundColor: "var(--code-removed)", paddingLeft: "12px" },
	"& .cm-deletedChunk .cm-deletedText, & .cm-deletedText": {
		background: "var(--code-removed-text)",
	},
	"&.cm-merge-b .cm-changedText, & .cm-changedText": { background: "var(--code-added-text)" },
	"& .cm-changedLineGutter": { backgroundColor: "var(--good)" },
	"& .cm-deletedLineGutter": { backgroundColor: "var(--danger)" },
	"& .cm-collapsedLines": {
		color: "var(--text-quiet)",
		background: "var(--surface-sunk)",
		padding: "4px 12px",
		fontFamily: "var(--font)",
	},
	"& .cm-collapsedLines:before, & .cm-collapsedLines:after": { content: '""', margin: "0" },
});

const colours = HighlightStyle.define([
	{ tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
	{ tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--code-string)" },
	{ tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
	{
		tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword],
		color: "var(--code-keyword)",
		fontWeight: "600",
	},
	{
		tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)],
		color: "var(--code-name)",
		fontWeight: "600",
	},
	{ tag: [tags.typeName, tags.className], color: "var(--code-name)" },
	{ tag: tags.invalid, color: "var(--danger)" },
]);

export const themeExtension: Extension = [
	theme,
	remarks,
	problems,
	merge,
	syntaxHighlighting(colours),
];
