import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { Below } from "./fault";

/** Option that can be chosen. */
export interface Match {
	key: string;
	words: string;
	/** Secondary text beside it. */
	about?: string | undefined;
}

interface ComboProps {
	label: string;
	/** Text of the chosen option. */
	value: string;
	/** Typed text; undefined while the list is closed. */
	text: string | undefined;
	/** undefined: the search is running. */
	found: readonly Match[] | undefined;
	/** Shown if nothing is found. */
	nothing?: string | undefined;
	onText: (text: string | undefined) => void;
	onChoose: (key: string) => void;
	placeholder?: string | undefined;
	fault?: string | undefined;
	said?: string | undefined;
	help?: string | undefined;
	isDisabled?: boolean | undefined;
	/** Whether the list stays closed, because the typed text is not looked up yet. */
	isListHidden?: boolean;
}

function List({
	id,
	found,
	nothing,
	at,
	onChoose,
}: {
	id: string;
	found: readonly Match[] | undefined;
	nothing: string;
	at: number;
	onChoose: (key: string) => void;
}): JSX.Element {
	return (
		<ul class="options" id={id} role="listbox" aria-label="Matches">
			{found?.map(({ key, words, about }, i) => (
				<li
					key={key}
					id={`${id}-${i}`}
					role="option"
					aria-selected={i === at}
					ref={(element) => {
						if (i === at) element?.scrollIntoView({ block: "nearest" });
					}}
					onPointerDown={(event) => event.preventDefault()}
					onClick={() => onChoose(key)}
				>
					{words} {about !== undefined && <span class="quiet">{about}</span>}
				</li>
			))}
			{!found?.length && (
				<li class="quiet" role="option" aria-selected="false" aria-disabled="true">
					{found ? nothing : "Searching"}
				</li>
			)}
		</ul>
	);
}

/** Handles keys: arrows go through the list, Enter chooses, Escape closes it. */
function useKeys({ text, found, onText, onChoose }: ComboProps): {
	at: number;
	type: (text: string) => void;
	choose: (key: string | undefined) => void;
	onKeyDown: (event: KeyboardEvent) => void;
} {
	const [at, setAt] = useState(0);
	// Enter was pressed before the matches were there.
	const [isMeant, setMeant] = useState(false);
	const count = found?.length ?? 0;
	const type = (next: string) => {
		onText(next);
		setAt(0);
		setMeant(false);
	};
	const choose = (key: string | undefined) => {
		onText(undefined);
		if (key !== undefined) onChoose(key);
	};
	useEffect(() => {
		if (!isMeant || found === undefined) return;
		setMeant(false);
		if (text !== undefined) choose(found[at]?.key);
	}, [isMeant, found]);
	const onKeyDown = (event: KeyboardEvent) => {
		const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
		if (step !== 0 && text === undefined) type("");
		else if (step !== 0) setAt((at + step + count) % Math.max(count, 1));
		else if (event.key === "Enter" && text !== undefined && found === undefined) setMeant(true);
		else if (event.key === "Enter" && text !== undefined) choose(found?.[at]?.key);
		else if (event.key === "Escape" && text !== undefined) onText(undefined);
		else return;
		event.preventDefault();
	};
	return { at: Math.min(at, Math.max(count - 1, 0)), type, choose, onKeyDown };
}

/** A text field with a list of matches for the typed text. */
export function Combo(props: ComboProps): JSX.Element {
	const { label, value, text, found, fault, said, help } = props;
	const id = useId();
	const { at, type, choose, onKeyDown } = useKeys(props);
	const [isLost, setLost] = useState(false);
	// Typed text is not a choice: show that to a user who leaves the field with it.
	const leave = () => {
		setLost(text !== undefined && text.trim() !== "" && text !== value);
		props.onText(undefined);
	};
	const isOpen = text !== undefined && props.isListHidden !== true;
	const active = isOpen && found?.length ? `${id}-list-${at}` : undefined;
	return (
		<div class="field">
			<div class="field-head">
				<label for={id}>{label}</label>
				<span class="said" role="status">
					{isLost ? "Choose an item from the list." : said}
				</span>
			</div>
			<div class="combobox">
				<input
					id={id}
					role="combobox"
					aria-expanded={isOpen}
					aria-controls={`${id}-list`}
					aria-autocomplete="list"
					aria-activedescendant={active}
					aria-invalid={fault ? "true" : "false"}
					aria-describedby={`${id}-help`}
					autocomplete="off"
					spellcheck={false}
					disabled={props.isDisabled === true}
					value={text ?? value}
					placeholder={value || props.placeholder}
					onFocus={(event) => {
						setLost(false);
						event.currentTarget.select();
					}}
					onClick={() => type(text ?? "")}
					onInput={(event) => type(event.currentTarget.value)}
					onBlur={leave}
					onKeyDown={onKeyDown}
				/>
				{isOpen && (
					<List
						id={`${id}-list`}
						found={found}
						nothing={props.nothing ?? "No matches"}
						at={at}
						onChoose={choose}
					/>
				)}
			</div>
			<Below label={label} id={`${id}-help`} fault={fault} help={help} />
		</div>
	);
}
