import type { PlainSetting } from "plain-settings";

export type Value = string | number | boolean | null;

export function textOf(value: Value): string {
	return value === null ? "" : String(value);
}

/** Value of a typed text; empty: none, if that is allowed. */
export function valueOf({ kind, isNullable }: PlainSetting, text: string): Value {
	if (text === "" && isNullable) return null;
	return kind === "number" ? Number(text) : text;
}

/** "From 5 to 300, or empty."; "" if there are no bounds. */
export function boundsOf({ kind, minimum, maximum, isNullable }: PlainSetting): string {
	if (kind === "number")
		return `From ${minimum ?? 0} to ${maximum ?? 0}${isNullable ? ", or empty" : ""}.`;
	return isNullable ? "May be empty." : "";
}

/** Fault of a typed text, for a person; the server checks what this lets through. */
export function faultOf(setting: PlainSetting, text: string): string | undefined {
	const { kind, minimum = 0, maximum = 0, isNullable } = setting;
	if (text === "" && isNullable) return undefined;
	if (kind === "number") {
		const number = Number(text);
		const isGood =
			text !== "" && Number.isInteger(number) && minimum <= number && number <= maximum;
		return isGood
			? undefined
			: `Enter ${minimum} to ${maximum}${isNullable ? ", or leave it empty" : ""}.`;
	}
	return kind === "time" && text === "" ? "Enter a time." : undefined;
}
