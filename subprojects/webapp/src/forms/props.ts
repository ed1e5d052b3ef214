import type { FormField, FormOption, Place, Settings } from "./fields";

/** Functions that request what a form cannot know itself. */
export interface Answers {
	/** Options that the handler of a field finds for a typed text, or for a chosen place. */
	options: (field: FormField, parameter: string) => Promise<readonly FormOption[]>;
	/** The fields that the handler of a generated field makes of its source's value. */
	fields: (field: FormField, parameter: string) => Promise<readonly FormField[]>;
	places: (text: string) => Promise<readonly Place[]>;
}

export interface FormContext {
	settings: Settings;
	/** IDs of stored secrets, whose values cannot be read. */
	secrets: ReadonlySet<string>;
	/** Time zone of the device, for dates and times. */
	timezone: string;
	/** Place of the device, as it is stored; undefined: the form is not for a device. */
	devicePlace?: string;
	answers: Answers;
}

/** Properties of each kind of field. */
export interface FieldProps {
	field: FormField;
	value: string;
	/** undefined: back to the default. */
	onChange: (value: string | undefined) => void;
	fault: string | undefined;
	isDisabled: boolean;
	context: FormContext;
}

/** Returns the field's name, or its ID if it has no name. */
export function labelOf(field: FormField): string {
	return field.name || field.id;
}

/** Returns the text below a field; undefined if it only repeats its name. */
export function helpOf(field: FormField): string | undefined {
	const words = field.description.trim();
	const bare = (text: string) => text.toLowerCase().replace(/[.:!?\s]+$/, "");
	return words === "" || bare(words) === bare(labelOf(field)) ? undefined : words;
}

/** Ends the text with a full stop, because more text follows. */
export function sentenceOf(words: string): string {
	return /[.!?]$/.test(words) ? words : `${words}.`;
}
