import type { JSX } from "preact";
import { useId } from "preact/hooks";

interface RadiosProps<T extends string> {
	label: string;
	value: T;
	onChange: (value: T) => void;
	options: readonly { value: T; words: string; about: string }[];
}

/** One of a few, each with a word about it. */
export function Radios<T extends string>(props: RadiosProps<T>): JSX.Element {
	const name = useId();
	return (
		<fieldset class="radios">
			<legend class="only-read">{props.label}</legend>
			{props.options.map(({ value, words, about }) => (
				<label key={value} class="radio">
					<input
						type="radio"
						name={name}
						checked={value === props.value}
						onChange={() => props.onChange(value)}
					/>
					<span class="two-lines">
						{words}
						<span class="quiet">{about}</span>
					</span>
				</label>
			))}
		</fieldset>
	);
}
