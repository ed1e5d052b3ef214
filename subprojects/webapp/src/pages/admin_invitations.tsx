import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, post, Problem, remove, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { RowActions } from "../components/actions";
import { Button } from "../components/button";
import { Check } from "../components/check";
import { confirm } from "../components/dialog";
import { Empty } from "../components/empty";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { Secret } from "../components/secret";
import { Table } from "../components/table";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { AdminFrame } from "./admin";

type Invitation = Schemas["Invitation"];

function Invite({ onMade }: { onMade: (url: string) => void }): JSX.Element {
	const [email, setEmail] = useState("");
	const [isReviewer, setReviewer] = useState(false);
	const [isAdministrator, setAdministrator] = useState(false);
	const submit = async () => {
		const body = { isReviewer, isAdministrator, ...(email === "" ? {} : { email }) };
		onMade((await post("/web/admin/invitations", body)).url);
	};
	return (
		<div class="form-width">
			<Form action="Create an invitation" onSubmit={submit} names={["email"]}>
				{(faults) => (
					<>
						<Field
							label="E-mail address"
							name="email"
							type="email"
							value={email}
							onInput={setEmail}
							fault={faults.get("email")}
							help="The link works once. Leave empty to let anyone use it."
							isVerbatim
						/>
						<fieldset class="checks">
							<legend class="only-read">Roles of the new account</legend>
							<Check label="Reviewer" isOn={isReviewer} onChange={setReviewer} />
							<Check label="Administrator" isOn={isAdministrator} onChange={setAdministrator} />
						</fieldset>
					</>
				)}
			</Form>
		</div>
	);
}

function Made({ url, onDone }: { url: string; onDone: () => void }): JSX.Element {
	return (
		<div class="notice stack">
			<h2>The invitation</h2>
			<p>Send this link yourself: the server sends no e-mail. It is shown only once.</p>
			<Secret text={url} what="the link" />
			<div class="row">
				<Button kind="primary" onClick={onDone}>
					I have copied it
				</Button>
			</div>
		</div>
	);
}

function nameOf({ email }: Invitation): string {
	return email ?? "Anyone with the link";
}

function rolesOf({ isReviewer, isAdministrator }: Invitation): string {
	const roles = [isReviewer ? "reviewer" : "", isAdministrator ? "administrator" : ""];
	return roles.filter(Boolean).join(", ") || "-";
}

async function withdraw(invitation: Invitation, all: Resource<Invitation[]>): Promise<void> {
	const isSure = await confirm({
		title: `Withdraw the invitation of ${nameOf(invitation)}?`,
		text: "The link stops working.",
		action: "Withdraw",
	});
	if (!isSure) return;
	try {
		await remove("/web/admin/invitations/{invitationId}", { invitationId: invitation.id });
		toast("Invitation withdrawn");
	} catch (error) {
		if (error instanceof Problem) toast(error.message);
	}
	await all.refresh();
}

function Open({ all }: { all: Resource<Invitation[]> }): JSX.Element | null {
	const rows = all.value.value;
	if (!rows) return null;
	if (rows.length === 0) return <Empty title="No open invitations" />;
	return (
		<Table
			caption="Open invitations"
			rows={rows}
			rowKey={(invitation) => invitation.id}
			columns={[
				{ title: "For", cell: nameOf },
				{ title: "Roles", cell: rolesOf },
				{ title: "Created", cell: (invitation) => <When at={invitation.createdAt} /> },
				{ title: "Expires", cell: (invitation) => <When at={invitation.expiresAt} /> },
				{
					title: "Withdraw",
					isAction: true,
					cell: (invitation) => (
						<RowActions
							name={nameOf(invitation)}
							actions={[
								{
									words: "Withdraw",
									of: `that of ${nameOf(invitation)}`,
									onClick: () => void withdraw(invitation, all),
								},
							]}
						/>
					),
				},
			]}
		/>
	);
}

/** /admin/invitations */
export function InvitationsPage(): JSX.Element {
	const all = useResource(() => get("/web/admin/invitations"), ["admin"]);
	const [url, setUrl] = useState<string>();
	const onMade = (made: string) => {
		setUrl(made);
		void all.refresh();
	};
	return (
		<AdminFrame title="Invitations">
			{url === undefined ? (
				<Invite onMade={onMade} />
			) : (
				<Made url={url} onDone={() => setUrl(undefined)} />
			)}
			<Open all={all} />
		</AdminFrame>
	);
}
