import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
	label: string;
	name: string;
	value: string;
	onInput: (value: string) => void;
	/** On leaving it. */
	onLeave?: () => void;
	type?: "text" | "email" | "password" | "url";
	help?: ComponentChildren;
	/** What is wrong with the value, in plain words. */
	fault?: string | undefined;
	autoComplete?: string;
	isRequired?: boolean;
	maxLength?: number;
	/** Spelling, capitals and corrections are left alone: keys, addresses. */
	isVerbatim?: boolean;
}

/** A label, an input, what helps and what was wrong, tied together for those who listen. */
export function Field(props: FieldProps): JSX.Element {
	const id = useId();
	const { help, fault } = props;
	const described = [help !== undefined ? `${id}-help` : "", fault ? `${id}-fault` : ""];
	return (
		<div class="field">
			<label for={id}>{props.label}</label>
			<input
				id={id}
				name={props.name}
				{...({ type: props.type ?? "text" } as { type: "text" })}
				value={props.value}
				autocomplete={props.autoComplete ?? "off"}
				required={props.isRequired === true}
				{...(props.maxLength === undefined ? {} : { maxLength: props.maxLength })}
				spellcheck={props.isVerbatim !== true}
				autocapitalize={props.isVerbatim ? "off" : "sentences"}
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
			{fault && (
				<p class="fault" id={`${id}-fault`}>
					{fault}
				</p>
			)}
		</div>
	);
}
