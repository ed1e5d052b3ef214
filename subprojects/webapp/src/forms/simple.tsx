import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Choice } from "../components/choice";
import { Button } from "../components/button";
import { Fault } from "../components/fault";
import { Field } from "../components/field";
import { Select } from "../components/select";
import { wordsOf } from "./fields";
import { momentOf, wallTimeOf } from "./moment";
import { helpOf, labelOf, sentenceOf, type FieldProps } from "./props";

/** Largest number of options that are all shown; more are in a list that opens. */
const CHOICES_MAX = 3;
const TEXT_MAX = 4096;

/** A label above and a text below any control, as in Field. */
export function Around({
	id,
	label,
	help,
	fault,
	isGroup,
	children,
}: {
	id: string;
	label: string;
	help: ComponentChildren;
	fault: string | undefined;
	/** Whether the children have labels of their own. */
	isGroup?: boolean;
	children: ComponentChildren;
}): JSX.Element {
	const described = [help !== undefined ? `${id}-help` : "", fault ? `${id}-fault` : ""];
	const group = isGroup
		? {
				role: "group" as const,
				"aria-labelledby": `${id}-label`,
				"aria-describedby": described.filter(Boolean).join(" "),
			}
		: {};
	return (
		<div class="field" {...group}>
			<div class="field-head">
				{isGroup ? (
					<span class="form-label" id={`${id}-label`}>
						{label}
					</span>
				) : (
					<label for={id}>{label}</label>
				)}
			</div>
			{children}
			{help !== undefined && (
				<p class="quiet" id={`${id}-help`}>
					{help}
				</p>
			)}
			<Fault label={label} fault={fault} id={`${id}-fault`} />
		</div>
	);
}

export function TextField({ field, value, onChange, fault, isDisabled }: FieldProps): JSX.Element {
	const help = helpOf(field);
	return (
		<Field
			label={labelOf(field)}
			name={field.id}
			value={value}
			onInput={onChange}
			fault={fault}
			asker="app"
			isDisabled={isDisabled}
			maxLength={TEXT_MAX}
			isVerbatim
			{...(help === undefined ? {} : { help })}
		/>
	);
}

/** Shows that a secret is stored, with the buttons to replace and to remove it. */
function StoredSecret({
	field,
	fault,
	isDisabled,
	onReplace,
	onForget,
}: FieldProps & { onReplace: () => void; onForget: () => void }): JSX.Element {
	const id = useId();
	return (
		<Around id={id} label={labelOf(field)} help={helpOf(field)} fault={fault} isGroup>
			<div class="form-secret">
				<span class="badge good">Set</span>
				<span class="row">
					<Button isDisabled={isDisabled} onClick={onReplace}>
						Replace<span class="only-read"> {labelOf(field)}</span>
					</Button>
					<Button isDisabled={isDisabled} onClick={onForget}>
						Remove<span class="only-read"> {labelOf(field)}</span>
					</Button>
				</span>
			</div>
		</Around>
	);
}

/** A write-only field: a stored secret is never shown, only that there is one. */
export function SecretField(props: FieldProps & { onForget: () => void }): JSX.Element {
	const { field, onChange, context } = props;
	const typed = context.settings[field.id];
	const isStored = context.secrets.has(field.id);
	const [isReplacing, setReplacing] = useState(false);
	const help = helpOf(field);
	const place = useRef<HTMLDivElement>(null);
	const isKept = isStored && !isReplacing && typed === undefined;
	const wasKept = useRef(isKept);
	// Focus the input, since the pressed button is removed.
	useLayoutEffect(() => {
		if (isStored && isKept !== wasKept.current)
			place.current?.querySelector<HTMLElement>("input, button")?.focus();
		wasKept.current = isKept;
	}, [isKept]);
	if (isKept)
		return (
			<div ref={place}>
				<StoredSecret {...props} onReplace={() => setReplacing(true)} />
			</div>
		);
	return (
		<div class="form-fields" ref={place}>
			<Field
				label={labelOf(field)}
				name={field.id}
				type="password"
				autoComplete="new-password"
				value={typed ?? ""}
				onInput={(text) => onChange(text === "" ? undefined : text)}
				fault={props.fault}
				isDisabled={props.isDisabled}
				maxLength={TEXT_MAX}
				isVerbatim
				help={
					<>
						{help !== undefined && <>{sentenceOf(help)} </>}
						{typed === null ? "Removed when you save." : "Stored encrypted and never shown again."}
					</>
				}
			/>
			{isStored && (
				<div class="row">
					<Button
						onClick={() => {
							setReplacing(false);
							onChange(undefined);
						}}
					>
						Keep the present value
					</Button>
				</div>
			)}
		</div>
	);
}

/** Chooses one option. A set value that is no longer offered is shown, but cannot be saved. */
export function OptionsField(props: FieldProps): JSX.Element {
	const { field, value, onChange, fault, isDisabled } = props;
	const options = field.options.map((option) => ({
		value: option.value,
		words: wordsOf(option),
	}));
	const isKnown = options.some((option) => option.value === value);
	const common = { label: labelOf(field), value, onChange, fault, isDisabled };
	if (isKnown && (field.type === "radio" || options.length <= CHOICES_MAX))
		return <Choice {...common} options={options} help={helpOf(field)} />;
	if (!isKnown)
		options.unshift({
			value,
			words: value === "" ? "Choose one" : `${value} (no longer available, choose another)`,
		});
	return <Select {...common} options={options} help={helpOf(field)} />;
}

export function ToggleField({
	field,
	value,
	onChange,
	fault,
	isDisabled,
}: FieldProps): JSX.Element {
	const id = useId();
	const help = helpOf(field);
	return (
		<div class="field form-toggle">
			<label class="check">
				<input
					type="checkbox"
					checked={value.toLowerCase() === "true"}
					disabled={isDisabled}
					aria-describedby={`${id}-help`}
					onChange={(event) => onChange(String(event.currentTarget.checked))}
				/>
				<span>{labelOf(field)}</span>
			</label>
			{(fault ?? help) !== undefined && (
				<p class={fault ? "fault" : "quiet"} id={`${id}-help`}>
					{fault ?? help}
				</p>
			)}
		</div>
	);
}

/** A field for date and time in the device's time zone. */
export function MomentField({
	field,
	value,
	onChange,
	fault,
	isDisabled,
	context,
}: FieldProps): JSX.Element {
	const id = useId();
	const { timezone } = context;
	const help = helpOf(field);
	return (
		<Around
			id={id}
			label={labelOf(field)}
			fault={fault}
			help={
				<>
					{help !== undefined && <>{sentenceOf(help)} </>}Time in {timezone.replaceAll("_", " ")}.
				</>
			}
		>
			<input
				id={id}
				class="form-moment"
				type="datetime-local"
				value={wallTimeOf(value, timezone)}
				disabled={isDisabled}
				aria-invalid={fault ? "true" : "false"}
				aria-describedby={`${id}-help ${id}-fault`}
				onChange={(event) => onChange(momentOf(event.currentTarget.value, timezone))}
			/>
		</Around>
	);
}
