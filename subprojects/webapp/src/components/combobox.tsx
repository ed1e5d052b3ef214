import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";

interface ComboboxProps {
	label: string;
	value: string;
	/** Asked for when it is opened. */
	options: () => readonly string[];
	/** What stands beside an option, quietly. */
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

function List({
	id,
	options,
	about,
	at,
	onChoose,
}: {
	id: string;
	options: readonly string[];
	about: ((option: string) => string) | undefined;
	at: number;
	onChoose: (value: string) => void;
}): JSX.Element {
	return (
		<ul class="options" id={id} role="listbox" aria-label="Matches">
			{options.map((value, i) => (
				<li
					key={value}
					id={`${id}-${i}`}
					role="option"
					aria-selected={i === at}
					ref={(element) => {
						if (i === at) element?.scrollIntoView({ block: "nearest" });
					}}
					onPointerDown={(event) => event.preventDefault()}
					onClick={() => onChoose(value)}
				>
					{value} {about && <span class="quiet">{about(value)}</span>}
				</li>
			))}
			{options.length === 0 && (
				<li class="quiet" role="option" aria-selected="false" aria-disabled="true">
					Nothing is called so
				</li>
			)}
		</ul>
	);
}

interface Typing {
	/** What is typed; undefined while the list is closed. */
	text: string | undefined;
	found: readonly string[];
	/** Which of them Enter chooses. */
	at: number;
	type: (text: string) => void;
	close: () => void;
	choose: (value: string | undefined) => void;
	onKeyDown: (event: KeyboardEvent) => void;
}

function useTyping({ value, options, onChoose }: ComboboxProps): Typing {
	const [text, setText] = useState<string>();
	const [at, setAt] = useState(0);
	const found = text === undefined ? [] : findOptions(options(), text);
	const type = (next: string) => {
		setText(next);
		setAt(0);
	};
	const close = () => setText(undefined);
	const choose = (chosen: string | undefined) => {
		close();
		if (chosen !== undefined && chosen !== value) onChoose(chosen);
	};
	const onKeyDown = (event: KeyboardEvent) => {
		const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
		if (step !== 0 && text === undefined) type("");
		else if (step !== 0) setAt((at + step + found.length) % Math.max(found.length, 1));
		else if (event.key === "Enter" && text !== undefined) choose(found[at]);
		else if (event.key === "Escape" && text !== undefined) close();
		else return;
		event.preventDefault();
	};
	return { text, found, at, type, close, choose, onKeyDown };
}

/** A list to choose from by typing a part of what one looks for. */
export function Combobox(props: ComboboxProps): JSX.Element {
	const { label, value, fault, said, help } = props;
	const id = useId();
	const { text, found, at, type, close, choose, onKeyDown } = useTyping(props);
	const isOpen = text !== undefined;
	return (
		<div class="field">
			<div class="field-head">
				<label for={id}>{label}</label>
				<span class="said" role="status">
					{said}
				</span>
			</div>
			<div class="combobox">
				<input
					id={id}
					role="combobox"
					aria-expanded={isOpen}
					aria-controls={`${id}-list`}
					aria-autocomplete="list"
					aria-activedescendant={isOpen && found.length > 0 ? `${id}-list-${at}` : undefined}
					aria-invalid={fault ? "true" : "false"}
					aria-describedby={`${id}-help`}
					autocomplete="off"
					spellcheck={false}
					value={text ?? value}
					placeholder={value}
					onFocus={(event) => event.currentTarget.select()}
					onClick={() => type(text ?? "")}
					onInput={(event) => type(event.currentTarget.value)}
					onBlur={close}
					onKeyDown={onKeyDown}
				/>
				{isOpen && (
					<List id={`${id}-list`} options={found} about={props.about} at={at} onChoose={choose} />
				)}
			</div>
			<p class={fault ? "fault" : "quiet"} id={`${id}-help`}>
				{fault ?? help}
			</p>
		</div>
	);
}
