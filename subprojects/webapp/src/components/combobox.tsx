import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Combo } from "./combo";

interface ComboboxProps {
	label: string;
	value: string;
	/** Called when the list is opened. */
	options: () => readonly string[];
	/** Secondary text beside an option. */
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

/** Finds the options that match: each word of the text is the start of a word of the option. */
export function findOptions(options: readonly string[], text: string): string[] {
	const wanted = wordsOf(text);
	return options
		.filter((option) => {
			const words = wordsOf(option);
			return wanted.every((word) => words.some((other) => other.startsWith(word)));
		})
		.slice(0, SHOWN_MAX);
}

/** A list to choose from by typing a part of an option. */
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
