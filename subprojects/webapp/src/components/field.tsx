import type { ComponentChildren, JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { Fault } from "./fault";
import type { Asker } from "./hosts";
import { useReach } from "./reach";

interface FieldProps {
	label: string;
	name: string;
	value: string;
	onInput: (value: string) => void;
	/** Called on leaving the field, and on Enter. */
	onLeave?: () => void;
	type?: "text" | "email" | "password" | "url" | "number" | "time" | "date";
	help?: ComponentChildren;
	/** Fault of the value, in plain words. */
	fault?: string | undefined;
	/** Program that would ask the typed address. If that is local, the field says at once what is missing. */
	asker?: Asker | undefined;
	/** "Saved", beside the label. */
	said?: string | undefined;
	autoComplete?: AutoFill;
	isRequired?: boolean;
	isReadOnly?: boolean;
	isDisabled?: boolean;
	maxLength?: number;
	/** No spell check, capitals or corrections: for keys and addresses. */
	isVerbatim?: boolean;
}

export type AutoFill =
	"off" | "username" | "username webauthn" | "name" | "email" | "current-password" | "new-password";

interface InputProps extends Omit<FieldProps, "label" | "help" | "said" | "asker"> {
	id: string;
	described: string;
}

function Input(props: InputProps): JSX.Element {
	const type = props.type ?? "text";
	const length = props.maxLength === undefined ? {} : { maxLength: props.maxLength };
	return (
		<input
			id={props.id}
			name={props.name}
			{...({ type } as { type: "text" })}
			value={props.value}
			autocomplete={props.autoComplete ?? "off"}
			required={props.isRequired === true}
			readOnly={props.isReadOnly === true}
			disabled={props.isDisabled === true}
			{...length}
			spellcheck={props.isVerbatim !== true && type === "text"}
			autocapitalize={props.isVerbatim ? "off" : "sentences"}
			aria-invalid={props.fault ? "true" : "false"}
			aria-describedby={props.described}
			onInput={(event) => props.onInput(event.currentTarget.value)}
			onBlur={() => props.onLeave?.()}
			onKeyDown={(event) => {
				if (event.key === "Enter") props.onLeave?.();
			}}
		/>
	);
}

/** A label, an input, a help text and a fault, connected for screen readers. */
export function Field(props: FieldProps): JSX.Element {
	const id = useId();
	const [isShown, setShown] = useState(false);
	const { label, help, said, asker, ...rest } = props;
	const reach = useReach(props.value, asker);
	const fault = props.fault ?? reach;
	const isSecret = props.type === "password";
	const described = [help !== undefined ? `${id}-help` : "", fault ? `${id}-fault` : ""];
	return (
		<div class="field">
			<div class="field-head">
				<label for={id}>{label}</label>
				<span class="said" role="status">
					{said}
				</span>
			</div>
			<div class="field-input">
				<Input
					{...rest}
					fault={fault}
					id={id}
					type={isSecret && isShown ? "text" : (props.type ?? "text")}
					described={described.filter(Boolean).join(" ")}
				/>
				{isSecret && (
					<button
						type="button"
						class="reveal"
						aria-pressed={isShown}
						aria-label={`Show ${label.toLowerCase()}`}
						onClick={() => setShown(!isShown)}
					>
						{isShown ? "Hide" : "Show"}
					</button>
				)}
			</div>
			{help !== undefined && (
				<p class="quiet" id={`${id}-help`}>
					{help}
				</p>
			)}
			<Fault label={label} fault={fault} id={`${id}-fault`} />
		</div>
	);
}
