import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, patch, post, Problem, remove, type Account } from "../api/client";
import type { Passkey } from "../api/passkey";
import { useResource } from "../api/resource";
import { renewSession, setAccount } from "../api/session";
import { Button } from "../components/button";
import { mebibytes } from "../components/bytes";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { usePasskeyChoice } from "../components/proof";
import { Tabs } from "../components/tabs";
import { toast } from "../components/toast";
import { go } from "../frame/place";
import { forgetShared } from "../share/kept";
import { Heading } from "../frame/page";
import type { Parameters } from "../frame/routes";
import { Identities } from "./account_identities";
import { Install } from "./account_install";
import { Mqtt } from "./account_mqtt";
import { Passkeys } from "./account_passkeys";
import { SignedIn } from "./account_sessions";
import { Missing } from "./missing";
import { PASSWORD_HELP } from "./new_account";

/** Saved on leaving the field. */
function Name({ account }: { account: Account }): JSX.Element {
	const [name, setName] = useState(account.name);
	const [said, setSaid] = useState<string>();
	const [fault, setFault] = useState<string>();
	const save = async () => {
		if (name === account.name) {
			setFault(undefined);
			return;
		}
		try {
			setAccount(await patch("/web/account", { name }));
			setSaid("Saved");
			setFault(undefined);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			setSaid(undefined);
			setFault(error.faults.get("name") ?? error.message);
		}
	};
	return (
		<Field
			label="Name"
			name="name"
			value={name}
			onInput={(value) => {
				setName(value);
				setSaid(undefined);
			}}
			onLeave={() => void save()}
			said={said}
			fault={fault}
			help="Shown to others beside the apps you write."
			autoComplete="name"
			maxLength={100}
		/>
	);
}

function Password({ passkeys }: { passkeys: readonly Passkey[] }): JSX.Element {
	const [currentPassword, setCurrent] = useState("");
	const [password, setPassword] = useState("");
	const { take, passkeyButton } = usePasskeyChoice(passkeys);
	const submit = async () => {
		const passkey = await take();
		const proof = passkey ? { passkey } : { currentPassword };
		await renewSession(post("/web/account/password", { ...proof, password }));
		setCurrent("");
		setPassword("");
		toast("Password changed. All other sessions were ended.");
	};
	return (
		<Form
			action="Change password"
			kind="plain"
			onSubmit={submit}
			names={["currentPassword", "password"]}
			beside={passkeyButton}
		>
			{(faults) => (
				<>
					<Field
						label="Current password"
						name="currentPassword"
						type="password"
						value={currentPassword}
						onInput={setCurrent}
						fault={faults.get("currentPassword")}
						autoComplete="current-password"
						isRequired
						isVerbatim
					/>
					<Field
						label="New password"
						name="password"
						type="password"
						value={password}
						onInput={setPassword}
						fault={faults.get("password")}
						help={PASSWORD_HELP}
						autoComplete="new-password"
						isRequired
						isVerbatim
					/>
				</>
			)}
		</Form>
	);
}

async function signOut(): Promise<void> {
	try {
		await remove("/web/session");
	} catch (error) {
		if (error instanceof Problem && error.status !== 401) {
			toast(error.message);
			return;
		}
	}
	await forgetShared();
	go("", { replaces: true });
	setAccount(null);
}

/** Storage that the account uses. */
function Storage(): JSX.Element | null {
	const storage = useResource(() => get("/web/account/storage"), ["account", "devices"]);
	const found = storage.value.value;
	if (!found) return null;
	return (
		<section class="stack">
			<h2>Storage</h2>
			<p class="words">
				Pushed pictures, drafts and versions take {mebibytes(found.bytes)} of{" "}
				{mebibytes(found.bytesAllowed)}.
			</p>
		</section>
	);
}

function Profile({ account }: { account: Account }): JSX.Element {
	return (
		<>
			<section>
				<div class="form-width">
					<Name account={account} key={account.id} />
				</div>
			</section>
			<Storage />
			<Install />
			<section class="stack">
				<h2>Delete the account</h2>
				<p class="words">
					<a href="account/removal" data-page>
						See what will be deleted
					</a>{" "}
					before you delete it.
				</p>
			</section>
		</>
	);
}

function SignIn({ account }: { account: Account }): JSX.Element {
	const passkeys = useResource(() => get("/web/passkeys"), ["account"]);
	return (
		<>
			<section class="stack">
				<h2>Password</h2>
				<div class="form-width">
					<Password passkeys={passkeys.value.value ?? []} />
				</div>
			</section>
			<Passkeys account={account} passkeys={passkeys} />
			<Identities passkeys={passkeys.value.value ?? []} />
		</>
	);
}

const PARTS: Record<string, (props: { account: Account }) => JSX.Element | null> = {
	"": Profile,
	"sign-in": SignIn,
	sessions: SignedIn,
	mqtt: Mqtt,
};

/** /account, and its parts. */
export function AccountPage({
	account,
	parameters,
}: {
	account: Account;
	parameters: Parameters;
}): JSX.Element {
	const Part = PARTS[parameters["part"] ?? ""];
	if (!Part) return <Missing />;
	return (
		<div class="stack wide">
			<div class="stack">
				<div class="row between">
					<Heading title="Account" />
					<Button onClick={() => void signOut()}>Sign out</Button>
				</div>
				<p class="words">
					Signed in as <strong>{account.email}</strong>.
				</p>
			</div>
			<Tabs
				label="Sections of the account"
				tabs={[
					{ to: "account", words: "Profile" },
					{ to: "account/sign-in", words: "Password and passkeys" },
					{ to: "account/sessions", words: "Sessions" },
					{ to: "account/mqtt", words: "MQTT" },
				]}
			/>
			<Part account={account} />
		</div>
	);
}
