import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { get, patch, post, Problem, type Account, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { setAccount } from "../api/session";
import { Button } from "../components/button";
import { Check } from "../components/check";
import { Dialog } from "../components/dialog";
import { Secret } from "../components/secret";
import { Table } from "../components/table";
import { Tabs } from "../components/tabs";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { Heading } from "../frame/page";

type Member = Schemas["Member"];
type MemberUpdate = Schemas["MemberUpdate"];

const TABS = [
	{ to: "admin", words: "Accounts" },
	{ to: "admin/invitations", words: "Invitations" },
	{ to: "admin/audit", words: "Audit log" },
] as const;

/** What stands above each part of the administration. */
export function AdminFrame({
	title,
	children,
}: {
	title: string;
	children: ComponentChildren;
}): JSX.Element {
	return (
		<div class="stack wide">
			<div class="stack">
				<p class="place">Administration</p>
				<Heading title={title} />
				<Tabs label="Administration" tabs={TABS} />
			</div>
			{children}
		</div>
	);
}

async function change(
	member: Member,
	update: MemberUpdate,
	members: Resource<Member[]>,
	self: Account,
): Promise<void> {
	try {
		const changed = await patch("/web/admin/accounts/{accountId}", update, {
			accountId: member.id,
		});
		const { isReviewer, isAdministrator } = changed;
		if (member.id === self.id) setAccount({ ...self, isReviewer, isAdministrator });
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		toast(error.message);
		// What was ticked is not so: the box is drawn anew.
		members.set([...(members.value.value ?? [])]);
	}
	await members.refresh();
}

interface RolesProps {
	member: Member;
	members: Resource<Member[]>;
	self: Account;
}

function Roles({ member, members, self }: RolesProps): JSX.Element {
	const of = `: ${member.email}`;
	return (
		<span class="checks">
			<Check
				label="Reviewer"
				of={of}
				isOn={member.isReviewer}
				onChange={(isReviewer) => void change(member, { isReviewer }, members, self)}
			/>
			<Check
				label="Administrator"
				of={of}
				isOn={member.isAdministrator}
				onChange={(isAdministrator) => void change(member, { isAdministrator }, members, self)}
			/>
		</span>
	);
}

function PasswordLink({
	member,
	url,
	onClose,
}: {
	member: Member;
	url: string;
	onClose: () => void;
}): JSX.Element {
	return (
		<Dialog title={`A link for ${member.email}`} onClose={onClose}>
			<p>
				Whoever opens it chooses a new password, once. It is shown this once: hand it over safely.
			</p>
			<Secret text={url} what="the link" />
			<div class="row end">
				<Button kind="primary" onClick={onClose}>
					Done
				</Button>
			</div>
		</Dialog>
	);
}

/** /admin: accounts and their roles. */
export function AdminPage({ account }: { account: Account }): JSX.Element {
	const members = useResource(() => get("/web/admin/accounts"));
	const [made, setMade] = useState<{ member: Member; url: string }>();
	const makeLink = async (member: Member) => {
		try {
			const path = "/web/admin/accounts/{accountId}/password-link";
			const { url } = await post(path, undefined, { accountId: member.id });
			setMade({ member, url });
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			toast(error.message);
		}
	};
	return (
		<AdminFrame title="Accounts">
			{members.problem.value && !members.value.value && (
				<p class="notice bad">{members.problem.value.message}</p>
			)}
			<Table
				caption="All accounts"
				rows={members.value.value ?? []}
				rowKey={(member) => member.id}
				columns={[
					{
						title: "Account",
						cell: ({ name, email }) => (
							<span class="two-lines">
								{name}
								<span class="quiet">{email}</span>
							</span>
						),
					},
					{
						title: "Roles",
						cell: (member) => <Roles member={member} members={members} self={account} />,
					},
					{ title: "Devices", cell: (member) => String(member.devices) },
					{
						title: "Signed in",
						cell: ({ lastSignInAt }) =>
							lastSignInAt === null ? "never" : <When at={lastSignInAt} />,
					},
					{
						title: "Link for a password",
						isAction: true,
						cell: (member) => (
							<Button onClick={() => void makeLink(member)}>
								Password link<span class="only-read"> for {member.email}</span>
							</Button>
						),
					},
				]}
			/>
			{made && <PasswordLink {...made} onClose={() => setMade(undefined)} />}
		</AdminFrame>
	);
}
