import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, post, Problem, remove, type Account, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { Button } from "../components/button";
import { confirm } from "../components/dialog";
import { Empty } from "../components/empty";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { Secret } from "../components/secret";
import { Table } from "../components/table";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { base, setGuard } from "../frame/place";
import { Heading } from "../frame/page";

type Key = Schemas["Key"];
type NewKey = Schemas["NewKey"];

/** A line that works as it is. */
function curlLine(key: string): string {
	return `curl '${new URL("v1/devices", base).href}' -H 'Authorization: Bearer ${key}'`;
}

/** The only time that a key is seen. */
function Created({ made, onDone }: { made: NewKey; onDone: () => void }): JSX.Element {
	useEffect(() => {
		setGuard({
			title: "Leave without the key?",
			text: "The key is shown this once. Copy it before you go.",
			action: "Leave",
		});
		return () => setGuard(undefined);
	}, []);
	return (
		<section class="notice stack" aria-labelledby="created">
			<h2 id="created" tabIndex={-1}>
				Your new key, {made.name}
			</h2>
			<p>Copy it now. It is shown this once, and stored nowhere.</p>
			<Secret text={made.key} what="the key" />
			<p>Try it. This lists your devices:</p>
			<Secret text={curlLine(made.key)} what="the curl line" />
			<div class="row">
				<Button kind="primary" onClick={onDone}>
					I have copied it
				</Button>
			</div>
		</section>
	);
}

function NoDevice(): JSX.Element {
	return (
		<Empty title="No device yet. Add one to create an API key.">
			<div class="row">
				<a class="button primary" href="devices/new" data-page>
					Add a device
				</a>
			</div>
		</Empty>
	);
}

function CreateForm({ onMade }: { onMade: (key: NewKey) => void }): JSX.Element {
	const [name, setName] = useState("");
	return (
		<div class="form-width">
			<Form
				action="Create a key"
				onSubmit={async () => onMade(await post("/web/keys", { name }))}
				names={["name"]}
			>
				{(faults) => (
					<Field
						label="Name of a new key"
						name="name"
						value={name}
						onInput={setName}
						fault={faults.get("name")}
						help="What it is for: the program, or the machine that it runs on."
						maxLength={100}
						isRequired
					/>
				)}
			</Form>
		</div>
	);
}

async function revoke(key: Key, keys: Resource<Key[]>): Promise<void> {
	const isSure = await confirm({
		title: `Revoke ${key.name}?`,
		text: "What uses this key stops working at once. It cannot be brought back.",
		action: "Revoke",
	});
	if (!isSure) return;
	try {
		await remove("/web/keys/{keyId}", { keyId: key.id });
		toast(`${key.name} is revoked`);
	} catch (error) {
		if (error instanceof Problem) toast(error.message);
	}
	await keys.refresh();
}

function KeyTable({ keys }: { keys: Resource<Key[]> }): JSX.Element | null {
	const rows = keys.value.value;
	if (!rows) return null;
	if (rows.length === 0)
		return (
			<Empty title="No key yet">
				<p>With a key your own software can push pictures and change devices.</p>
			</Empty>
		);
	return (
		<Table
			caption="Your API keys"
			rows={rows}
			rowKey={(key) => key.id}
			columns={[
				{ title: "Name", cell: (key) => key.name },
				{
					title: "Begins with",
					cell: (key) => (key.firstCharacters === null ? "-" : <code>{key.firstCharacters}…</code>),
				},
				{ title: "Created", cell: (key) => <When at={key.createdAt} /> },
				{
					title: "Last used",
					cell: (key) => (key.lastUsedAt === null ? "-" : <When at={key.lastUsedAt} />),
				},
				{
					title: "Revoke",
					isAction: true,
					cell: (key) => (
						<Button onClick={() => void revoke(key, keys)}>
							Revoke<span class="only-read"> {key.name}</span>
						</Button>
					),
				},
			]}
		/>
	);
}

/** Development > API keys. */
export function KeysPage({ account }: { account: Account }): JSX.Element {
	const keys = useResource(() => get("/web/keys"), ["keys"]);
	const [made, setMade] = useState<NewKey>();
	return (
		<div class="stack wide">
			<div class="stack">
				<p class="place">Development</p>
				<Heading title="API keys" />
				<p class="words">
					Your own software calls the API with a key. <a href="docs">Read about the API</a>.
				</p>
			</div>
			{!account.hasDevice && <NoDevice />}
			{made && <Created made={made} onDone={() => setMade(undefined)} />}
			{!made && account.hasDevice && (
				<CreateForm
					onMade={(key) => {
						setMade(key);
						void keys.refresh();
					}}
				/>
			)}
			<KeyTable keys={keys} />
			{keys.problem.value && !keys.value.value && (
				<p class="notice bad">{keys.problem.value.message}</p>
			)}
		</div>
	);
}
