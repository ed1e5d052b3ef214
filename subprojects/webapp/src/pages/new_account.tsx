import type { JSX } from "preact";
import { Field } from "../components/field";

export interface NewAccount {
	email: string;
	name: string;
	password: string;
}

interface NewAccountProps {
	value: NewAccount;
	onChange: (value: NewAccount) => void;
	faults: ReadonlyMap<string, string>;
	/** The invitation's address, which cannot be changed. */
	isForEmail?: boolean;
}

export const PASSWORD_HELP = "At least 10 characters. A few words in a row are easy to remember.";

export function NewAccountFields(props: NewAccountProps): JSX.Element {
	const { value, onChange, faults } = props;
	return (
		<>
			<Field
				label="E-mail address"
				name="email"
				type="email"
				value={value.email}
				onInput={(email) => onChange({ ...value, email })}
				fault={faults.get("email")}
				autoComplete="username"
				help="For signing in. The server sends no e-mail."
				isReadOnly={props.isForEmail === true}
				isRequired
				isVerbatim
			/>
			<Field
				label="Name"
				name="name"
				value={value.name}
				onInput={(name) => onChange({ ...value, name })}
				fault={faults.get("name")}
				autoComplete="name"
				help="Shown to others beside the apps you write."
				maxLength={100}
				isRequired
			/>
			<Field
				label="Password"
				name="password"
				type="password"
				value={value.password}
				onInput={(password) => onChange({ ...value, password })}
				fault={faults.get("password")}
				autoComplete="new-password"
				help={PASSWORD_HELP}
				isRequired
				isVerbatim
			/>
		</>
	);
}
