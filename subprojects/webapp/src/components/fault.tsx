import type { ComponentChildren, JSX } from "preact";
import { sentence } from "./sentence";

/**
 * Words for a fault of a field. The server's begin with a verb, since they name no label: "must
 * have 1 to 40 characters".
 */
export function faultWords(label: string, fault: string): string {
	return /^[a-z]/.test(fault) ? sentence(`${label} ${fault}`) : fault;
}

interface FaultProps {
	label: string;
	fault: string | undefined;
	id?: string;
	/** Whether screen readers read it at once. */
	isAlert?: boolean;
}

/** The fault of a field, with the field's label as its subject. */
export function Fault({ label, fault, id, isAlert }: FaultProps): JSX.Element | null {
	if (!fault) return null;
	return (
		<p class="fault" {...(id === undefined ? {} : { id })} {...(isAlert ? { role: "alert" } : {})}>
			{faultWords(label, fault)}
		</p>
	);
}

interface BelowProps {
	label: string;
	id: string;
	fault: string | undefined;
	help: ComponentChildren;
}

/** The text below a field: its fault, or else help to fill it in. */
export function Below({ label, id, fault, help }: BelowProps): JSX.Element | null {
	if (fault) return <Fault label={label} fault={fault} id={id} />;
	if (help === undefined) return null;
	return (
		<p class="quiet" id={id}>
			{help}
		</p>
	);
}
