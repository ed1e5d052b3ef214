import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { get, patch, post, Problem, put, remove, type Account, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { setAccount } from "../api/session";
import { RowActions } from "../components/actions";
import { Button } from "../components/button";
import { mebibytes } from "../components/bytes";
import { Check } from "../components/check";
import { confirm, Dialog } from "../components/dialog";
import { Empty } from "../components/empty";
import { isolated } from "../components/isolated";
import { Search } from "../components/search";
import { Secret } from "../components/secret";
import { Table } from "../components/table";
import { Tabs } from "../components/tabs";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { Heading } from "../frame/page";
import { useKept } from "../frame/place";
import { LimitDialog } from "./admin_limit";
import { RemovalDialog } from "./admin_removal";

type Member = Schemas["Member"];
type MemberUpdate = Schemas["MemberUpdate"];

const TABS = [
	{ to: "admin", words: "Accounts" },
	{ to: "admin/invitations", words: "Invitations" },
	{ to: "admin/collections", words: "Collections" },
	{ to: "admin/apps", words: "Apps" },
	{ to: "admin/firmware", words: "Firmware" },
	{ to: "admin/backups", words: "Backups" },
	{ to: "admin/audit", words: "Audit log" },
	{ to: "admin/instance", words: "Instance" },
] as const;

/** Heading and tabs above each part of the administration. */
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
		// The change failed: redraw the box with the old value.
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
			<Check
				label="Previews, webhooks and MQTT can reach local addresses"
				of={of}
				isOn={member.reachesLocal}
				onChange={(reachesLocal) => void change(member, { reachesLocal }, members, self)}
			/>
			<Check
				label="Inherits apps of deleted accounts"
				of={of}
				isOn={member.isHeir}
				onChange={(isHeir) => void setHeir(member, isHeir, members)}
			/>
		</span>
	);
}

/** Sets the account that inherits installed apps when their author is removed; one at most. */
async function setHeir(
	member: Member,
	isHeir: boolean,
	members: Resource<Member[]>,
): Promise<void> {
	const path = "/web/admin/accounts/{accountId}/heir";
	try {
		if (isHeir) await put(path, undefined, { accountId: member.id });
		else await remove(path, { accountId: member.id });
		toast(
			isHeir
				? `${isolated(member.name)} inherits apps of deleted accounts`
				: "No account inherits apps",
		);
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		toast(error.message);
		members.set([...(members.value.value ?? [])]);
	}
	await members.refresh();
}

async function endSessions(member: Member): Promise<void> {
	const isSure = await confirm({
		title: `End all sessions of ${member.email}?`,
		text: "The account is signed out everywhere at once. It can sign in again.",
		action: "End sessions",
	});
	if (!isSure) return;
	try {
		await remove("/web/admin/accounts/{accountId}/sessions", { accountId: member.id });
		toast(`${isolated(member.name)} signed out`);
	} catch (error) {
		if (error instanceof Problem) toast(error.message);
	}
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
		<Dialog title={`Password link for ${member.email}`} onClose={onClose}>
			<p>This one-time link sets a new password. It is shown only once: hand it over safely.</p>
			<Secret text={url} what="the link" />
			<div class="row end">
				<Button kind="primary" onClick={onClose}>
					Done
				</Button>
			</div>
		</Dialog>
	);
}

interface MembersProps {
	members: Resource<Member[]>;
	self: Account;
	onLink: (member: Member) => void;
	onLimit: (member: Member) => void;
	onRemove: (member: Member) => void;
}

function Members({ members, self, onLink, onLimit, onRemove }: MembersProps): JSX.Element {
	return (
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
					cell: (member) => <Roles member={member} members={members} self={self} />,
				},
				{ title: "Devices", cell: (member) => String(member.devices) },
				{
					title: "Storage",
					cell: ({ bytes, bytesAllowed }) => `${mebibytes(bytes)} of ${mebibytes(bytesAllowed)}`,
				},
				{
					title: "Signed in",
					cell: ({ lastSignInAt }) =>
						lastSignInAt === null ? "never" : <When at={lastSignInAt} />,
				},
				{
					title: "Actions",
					isAction: true,
					cell: (member) => (
						<RowActions
							name={member.email}
							actions={[
								{
									words: "Password link",
									of: `for ${member.email}`,
									onClick: () => onLink(member),
								},
								{ words: "Limit", of: `of ${member.email}`, onClick: () => onLimit(member) },
								{ words: "Sign out", onClick: () => void endSessions(member) },
								...(member.id === self.id
									? []
									: [{ words: "Remove", onClick: () => onRemove(member) }]),
							]}
						/>
					),
				},
			]}
		/>
	);
}

function Found({ wanted, self }: { wanted: string; self: Account }): JSX.Element {
	const members = useResource(
		() => get("/web/admin/accounts", { limit: SHOWN, q: wanted }),
		["admin"],
	);
	const [made, setMade] = useState<{ member: Member; url: string }>();
	const [limited, setLimited] = useState<Member>();
	const [leaving, setLeaving] = useState<Member>();
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
	const rows = members.value.value;
	return (
		<>
			{members.problem.value && !rows && <p class="notice bad">{members.problem.value.message}</p>}
			{rows?.length === 0 ? (
				<Empty title="No matching accounts" />
			) : (
				<Members
					members={members}
					self={self}
					onLink={(member) => void makeLink(member)}
					onLimit={setLimited}
					onRemove={setLeaving}
				/>
			)}
			{rows?.length === SHOWN && (
				<p class="quiet">The first {SHOWN} accounts. Search to find others.</p>
			)}
			{made && <PasswordLink {...made} onClose={() => setMade(undefined)} />}
			{limited && (
				<LimitDialog
					member={limited}
					onClose={() => setLimited(undefined)}
					onDone={() => members.refresh()}
				/>
			)}
			{leaving && (
				<RemovalDialog
					member={leaving}
					onClose={() => setLeaving(undefined)}
					onDone={() => members.refresh()}
				/>
			)}
		</>
	);
}

/** Number of accounts shown: the oldest, or the oldest that match the search. */
const SHOWN = 100;

/** /admin: accounts and their roles. */
export function AdminPage({ account }: { account: Account }): JSX.Element {
	const [wanted, setWanted] = useKept("search", "");
	return (
		<AdminFrame title="Accounts">
			<Search
				label="Search accounts"
				help="Name or e-mail address."
				wanted={wanted}
				onWanted={setWanted}
			/>
			<Found key={wanted} wanted={wanted} self={account} />
		</AdminFrame>
	);
}
