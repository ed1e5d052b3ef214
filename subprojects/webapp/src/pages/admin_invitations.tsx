import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, post, Problem, remove, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
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
			<Form action="Make an invitation" onSubmit={submit} names={["email"]}>
				{(faults) => (
					<>
						<Field
							label="E-mail address"
							name="email"
							type="email"
							value={email}
							onInput={setEmail}
							fault={faults.get("email")}
							help="Whom it is for. Left empty, anybody who has the link can use it, once."
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
			<p>Hand this link over yourself: no e-mail is sent. It is shown this once.</p>
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
	return email ?? "Anybody with the link";
}

function rolesOf({ isReviewer, isAdministrator }: Invitation): string {
	const roles = [isReviewer ? "reviewer" : "", isAdministrator ? "administrator" : ""];
	return roles.filter(Boolean).join(", ") || "-";
}

async function withdraw(invitation: Invitation, all: Resource<Invitation[]>): Promise<void> {
	const isSure = await confirm({
		title: `Withdraw the invitation of ${nameOf(invitation)}?`,
		text: "Its link can be used no more.",
		action: "Withdraw",
	});
	if (!isSure) return;
	try {
		await remove("/web/admin/invitations/{invitationId}", { invitationId: invitation.id });
		toast("The invitation is withdrawn");
	} catch (error) {
		if (error instanceof Problem) toast(error.message);
	}
	await all.refresh();
}

function Open({ all }: { all: Resource<Invitation[]> }): JSX.Element | null {
	const rows = all.value.value;
	if (!rows) return null;
	if (rows.length === 0) return <Empty title="No open invitation" />;
	return (
		<Table
			caption="Invitations that nobody has used yet"
			rows={rows}
			rowKey={(invitation) => invitation.id}
			columns={[
				{ title: "For", cell: nameOf },
				{ title: "Roles", cell: rolesOf },
				{ title: "Made", cell: (invitation) => <When at={invitation.createdAt} /> },
				{ title: "Ends", cell: (invitation) => <When at={invitation.expiresAt} /> },
				{
					title: "Withdraw",
					isAction: true,
					cell: (invitation) => (
						<Button onClick={() => void withdraw(invitation, all)}>
							Withdraw<span class="only-read"> that of {nameOf(invitation)}</span>
						</Button>
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
