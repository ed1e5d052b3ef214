import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { Below } from "./fault";

interface SelectProps {
	label: string;
	value: string;
	options: readonly { value: string; words: string }[];
	onChange: (value: string) => void;
	help?: string | undefined;
	fault?: string | undefined;
	/** "Saved", beside the label. */
	said?: string | undefined;
	isDisabled?: boolean;
}

/** Chooses one of many options, in a list that opens. */
export function Select(props: SelectProps): JSX.Element {
	const id = useId();
	const { fault, help } = props;
	return (
		<div class="field">
			<div class="field-head">
				<label for={id}>{props.label}</label>
				<span class="said" role="status">
					{props.said}
				</span>
			</div>
			<select
				id={id}
				value={props.value}
				disabled={props.isDisabled === true}
				aria-invalid={fault ? "true" : "false"}
				aria-describedby={`${id}-help`}
				onChange={(event) => props.onChange(event.currentTarget.value)}
			>
				{props.options.map(({ value, words }) => (
					<option key={value} value={value}>
						{words}
					</option>
				))}
			</select>
			<Below label={props.label} id={`${id}-help`} fault={fault} help={help} />
		</div>
	);
}
