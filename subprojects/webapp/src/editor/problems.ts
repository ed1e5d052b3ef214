import { StateEffect, StateField, type Extension, type Range, type Text } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";

/** Error in a line. */
export interface LineProblem {
	line: number;
	/** Column, from 1; null: unknown. */
	column: number | null;
	text: string;
}

class ProblemWidget extends WidgetType {
	constructor(readonly problem: LineProblem) {
		super();
	}

	override eq(other: ProblemWidget): boolean {
		return other.problem.text === this.problem.text;
	}

	override toDOM(): HTMLElement {
		const place = document.createElement("div");
		place.className = "problem-place";
		const words = document.createElement("div");
		words.className = "problem";
		words.textContent = this.problem.text; // never markup
		place.append(words);
		return place;
	}

	override ignoreEvent(): boolean {
		return true;
	}
}

const setProblems = StateEffect.define<readonly LineProblem[]>();
const wrongLine = Decoration.line({ class: "wrong-line" });
const wrongWord = Decoration.mark({ class: "wrong-word" });

/** Marks the word at a column, with a dot before it, or the character there. */
function wordAt(text: Text, from: number, to: number, column: number): Range<Decoration>[] {
	const start = from + column - 1;
	if (start >= to) return [];
	const [word = " "] = /^\.?[\w$]+|^./u.exec(text.sliceString(start, to)) ?? [];
	return [wrongWord.range(start, Math.min(to, start + word.length))];
}

function decorate(text: Text, problems: readonly LineProblem[]): DecorationSet {
	const ranges = problems.flatMap((problem): Range<Decoration>[] => {
		const line = text.line(Math.min(Math.max(1, problem.line), text.lines));
		const widget = Decoration.widget({
			widget: new ProblemWidget(problem),
			block: true,
			side: 1,
		});
		return [
			wrongLine.range(line.from),
			...(problem.column === null ? [] : wordAt(text, line.from, line.to, problem.column)),
			widget.range(line.to),
		];
	});
	return Decoration.set(ranges, true);
}

/** Problems stay at their lines while the script is edited, until the next ones are known. */
const field = StateField.define<DecorationSet>({
	create: () => Decoration.none,
	update: (shown, transaction) => {
		for (const effect of transaction.effects)
			if (effect.is(setProblems)) return decorate(transaction.newDoc, effect.value);
		return shown.map(transaction.changes);
	},
	provide: (self) => EditorView.decorations.from(self),
});

export const problemExtension: Extension = field;

export function showProblems(view: EditorView, problems: readonly LineProblem[]): void {
	view.dispatch({ effects: setProblems.of(problems) });
}
