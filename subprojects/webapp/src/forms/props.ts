import type { FormField, FormOption, Place, Settings } from "./fields";

/** What a form asks somebody else. */
export interface Answers {
	/** What the handler of a field finds for a text: typed, or the place that was chosen. */
	options: (field: FormField, parameter: string) => Promise<readonly FormOption[]>;
	/** The fields that the handler of a generated field makes of its source's value. */
	fields: (field: FormField, parameter: string) => Promise<readonly FormField[]>;
	places: (text: string) => Promise<readonly Place[]>;
}

export interface FormContext {
	settings: Settings;
	/** Secrets that are stored; nobody can read them. */
	secrets: ReadonlySet<string>;
	/** Of the device: that of dates and times. */
	timezone: string;
	answers: Answers;
}

/** What each kind of field gets. */
export interface FieldProps {
	field: FormField;
	value: string;
	/** undefined: the default again. */
	onChange: (value: string | undefined) => void;
	fault: string | undefined;
	isDisabled: boolean;
	context: FormContext;
}

/** What a field is called: not all have a name. */
export function labelOf(field: FormField): string {
	return field.name || field.id;
}

/** The words below a field; none where they only say its name again. */
export function helpOf(field: FormField): string | undefined {
	const words = field.description.trim();
	const bare = (text: string) => text.toLowerCase().replace(/[.:!?\s]+$/, "");
	return words === "" || bare(words) === bare(labelOf(field)) ? undefined : words;
}

/** With its full stop: something follows. */
export function sentenceOf(words: string): string {
	return /[.!?]$/.test(words) ? words : `${words}.`;
}
