import type { JSX } from "preact";
import { useId } from "preact/hooks";

interface ChoiceProps<T extends string> {
	label: string;
	value: T;
	options: readonly { value: T; words: string; help?: string }[];
	onChange: (value: T) => void;
	/** "Saved", beside the label. */
	said?: string | undefined;
}

/** One of a few, all of which are seen. */
export function Choice<T extends string>(props: ChoiceProps<T>): JSX.Element {
	const id = useId();
	return (
		<fieldset class="field">
			<legend class="field-head">
				{props.label}
				<span class="said" role="status">
					{props.said}
				</span>
			</legend>
			<div class="choices">
				{props.options.map(({ value, words, help }) => (
					<label key={value} class="check">
						<input
							type="radio"
							name={id}
							checked={value === props.value}
							onChange={() => props.onChange(value)}
						/>
						<span class="two-lines">
							{words}
							{help !== undefined && <span class="quiet">{help}</span>}
						</span>
					</label>
				))}
			</div>
		</fieldset>
	);
}
