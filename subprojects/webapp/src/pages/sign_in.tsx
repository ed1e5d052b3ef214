import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post } from "../api/client";
import { arePasskeysOffered } from "../api/passkey";
import { setAccount, signedOutReason, start } from "../api/session";
import { Check } from "../components/check";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { Gate } from "../frame/gate";
import { Heading } from "../frame/page";
import { go } from "../frame/place";
import { NewAccountFields, type NewAccount } from "./new_account";
import { PasskeySignIn } from "./sign_in_passkey";
import { ProviderSignIn } from "./sign_in_provider";

interface SignInProps {
	staysSignedIn: boolean;
	onStays: (stays: boolean) => void;
}

function SignInForm({ staysSignedIn, onStays }: SignInProps): JSX.Element {
	const [email, setEmail] = useState("");
	const [password, setPassword] = useState("");
	const submit = async () => {
		setAccount(await post("/web/session", { email, password, staysSignedIn }));
		if (location.pathname.endsWith("/register")) go("", { replaces: true });
	};
	return (
		<Form action="Sign in" onSubmit={submit} names={["email", "password"]}>
			{(faults) => (
				<>
					<Field
						label="E-mail address"
						name="email"
						type="email"
						value={email}
						onInput={setEmail}
						fault={faults.get("email")}
						autoComplete={arePasskeysOffered() ? "username webauthn" : "username"}
						isRequired
						isVerbatim
					/>
					<Field
						label="Password"
						name="password"
						type="password"
						value={password}
						onInput={setPassword}
						fault={faults.get("password")}
						autoComplete="current-password"
						isRequired
						isVerbatim
					/>
					<Check
						label="This device is mine: stay signed in for 90 days"
						isOn={staysSignedIn}
						onChange={onStays}
					/>
				</>
			)}
		</Form>
	);
}

/** Shows why nobody can sign in, if so. */
function Hindrance(): JSX.Element | null {
	if (start.value?.canSignIn === false)
		return (
			<div class="notice bad stack">
				<p>
					You cannot sign in: this server uses plain http, so others on the network could read your
					password. Ask the operator to set an https address with <code>--public-url</code>, or to
					allow plain http on a trusted network.
				</p>
			</div>
		);
	return null;
}

/** While the server has no account: how the link to the first one is found. */
function FirstSteps(): JSX.Element {
	return (
		<>
			<Heading title="Create the first account" />
			<p>
				There are no accounts yet. The first one, an administrator, is made with a link that works
				once:
			</p>
			<ol class="steps">
				<li class="stack">
					<p>
						The server printed the link when it started. Look for <code>/link#</code> in its output:
					</p>
					<pre class="code">journalctl -u displayd | grep link#</pre>
					<pre class="code">docker compose logs | grep link#</pre>
				</li>
				<li class="stack">
					<p>If it is lost or has expired, make a new one on the server's machine:</p>
					<pre class="code">sudo displayctl account link</pre>
				</li>
				<li class="stack">
					<p>Open the link in this browser.</p>
				</li>
			</ol>
		</>
	);
}

/** Where those who have no account go. */
function Elsewhere(): JSX.Element {
	return (
		<p class="quiet">
			<a href="docs">Read the API documentation</a>, or{" "}
			<a href="panel">use this browser as a panel</a>.
		</p>
	);
}

/** The ways to sign in, and whether the session stays. */
function SignInWays(): JSX.Element {
	const [staysSignedIn, setStays] = useState(false);
	return (
		<>
			<SignInForm staysSignedIn={staysSignedIn} onStays={setStays} />
			<PasskeySignIn staysSignedIn={staysSignedIn} />
			<ProviderSignIn staysSignedIn={staysSignedIn} />
		</>
	);
}

/** "/" and every other page that needs a signed-in user, if there is none. */
export function SignInPage(): JSX.Element {
	const isOpen = start.value?.registration === "open";
	if (start.value?.isNew)
		return (
			<Gate>
				<FirstSteps />
				<Hindrance />
				<Elsewhere />
			</Gate>
		);
	return (
		<Gate>
			<Heading title="Sign in" />
			{signedOutReason.value !== undefined && <p class="notice">{signedOutReason.value}</p>}
			<Hindrance />
			<SignInWays />
			<p class="quiet">
				{isOpen ? (
					<>
						No account?{" "}
						<a href="register" data-page>
							Create one
						</a>
						.{" "}
					</>
				) : (
					"You need an invitation to create an account. "
				)}
				Forgot your password? Ask the operator of this server for a link.
			</p>
			<Elsewhere />
		</Gate>
	);
}

/** /register, if registration is open. */
export function RegisterPage(): JSX.Element {
	const [account, setFields] = useState<NewAccount>({ email: "", name: "", password: "" });
	const submit = async () => {
		setAccount(await post("/web/registration", account));
		go("", { replaces: true });
	};
	return (
		<Gate>
			<Heading title="Create an account" />
			<Form action="Create account" onSubmit={submit} names={["email", "name", "password"]}>
				{(faults) => <NewAccountFields value={account} onChange={setFields} faults={faults} />}
			</Form>
			<p class="quiet">
				Already have an account?{" "}
				<a href="." data-page>
					Sign in
				</a>
				.
			</p>
		</Gate>
	);
}
