import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { Problem } from "../api/client";
import {
	arePasskeysOffered,
	askPasskey,
	type Assertion,
	type Passkey,
	type Proof,
} from "../api/passkey";
import { Button } from "./button";
import { Field } from "./field";
import { Form } from "./form";

interface ProofFormProps {
	/** Text of the button. */
	action: string;
	kind?: "primary" | "danger";
	/** Passkeys of the account: they can replace the password. */
	passkeys: readonly Passkey[];
	/** Throws a Problem on failure. */
	onProof: (proof: Proof) => Promise<void>;
	/** Fields before the password, and their names. */
	children?: (faults: ReadonlyMap<string, string>) => ComponentChildren;
	names?: readonly string[];
	onCancel?: () => void;
}

interface PasskeyChoice {
	/** Returns the assertion of a passkey, if its button was pressed. */
	take: () => Promise<Assertion | undefined>;
	/** A second button of the form; null without passkeys. */
	passkeyButton: JSX.Element | null;
}

/** Adds the choice of a passkey to a form that is sent with the password, or with a passkey. */
export function usePasskeyChoice(passkeys: readonly Passkey[]): PasskeyChoice {
	const isChosen = useRef(false);
	const isOffered = passkeys.length > 0 && arePasskeysOffered();
	return {
		take: async () => {
			if (!isChosen.current) return undefined;
			isChosen.current = false;
			return askPasskey({ known: passkeys });
		},
		passkeyButton: isOffered ? (
			<Button type="submit" onClick={() => (isChosen.current = true)}>
				Use a passkey
			</Button>
		) : null,
	};
}

/** A form that is sent with the password, or with a passkey. */
export function ProofForm(props: ProofFormProps): JSX.Element {
	const [password, setPassword] = useState("");
	const { take, passkeyButton } = usePasskeyChoice(props.passkeys);
	const submit = async () => {
		const passkey = await take();
		if (!passkey && password === "")
			throw new Problem(400, "", new Map([["password", "Enter your password."]]));
		await props.onProof(passkey ? { passkey } : { password });
	};
	return (
		<Form
			action={props.action}
			kind={props.kind ?? "primary"}
			onSubmit={submit}
			names={["password", ...(props.names ?? [])]}
			beside={
				<>
					{passkeyButton}
					{props.onCancel && <Button onClick={props.onCancel}>Cancel</Button>}
				</>
			}
		>
			{(faults) => (
				<>
					{props.children?.(faults)}
					<Field
						label="Your password"
						name="password"
						type="password"
						value={password}
						onInput={setPassword}
						fault={faults.get("password")}
						autoComplete="current-password"
						isRequired
						isVerbatim
					/>
				</>
			)}
		</Form>
	);
}
