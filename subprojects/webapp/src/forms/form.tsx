import { Fragment, type JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Problem } from "../api/client";
import { Button } from "../components/button";
import { faultWords } from "../components/fault";
import { LocationBasedField, TypeaheadField } from "./asked";
import { ColourField } from "./colour";
import {
	keysOf,
	presenceOf,
	textOf,
	valueOf,
	withMade,
	withValue,
	type FormField,
	type Settings,
} from "./fields";
import { PhotoField } from "./photo";
import { PlaceField } from "./place";
import { helpOf, labelOf, type Answers, type FieldProps, type FormContext } from "./props";
import { MomentField, OptionsField, SecretField, TextField, ToggleField } from "./simple";

const KINDS: Record<string, (props: FieldProps) => JSX.Element> = {
	color: ColourField,
	datetime: MomentField,
	dropdown: OptionsField,
	location: PlaceField,
	locationbased: LocationBasedField,
	onoff: ToggleField,
	png: PhotoField,
	radio: OptionsField,
	text: TextField,
	typeahead: TypeaheadField,
};

/** Pause in typing before the generated fields are requested. */
const REST_MS = 400;

interface AppFormProps extends FormContext {
	fields: readonly FormField[];
	/** Faults, by the field's ID. */
	faults: ReadonlyMap<string, string>;
	onSettings: (settings: Settings) => void;
	/** Takes settings with defaults of generated fields: the user has changed nothing. */
	onDefaults?: (settings: Settings) => void;
}

/** A value that the server refuses, of a field that cannot be edited here: the user can remove it. */
function Refused({ field, form }: { field: FormField; form: AppFormProps }): JSX.Element | null {
	const fault = form.faults.get(field.id);
	if (fault === undefined) return null;
	return (
		<div class="row">
			<span class="fault">{faultWords(labelOf(field), fault)}</span>
			<Button onClick={() => form.onSettings(withValue(form.settings, field.id, undefined))}>
				Remove the value<span class="only-read">: {labelOf(field)}</span>
			</Button>
		</div>
	);
}

function Unavailable({
	field,
	words,
	form,
}: {
	field: FormField;
	words: string;
	form: AppFormProps;
}): JSX.Element {
	const help = helpOf(field);
	return (
		<div class="field">
			<span class="form-label">{labelOf(field)}</span>
			<p class="quiet">
				{help !== undefined && <>{help} </>}
				{words}
			</p>
			<Refused field={field} form={form} />
		</div>
	);
}

function OneField({
	field,
	form,
	isDisabled,
}: {
	field: FormField;
	form: AppFormProps;
	isDisabled: boolean;
}): JSX.Element {
	const Kind = KINDS[field.type];
	if (!Kind || field.unavailable !== null)
		return (
			<Unavailable field={field} words={field.unavailable ?? "Not supported here."} form={form} />
		);
	const props: FieldProps = {
		field,
		value: valueOf(field, form.settings),
		onChange: (value) => form.onSettings(withValue(form.settings, field.id, value)),
		fault: form.faults.get(field.id),
		isDisabled,
		context: form,
	};
	if (!field.secret) return <Kind {...props} />;
	const forget = () => form.onSettings(withValue(form.settings, field.id, null));
	return <SecretField {...props} onForget={forget} />;
}

interface Made {
	/** Value of the source for which the fields were made. */
	parameter: string;
	fields: readonly FormField[];
	fault?: string;
}

/** Fields that the app makes from the source's value; the old ones stay until the new are known. */
function useMade(field: FormField, parameter: string, answers: Answers): Made | undefined {
	const [made, setMade] = useState<Made>();
	useEffect(() => {
		let isOver = false;
		const say = (next: Made) => {
			if (!isOver) setMade(next);
		};
		const ask = () => {
			answers.fields(field, parameter).then(
				(fields) => say({ parameter, fields }),
				(error: unknown) => {
					if (!(error instanceof Problem)) throw error;
					say({ parameter, fields: [], fault: error.message });
				},
			);
		};
		const timer = setTimeout(ask, made === undefined ? 0 : REST_MS);
		return () => {
			isOver = true;
			clearTimeout(timer);
		};
	}, [field.id, parameter]);
	return made;
}

/** Fields that the app makes from the value of another field. */
function Generated({ field, form }: { field: FormField; form: AppFormProps }): JSX.Element | null {
	const source = form.fields.find(({ id }) => id === field.source);
	const parameter = source ? valueOf(source, form.settings) : "";
	const made = useMade(field, parameter, form.answers);
	const fields = made?.fields;
	const before = useRef<readonly FormField[]>([]);
	useEffect(() => {
		if (!fields) return;
		const next = withMade(form.settings, form.fields, before.current, fields, form.secrets);
		before.current = fields;
		if (textOf(next) !== textOf(form.settings)) (form.onDefaults ?? form.onSettings)(next);
	}, [fields]);
	if (!made) return null;
	if (made.fault !== undefined)
		return (
			<p class="fault" role="alert">
				{made.fault}
			</p>
		);
	if (made.fields.length === 0) return null;
	return (
		<div class={made.parameter === parameter ? "form-fields" : "form-fields form-waits"}>
			<Fields fields={made.fields.filter(({ type }) => type !== "generated")} form={form} />
		</div>
	);
}

function Fields({
	fields,
	form,
}: {
	fields: readonly FormField[];
	form: AppFormProps;
}): JSX.Element {
	const all = [...form.fields, ...fields];
	const keys = keysOf(fields);
	const shown = new Set(
		all.filter((field) => presenceOf(field, all, form.settings) !== "hidden").map(({ id }) => id),
	);
	return (
		<>
			{fields.map((field, i) => {
				const key = keys[i];
				if (field.type === "generated")
					return (
						<Fragment key={key}>
							<Refused field={field} form={form} />
							<Generated field={field} form={form} />
						</Fragment>
					);
				const presence = presenceOf(field, all, form.settings);
				// A visible field with the same ID shows the fault.
				if (presence === "hidden")
					return shown.has(field.id) ? null : <Refused key={key} field={field} form={form} />;
				const isDisabled = presence === "disabled";
				return <OneField key={key} field={field} form={form} isDisabled={isDisabled} />;
			})}
		</>
	);
}

/** Form for the settings of an app. */
export function AppForm(props: AppFormProps): JSX.Element {
	return (
		<div class="form-fields">
			<Fields fields={props.fields} form={props} />
		</div>
	);
}
