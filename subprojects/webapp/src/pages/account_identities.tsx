import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, post, Problem, remove, type Schemas } from "../api/client";
import type { Passkey, Proof } from "../api/passkey";
import { useResource } from "../api/resource";
import { start } from "../api/session";
import { RowActions } from "../components/actions";
import { Button } from "../components/button";
import { confirm, Dialog } from "../components/dialog";
import { ProofForm } from "../components/proof";
import { Table } from "../components/table";
import { toast } from "../components/toast";
import { When } from "../components/when";

type Identity = Schemas["Identity"];

interface ConnectProps {
	provider: string;
	passkeys: readonly Passkey[];
	onDone: () => void;
}

function Connect({ provider, passkeys, onDone }: ConnectProps): JSX.Element {
	const connect = async (proof: Proof) => {
		const { url } = await post("/web/oidc/connection", proof);
		location.assign(url);
	};
	return (
		<Dialog title={`Connect with ${provider}`} onClose={onDone}>
			<p>You sign in at {provider} next. From then on you can sign in here with it.</p>
			<ProofForm action="Go on" passkeys={passkeys} onProof={connect} onCancel={onDone} />
		</Dialog>
	);
}

async function disconnect(identity: Identity): Promise<void> {
	const isSure = await confirm({
		title: `Disconnect ${identity.label}?`,
		text: "It can no longer be used to sign in to your account.",
		action: "Disconnect",
	});
	if (!isSure) return;
	try {
		await remove("/web/identities/{identityId}", { identityId: identity.id });
		toast(`${identity.label} disconnected`);
	} catch (error) {
		if (error instanceof Problem) toast(error.message);
	}
}

/** Identities at a provider by which the account signs in; nothing if there is neither. */
export function Identities({ passkeys }: { passkeys: readonly Passkey[] }): JSX.Element | null {
	const identities = useResource(() => get("/web/identities"), ["account"]);
	const [isConnecting, setConnecting] = useState(false);
	const provider = start.value?.identityProvider ?? null;
	const rows = identities.value.value ?? [];
	if (provider === null && rows.length === 0) return null;
	return (
		<section class="stack">
			<h2>{provider ?? "Identity provider"}</h2>
			{rows.length > 0 ? (
				<Table
					caption="Identities that sign in to your account"
					rows={rows}
					rowKey={(identity) => identity.id}
					columns={[
						{ title: "Identity", cell: ({ label, issuer }) => <span title={issuer}>{label}</span> },
						{ title: "Connected", cell: (identity) => <When at={identity.createdAt} /> },
						{
							title: "Last used",
							cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <When at={lastUsedAt} />),
						},
						{
							title: "Change",
							isAction: true,
							cell: (identity) => (
								<RowActions
									name={identity.label}
									actions={[
										{
											words: "Disconnect",
											of: identity.label,
											onClick: () => void disconnect(identity).then(() => identities.refresh()),
										},
									]}
								/>
							),
						},
					]}
				/>
			) : (
				<p class="words">Connect your account once, and sign in with {provider} from then on.</p>
			)}
			{provider !== null && rows.length === 0 && (
				<div class="row">
					<Button onClick={() => setConnecting(true)}>Connect with {provider}</Button>
				</div>
			)}
			{isConnecting && provider !== null && (
				<Connect provider={provider} passkeys={passkeys} onDone={() => setConnecting(false)} />
			)}
		</section>
	);
}
