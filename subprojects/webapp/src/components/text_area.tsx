import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Fault } from "./fault";

interface TextAreaProps {
	label: string;
	name: string;
	value: string;
	onInput: (value: string) => void;
	/** Called on leaving the field. */
	onLeave?: () => void;
	help?: ComponentChildren;
	/** Fault of the value, in plain words. */
	fault?: string | undefined;
	/** "Saved", beside the label. */
	said?: string | undefined;
	maxLength?: number;
	rows?: number;
}

/** A field for several lines, like Field for one. */
export function TextArea(props: TextAreaProps): JSX.Element {
	const id = useId();
	const { help, fault } = props;
	const described = [help !== undefined ? `${id}-help` : "", fault ? `${id}-fault` : ""];
	const length = props.maxLength === undefined ? {} : { maxLength: props.maxLength };
	return (
		<div class="field">
			<div class="field-head">
				<label for={id}>{props.label}</label>
				<span class="said" role="status">
					{props.said}
				</span>
			</div>
			<textarea
				id={id}
				name={props.name}
				rows={props.rows ?? 3}
				value={props.value}
				{...length}
				aria-invalid={fault ? "true" : "false"}
				aria-describedby={described.filter(Boolean).join(" ")}
				onInput={(event) => props.onInput(event.currentTarget.value)}
				onBlur={() => props.onLeave?.()}
			/>
			{help !== undefined && (
				<p class="quiet" id={`${id}-help`}>
					{help}
				</p>
			)}
			<Fault label={props.label} fault={fault} id={`${id}-fault`} />
		</div>
	);
}
