import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { Below } from "./fault";

interface ChoiceProps<T extends string> {
	label: string;
	/** The label is only for screen readers: visually, the surroundings say it. */
	isLabelRead?: boolean;
	value: T;
	options: readonly { value: T; words: string; about?: string }[];
	onChange: (value: T) => void;
	/** "Saved", beside the label. */
	said?: string | undefined;
	help?: string | undefined;
	fault?: string | undefined;
	/** Each in a box of its own. */
	isBoxed?: boolean;
	isDisabled?: boolean | undefined;
}

/** Chooses one of a few options, all of which are visible. */
export function Choice<T extends string>(props: ChoiceProps<T>): JSX.Element {
	const id = useId();
	const { options, help, fault } = props;
	return (
		<fieldset class="field" disabled={props.isDisabled === true} aria-describedby={`${id}-help`}>
			<legend class={props.isLabelRead ? "only-read" : "field-head"}>
				{props.label}
				<span class="said" role="status">
					{props.said}
				</span>
			</legend>
			<div class={props.isBoxed ? "choices boxed" : "choices"}>
				{options.map(({ value, words, about }) => (
					<label key={value} class="check">
						<input
							type="radio"
							name={id}
							checked={value === props.value}
							onChange={() => props.onChange(value)}
						/>
						<span class="two-lines">
							{words}
							{about !== undefined && <span class="quiet">{about}</span>}
						</span>
					</label>
				))}
			</div>
			<Below label={props.label} id={`${id}-help`} fault={fault} help={help} />
		</fieldset>
	);
}
