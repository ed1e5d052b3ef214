import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

interface DropTargetProps {
	/** Shown while a file is dragged over it. */
	words: string;
	onDrop: (data: DataTransfer | null) => void;
	children: ComponentChildren;
}

/** Passes on dropped files, and shows while a file is dragged over it. */
export function DropTarget({ words, onDrop, children }: DropTargetProps): JSX.Element {
	const [isOver, setOver] = useState(false);
	return (
		<div
			class="drop"
			data-over={isOver}
			onDragOver={(event) => {
				event.preventDefault();
				setOver(true);
			}}
			onDragLeave={(event) => {
				const to = event.relatedTarget;
				if (!(to instanceof Node && event.currentTarget.contains(to))) setOver(false);
			}}
			onDrop={(event) => {
				event.preventDefault();
				setOver(false);
				onDrop(event.dataTransfer);
			}}
		>
			{children}
			{isOver && <p class="drop-words">{words}</p>}
		</div>
	);
}
