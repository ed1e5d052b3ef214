import { StateEffect, StateField, type Extension, type Range, type Text } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";

/** Remark of a reviewer about a line. */
export interface Remark {
	line: number;
	author: string;
	text: string;
	onRemove?: () => void;
}

class RemarkWidget extends WidgetType {
	constructor(readonly remark: Remark) {
		super();
	}

	override eq(other: RemarkWidget): boolean {
		return other.remark === this.remark;
	}

	override toDOM(): HTMLElement {
		const { author, text, onRemove } = this.remark;
		// Margins would not count as height, so the outer element has padding.
		const place = document.createElement("div");
		place.className = "remark-place";
		const box = document.createElement("div");
		box.className = "remark";
		place.append(box);
		const who = document.createElement("div");
		who.className = "remark-author";
		who.textContent = author;
		const words = document.createElement("div");
		words.className = "remark-text";
		words.textContent = text; // never markup
		box.append(who, words);
		if (onRemove) {
			const button = document.createElement("button");
			button.type = "button";
			button.textContent = "Remove";
			button.addEventListener("click", onRemove);
			box.append(button);
		}
		return place;
	}

	override ignoreEvent(): boolean {
		return true;
	}
}

const setRemarks = StateEffect.define<readonly Remark[]>();

function decorate(text: Text, remarks: readonly Remark[]): DecorationSet {
	const ranges: Range<Decoration>[] = remarks.map((remark) => {
		const line = text.line(Math.min(Math.max(1, remark.line), text.lines));
		return Decoration.widget({
			widget: new RemarkWidget(remark),
			block: true,
			side: 1,
		}).range(line.to);
	});
	return Decoration.set(ranges, true);
}

/** Remarks stay at their lines while the script is edited. */
const field = StateField.define<DecorationSet>({
	create: () => Decoration.none,
	update: (shown, transaction) => {
		for (const effect of transaction.effects)
			if (effect.is(setRemarks)) return decorate(transaction.newDoc, effect.value);
		return shown.map(transaction.changes);
	},
	provide: (self) => EditorView.decorations.from(self),
});

export const remarkExtension: Extension = field;

export function showRemarks(view: EditorView, remarks: readonly Remark[]): void {
	view.dispatch({ effects: setRemarks.of(remarks) });
}
