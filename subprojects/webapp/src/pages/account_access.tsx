import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { get, post, Problem, type Schemas } from "../api/client";
import type { Passkey, Proof } from "../api/passkey";
import { useResource, type Resource } from "../api/resource";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { ProofForm } from "../components/proof";
import { Table } from "../components/table";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { Heading } from "../frame/page";
import { scopes } from "./key_form";
import { setUpWords } from "./key_set_up";

interface Access {
	passkeys: Passkey[];
	identities: Schemas["Identity"][];
	keys: Schemas["Key"][];
	webhooks: Schemas["Webhook"][];
	mqtt: Schemas["MqttConnection"];
}

async function getAccess(): Promise<Access> {
	const [passkeys, identities, keys, webhooks, mqtt] = await Promise.all([
		get("/web/passkeys"),
		get("/web/identities"),
		get("/web/keys"),
		get("/web/webhooks"),
		get("/web/account/mqtt"),
	]);
	return { passkeys, identities, keys, webhooks, mqtt };
}

function hasMqtt({ mqtt }: Access): boolean {
	return mqtt.url !== null && !mqtt.isOfInstance;
}

function isEmpty(access: Access): boolean {
	const { passkeys, identities, keys, webhooks } = access;
	return (
		passkeys.length + identities.length + keys.length + webhooks.length === 0 && !hasMqtt(access)
	);
}

/** One kind of access, unless there is none. */
function Kind(props: {
	title: string;
	has: boolean;
	children: ComponentChildren;
}): JSX.Element | null {
	if (!props.has) return null;
	return (
		<section class="stack">
			<h2>{props.title}</h2>
			{props.children}
		</section>
	);
}

function used(at: string | null): JSX.Element {
	return at === null ? <>never</> : <When at={at} />;
}

function IdentityList({ identities }: Pick<Access, "identities">): JSX.Element {
	return (
		<Kind title="Identities" has={identities.length > 0}>
			<Table
				caption="Identities at a provider that sign in"
				rows={identities}
				rowKey={(identity) => identity.id}
				columns={[
					{ title: "Identity", cell: (identity) => identity.label },
					{ title: "Connected", cell: (identity) => <When at={identity.createdAt} /> },
					{ title: "Last used", cell: (identity) => used(identity.lastUsedAt) },
				]}
			/>
		</Kind>
	);
}

function Lists({ access }: { access: Access }): JSX.Element {
	const { passkeys, identities, keys, webhooks, mqtt } = access;
	return (
		<>
			<Kind title="Passkeys" has={passkeys.length > 0}>
				<Table
					caption="Passkeys that sign in"
					rows={passkeys}
					rowKey={(passkey) => passkey.id}
					columns={[
						{ title: "Name", cell: (passkey) => passkey.name },
						{ title: "Added", cell: (passkey) => <When at={passkey.createdAt} /> },
						{ title: "Last used", cell: (passkey) => used(passkey.lastUsedAt) },
					]}
				/>
			</Kind>
			<IdentityList identities={identities} />
			<Kind title="API keys" has={keys.length > 0}>
				<Table
					caption="API keys of programs"
					rows={keys}
					rowKey={(key) => key.id}
					columns={[
						{ title: "Name", cell: (key) => key.name },
						{ title: "Use", cell: (key) => scopes.find(({ value }) => value === key.scope)?.words },
						{ title: "Created", cell: (key) => <When at={key.createdAt} /> },
						{ title: "Last used", cell: (key) => used(key.lastUsedAt) },
						{ title: "Has set up", cell: (key) => setUpWords(key.setUp) || "-" },
					]}
				/>
			</Kind>
			<Kind title="Webhooks" has={webhooks.length > 0}>
				<Table
					caption="URLs that get events of your devices"
					rows={webhooks}
					rowKey={(webhook) => webhook.id}
					columns={[
						{ title: "URL", cell: (webhook) => webhook.url },
						{ title: "Created", cell: (webhook) => <When at={webhook.createdAt} /> },
					]}
				/>
			</Kind>
			<Kind title="MQTT" has={hasMqtt(access)}>
				<p class="words">
					The broker <strong>{mqtt.url}</strong> controls your panels.
				</p>
			</Kind>
		</>
	);
}

interface EndProps {
	passkeys: Passkey[];
	found: Resource<Access>;
	onDone: () => void;
}

function End({ passkeys, found, onDone }: EndProps): JSX.Element {
	const end = async (proof: Proof) => {
		await post("/web/account/access/removal", proof);
		toast("All of them were ended");
		onDone();
		await found.refresh();
	};
	return (
		<Dialog title="End all of them?" onClose={onDone}>
			<p>
				Passkeys and identities no longer sign in, programs with these keys stop working, webhooks
				and the MQTT connection are removed. This cannot be undone.
			</p>
			<ProofForm
				action="End all"
				kind="danger"
				passkeys={passkeys}
				onProof={end}
				onCancel={onDone}
			/>
		</Dialog>
	);
}

/** All that can act for the account without its password, and one button that ends it. */
export function AccessReview(): JSX.Element {
	const found = useResource(getAccess, ["account", "keys"]);
	const [isEnding, setEnding] = useState(false);
	const access = found.value.value;
	if (!access) {
		const problem = found.problem.value;
		return problem instanceof Problem ? <p class="notice bad">{problem.message}</p> : <></>;
	}
	if (isEmpty(access))
		return (
			<p class="words">
				Nothing acts for your account without your password: it has no passkeys, identities, API
				keys or webhooks, and no MQTT connection of its own.
			</p>
		);
	return (
		<>
			<Lists access={access} />
			<div class="row">
				<Button kind="danger" onClick={() => setEnding(true)}>
					End all
				</Button>
			</div>
			{isEnding && <End passkeys={access.passkeys} found={found} onDone={() => setEnding(false)} />}
		</>
	);
}

/** /account/access: follows a password that was set by a link. */
export function AccessPage(): JSX.Element {
	return (
		<div class="stack wide">
			<Heading title="Are these yours?" />
			<p class="words">
				These still work after the password has changed. If somebody else may have used your account
				or one of its keys, end them all, or remove single ones in{" "}
				<a href="account/sign-in" data-page>
					Account
				</a>
				,{" "}
				<a href="development/keys" data-page>
					API keys
				</a>{" "}
				and{" "}
				<a href="development/webhooks" data-page>
					Webhooks
				</a>
				.
			</p>
			<AccessReview />
			<p>
				<a href="devices" data-page>
					Go to your devices
				</a>
			</p>
		</div>
	);
}
