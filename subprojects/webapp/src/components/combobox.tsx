import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Combo } from "./combo";

interface ComboboxProps {
	label: string;
	value: string;
	/** Asked for when it is opened. */
	options: () => readonly string[];
	/** Quiet words beside an option. */
	about?: (option: string) => string;
	onChoose: (value: string) => void;
	fault?: string | undefined;
	said?: string | undefined;
	help?: string;
}

const SHOWN_MAX = 50;

function wordsOf(text: string): string[] {
	return text
		.toLowerCase()
		.split(/[\s/_]+/)
		.filter(Boolean);
}

/** Each word of the text is the beginning of a word of the option. */
export function findOptions(options: readonly string[], text: string): string[] {
	const wanted = wordsOf(text);
	return options
		.filter((option) => {
			const words = wordsOf(option);
			return wanted.every((word) => words.some((other) => other.startsWith(word)));
		})
		.slice(0, SHOWN_MAX);
}

/** A list to choose from by typing a part of what one looks for. */
export function Combobox(props: ComboboxProps): JSX.Element {
	const { value, options, about, onChoose, ...rest } = props;
	const [text, setText] = useState<string>();
	const found = text === undefined ? [] : findOptions(options(), text);
	return (
		<Combo
			{...rest}
			value={value}
			text={text}
			found={found.map((key) => ({ key, words: key, about: about?.(key) }))}
			onText={setText}
			onChoose={(chosen) => {
				if (chosen !== value) onChoose(chosen);
			}}
		/>
	);
}
