import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { patch, post, Problem, type Account } from "../api/client";
import { arePasskeysOffered, makePasskey, type Passkey, type Proof } from "../api/passkey";
import type { Resource } from "../api/resource";
import { start } from "../api/session";
import { RowActions } from "../components/actions";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { Empty } from "../components/empty";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { isolated } from "../components/isolated";
import { ProofForm } from "../components/proof";
import { Table } from "../components/table";
import { browserName } from "../components/time";
import { toast } from "../components/toast";
import { When } from "../components/when";

interface PartProps {
	account: Account;
	passkeys: Resource<Passkey[]>;
	onDone: () => void;
}

function Add({ account, passkeys, onDone }: PartProps): JSX.Element {
	const [name, setName] = useState(browserName(navigator.userAgent));
	const known = passkeys.value.value ?? [];
	const add = async (proof: Proof) => {
		const made = await makePasskey(account, known);
		await post("/web/passkeys", { name, ...made, ...proof });
		toast(`Passkey "${isolated(name)}" added`);
		onDone();
		await passkeys.refresh();
	};
	return (
		<Dialog title="Add a passkey" onClose={onDone}>
			<p>
				Your browser asks where to keep the passkey: on this computer or phone, on another one, or
				on a security key. You can then sign in without a password.
			</p>
			<ProofForm
				action="Add passkey"
				passkeys={known}
				onProof={add}
				names={["name"]}
				onCancel={onDone}
			>
				{(faults) => (
					<Field
						label="Name"
						name="name"
						value={name}
						onInput={setName}
						fault={faults.get("name")}
						help="Helps you tell your passkeys apart."
						maxLength={100}
						isRequired
					/>
				)}
			</ProofForm>
		</Dialog>
	);
}

interface OneProps {
	passkey: Passkey;
	passkeys: Resource<Passkey[]>;
	onDone: () => void;
}

function Rename({ passkey, passkeys, onDone }: OneProps): JSX.Element {
	const [name, setName] = useState(passkey.name);
	const submit = async () => {
		await patch("/web/passkeys/{passkeyId}", { name }, { passkeyId: passkey.id });
		onDone();
		await passkeys.refresh();
	};
	return (
		<Dialog title={`Rename "${isolated(passkey.name)}"`} onClose={onDone}>
			<Form
				action="Rename"
				onSubmit={submit}
				names={["name"]}
				beside={<Button onClick={onDone}>Cancel</Button>}
			>
				{(faults) => (
					<Field
						label="Name"
						name="name"
						value={name}
						onInput={setName}
						fault={faults.get("name")}
						maxLength={100}
						isRequired
					/>
				)}
			</Form>
		</Dialog>
	);
}

function Remove({ passkey, passkeys, onDone }: OneProps): JSX.Element {
	const remove = async (proof: Proof) => {
		const path = "/web/passkeys/{passkeyId}/removal";
		await post(path, proof, { passkeyId: passkey.id });
		toast(`Passkey "${isolated(passkey.name)}" removed`);
		onDone();
		await passkeys.refresh();
	};
	return (
		<Dialog title={`Remove "${isolated(passkey.name)}"?`} onClose={onDone}>
			<p>It can no longer be used to sign in to your account.</p>
			<ProofForm
				action="Remove"
				kind="danger"
				passkeys={passkeys.value.value ?? []}
				onProof={remove}
				onCancel={onDone}
			/>
		</Dialog>
	);
}

interface ListProps {
	rows: Passkey[];
	onRename: (passkey: Passkey) => void;
	onRemove: (passkey: Passkey) => void;
}

function List({ rows, onRename, onRemove }: ListProps): JSX.Element {
	return (
		<Table
			caption="Your passkeys"
			rows={rows}
			rowKey={(passkey) => passkey.id}
			columns={[
				{ title: "Name", cell: (passkey) => passkey.name },
				{ title: "Added", cell: (passkey) => <When at={passkey.createdAt} /> },
				{
					title: "Last used",
					cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <When at={lastUsedAt} />),
				},
				{
					title: "Change",
					isAction: true,
					cell: (passkey) => (
						<RowActions
							name={passkey.name}
							actions={[
								{ words: "Rename", onClick: () => onRename(passkey) },
								{ words: "Remove", onClick: () => onRemove(passkey) },
							]}
						/>
					),
				},
			]}
		/>
	);
}

/** Shows why this browser cannot add a passkey here. */
function Hindrance(): JSX.Element {
	const host = start.value?.passkeyHost;
	return (
		<p class="quiet">
			{host === null || host === undefined
				? "This server does not support passkeys: they need an https address with a host name."
				: `To add a passkey, open this page at ${host}: passkeys belong to that name.`}
		</p>
	);
}

type Open = { what: "add" } | { what: "rename" | "remove"; passkey: Passkey } | undefined;

/** The passkeys of the account: added, renamed, removed. */
export function Passkeys(props: { account: Account; passkeys: Resource<Passkey[]> }): JSX.Element {
	const { account, passkeys } = props;
	const [open, setOpen] = useState<Open>();
	const rows = passkeys.value.value;
	const close = () => setOpen(undefined);
	const isOffered = arePasskeysOffered();
	return (
		<section class="stack">
			<h2>Passkeys</h2>
			<p class="words">
				A passkey signs you in the way you unlock your phone or computer. It cannot be guessed, and
				no other site can ask for it.
			</p>
			{passkeys.problem.value instanceof Problem && !rows && (
				<p class="notice bad">{passkeys.problem.value.message}</p>
			)}
			{rows && rows.length > 0 && (
				<List
					rows={rows}
					onRename={(passkey) => setOpen({ what: "rename", passkey })}
					onRemove={(passkey) => setOpen({ what: "remove", passkey })}
				/>
			)}
			{rows?.length === 0 && isOffered && <Empty title="No passkeys yet" />}
			{isOffered ? (
				<div class="row">
					<Button onClick={() => setOpen({ what: "add" })}>Add a passkey</Button>
				</div>
			) : (
				<Hindrance />
			)}
			{open?.what === "add" && <Add account={account} passkeys={passkeys} onDone={close} />}
			{open?.what === "rename" && (
				<Rename passkey={open.passkey} passkeys={passkeys} onDone={close} />
			)}
			{open?.what === "remove" && (
				<Remove passkey={open.passkey} passkeys={passkeys} onDone={close} />
			)}
		</section>
	);
}
