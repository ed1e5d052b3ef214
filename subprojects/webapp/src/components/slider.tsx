import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { Below } from "./fault";

interface RangeProps {
	id: string;
	/** 0 to 100. */
	value: number;
	onInput: (value: number) => void;
	describedBy?: string;
	isInvalid?: boolean;
}

/** The part of a slider that moves. */
export function Range({ id, value, onInput, describedBy, isInvalid }: RangeProps): JSX.Element {
	return (
		<input
			id={id}
			type="range"
			min={0}
			max={100}
			value={value}
			style={{ "--share": `${value}%` }}
			aria-describedby={describedBy}
			aria-invalid={isInvalid === true}
			onInput={(event) => onInput(event.currentTarget.valueAsNumber)}
		/>
	);
}

interface SliderProps {
	label: string;
	/** 0 to 100. */
	value: number;
	onInput: (value: number) => void;
	help?: string;
	fault?: string | undefined;
	said?: string | undefined;
}

/** A slider for a percentage. */
export function Slider({ label, value, onInput, help, fault, said }: SliderProps): JSX.Element {
	const id = useId();
	return (
		<div class="field">
			<div class="field-head">
				<label for={id}>{label}</label>
				<span class="said" role="status">
					{said}
				</span>
			</div>
			<div class="slider">
				<Range
					id={id}
					value={value}
					onInput={onInput}
					describedBy={`${id}-help`}
					isInvalid={fault !== undefined}
				/>
				<output for={id}>{value} %</output>
			</div>
			<Below label={label} id={`${id}-help`} fault={fault} help={help} />
		</div>
	);
}
