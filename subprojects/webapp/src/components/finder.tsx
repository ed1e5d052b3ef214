import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../api/client";
import { Combo, type Match } from "./combo";

/** Pause in typing before a request. */
const REST_MS = 250;

interface FinderProps<T> {
	label: string;
	/** Text of the chosen thing. */
	value: string;
	/** Finds the matches of a text; called after a pause in typing. */
	find: (text: string) => Promise<readonly T[]>;
	matchOf: (found: T) => Match;
	onChoose: (found: T) => void;
	/** An empty text finds something, too. */
	findsAll?: boolean;
	placeholder?: string | undefined;
	nothing?: string | undefined;
	fault?: string | undefined;
	said?: string | undefined;
	help?: string | undefined;
	isDisabled?: boolean | undefined;
}

interface Answer<T> {
	/** Text that was searched for. */
	text: string;
	found: readonly T[];
	fault?: string;
}

/** Finds the matches of the text; undefined until they are known. */
function useFound<T>(
	text: string | undefined,
	find: (text: string) => Promise<readonly T[]>,
	isAsked: boolean,
): Answer<T> | undefined {
	const [answer, setAnswer] = useState<Answer<T>>();
	useEffect(() => {
		if (text === undefined || !isAsked) return undefined;
		let isOver = false;
		const say = (next: Answer<T>) => {
			if (!isOver) setAnswer(next);
		};
		const ask = () => {
			find(text).then(
				(found) => say({ text, found }),
				(error: unknown) => {
					if (!(error instanceof Problem)) throw error;
					say({ text, found: [], fault: error.message });
				},
			);
		};
		const timer = setTimeout(ask, text === "" ? 0 : REST_MS);
		return () => {
			isOver = true;
			clearTimeout(timer);
		};
	}, [text, isAsked]);
	return answer?.text === text ? answer : undefined;
}

/** A text field with a list of matches, which are requested for the typed text. */
export function Finder<T>(props: FinderProps<T>): JSX.Element {
	const { find, matchOf, onChoose, findsAll = false, ...rest } = props;
	const [text, setText] = useState<string>();
	const wanted = text?.trim();
	const isAsked = wanted !== undefined && (findsAll || wanted !== "");
	const answer = useFound(wanted, find, isAsked);
	return (
		<Combo
			{...rest}
			text={text}
			isListHidden={!isAsked}
			found={answer?.found.map(matchOf)}
			nothing={answer?.fault ?? props.nothing}
			onText={setText}
			onChoose={(key) => {
				const chosen = answer?.found.find((other) => matchOf(other).key === key);
				if (chosen !== undefined) onChoose(chosen);
			}}
		/>
	);
}
