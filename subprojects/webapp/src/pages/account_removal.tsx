import type { JSX } from "preact";
import { get, post, type Account, type Schemas } from "../api/client";
import type { Proof } from "../api/passkey";
import { useResource } from "../api/resource";
import { setAccount, signedOutReason } from "../api/session";
import { ProofForm } from "../components/proof";
import { counted } from "../components/words";
import { Heading } from "../frame/page";
import { go } from "../frame/place";

type Removal = Schemas["Removal"];

/** Lists the things that are deleted, and those that other users keep. */
function Losses({ removal }: { removal: Removal }): JSX.Element {
	const { devices, keys, apps, keptApps } = removal;
	const lost = [
		devices > 0 && `${counted(devices, "device")}, with all pictures: the panels go dark`,
		keys > 0 && `${counted(keys, "API key")}: programs that use them stop working`,
		apps > 0 && `${counted(apps, "app")} you wrote, with all versions`,
		"your name, password, passkeys and sessions",
	].filter((line): line is string => typeof line === "string");
	return (
		<div class="stack">
			<p>These are deleted at once and cannot be restored:</p>
			<ul class="points">
				{lost.map((line) => (
					<li key={line}>{line}</li>
				))}
			</ul>
			{keptApps > 0 && (
				<p>
					{keptApps === 1 ? "One of your apps stays" : `${keptApps} of your apps stay`}, because
					others installed {keptApps === 1 ? "it" : "them"}. The account that inherits apps gets{" "}
					{keptApps === 1 ? "it" : "them"}; if there is none,{" "}
					{keptApps === 1 ? "it is" : "they are"} disabled.
				</p>
			)}
		</div>
	);
}

function Ask({ removal, account }: { removal: Removal; account: Account }): JSX.Element {
	const passkeys = useResource(() => get("/web/passkeys"), ["account"]);
	const remove = async (proof: Proof) => {
		await post("/web/account/removal", proof);
		signedOutReason.value = `The account ${account.email} was deleted.`;
		go("", { replaces: true });
		setAccount(null);
	};
	return (
		<>
			<Losses removal={removal} />
			<div class="form-width">
				<ProofForm
					action="Delete my account"
					kind="danger"
					passkeys={passkeys.value.value ?? []}
					onProof={remove}
				/>
			</div>
		</>
	);
}

/** /account/removal: lists what is removed with the account, and asks for confirmation. */
export function AccountRemovalPage({ account }: { account: Account }): JSX.Element {
	const removal = useResource(() => get("/web/account/removal"), ["account", "devices", "keys"]);
	const known = removal.value.value;
	return (
		<div class="stack wide">
			<div class="stack">
				<p class="place">
					<a href="account" data-page>
						Account
					</a>
				</p>
				<Heading title="Delete your account" />
			</div>
			{removal.problem.value && !known && <p class="notice bad">{removal.problem.value.message}</p>}
			{known?.isLastAdministrator && (
				<div class="notice stack">
					<p>
						You are the only administrator of this server, so you cannot delete your account.{" "}
						<a href="admin" data-page>
							Make someone else an administrator
						</a>{" "}
						first.
					</p>
				</div>
			)}
			{known && !known.isLastAdministrator && <Ask removal={known} account={account} />}
		</div>
	);
}
