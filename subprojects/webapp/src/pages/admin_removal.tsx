import type { JSX } from "preact";
import { get, post, type Schemas } from "../api/client";
import type { Proof } from "../api/passkey";
import { useResource } from "../api/resource";
import { Dialog } from "../components/dialog";
import { isolated } from "../components/isolated";
import { ProofForm } from "../components/proof";
import { toast } from "../components/toast";
import { counted } from "../components/words";

type Member = Schemas["Member"];
type Removal = Schemas["Removal"];

interface RemovalProps {
	member: Member;
	onClose: () => void;
	onDone: () => Promise<void>;
}

/** Lists the things that go with the account of somebody else. */
function Losses({ removal }: { removal: Removal }): JSX.Element {
	const { devices, keys, keptApps } = removal;
	const apps = removal.apps + keptApps;
	const lost = [
		devices > 0 && `${counted(devices, "device")}, with all pictures: the panels go dark`,
		keys > 0 && `${counted(keys, "API key")}: programs that use them stop working`,
		apps > 0 && `${counted(apps, "app")}, with all versions`,
		"the name, password, passkeys and sessions",
	].filter((line): line is string => typeof line === "string");
	return (
		<>
			<p>These are deleted at once and cannot be restored:</p>
			<ul class="points">
				{lost.map((line) => (
					<li key={line}>{line}</li>
				))}
			</ul>
			{keptApps > 0 && (
				<p>
					Others have installed {counted(keptApps, "of the apps", "of the apps")}: they disappear
					from their rotations.
				</p>
			)}
		</>
	);
}

/** Says what goes with an account, and removes it after the administrator's own password or passkey. */
export function RemovalDialog({ member, onClose, onDone }: RemovalProps): JSX.Element {
	const path = "/web/admin/accounts/{accountId}/removal";
	const removal = useResource(() => get(path, {}, { accountId: member.id }), ["admin"]);
	const passkeys = useResource(() => get("/web/passkeys"), ["account"]);
	const remove = async (proof: Proof) => {
		await post(path, proof, { accountId: member.id });
		toast(`Account ${isolated(member.email)} removed`);
		onClose();
		await onDone();
	};
	const known = removal.value.value;
	return (
		<Dialog title={`Remove the account ${member.email}?`} onClose={onClose}>
			{removal.problem.value && !known && <p class="notice bad">{removal.problem.value.message}</p>}
			{known?.isLastAdministrator && (
				<p class="notice">This is the only administrator, so the account cannot be removed.</p>
			)}
			{known && !known.isLastAdministrator && (
				<>
					<Losses removal={known} />
					<ProofForm
						action={`Remove ${member.email}`}
						kind="danger"
						passkeys={passkeys.value.value ?? []}
						onProof={remove}
						onCancel={onClose}
					/>
				</>
			)}
		</Dialog>
	);
}
