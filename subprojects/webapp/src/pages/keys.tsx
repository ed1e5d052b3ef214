import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, post, Problem, put, remove, type Account, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { RowActions } from "../components/actions";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { Empty } from "../components/empty";
import { isolated } from "../components/isolated";
import { Secret } from "../components/secret";
import { Table } from "../components/table";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { base, setGuard } from "../frame/place";
import { Heading } from "../frame/page";
import { KeyForm, scopes } from "./key_form";
import { Ending, setUpWords } from "./key_set_up";

type Key = Schemas["Key"];
type NewKey = Schemas["NewKey"];

/** Returns a command line that works without changes, and what it does. */
function curlLine(made: NewKey, device: string): { words: string; line: string } {
	const path = made.scope === "push" ? `v1/devices/${device}/push` : "v1/devices";
	const line = `curl '${new URL(path, base).href}' -H 'Authorization: Bearer ${made.key}'`;
	if (made.scope !== "push") return { words: "This command lists your devices:", line };
	return {
		words: "This command shows picture.png:",
		line: `${line} --json "{\\"image\\": \\"$(base64 -w0 picture.png)\\"}"`,
	};
}

/** Shows a new key, which is shown only once. */
function Created({ made, onDone }: { made: NewKey; onDone: () => void }): JSX.Element {
	useEffect(() => {
		setGuard({
			title: "Leave without the key?",
			text: "The key is shown only once. Copy it before you leave.",
			action: "Leave",
		});
		return () => setGuard(undefined);
	}, []);
	const devices = useResource(() => get("/web/devices"), ["devices"]).value.value;
	const device = made.deviceIds?.[0] ?? devices?.[0]?.id;
	const { words, line } = curlLine(made, device ?? "DEVICE");
	return (
		<section class="notice stack" aria-labelledby="created">
			<h2 id="created" tabIndex={-1}>
				Your new key, {made.name}
			</h2>
			<p>Copy it now. It is shown only once.</p>
			<Secret text={made.key} what="the key" />
			<p>Try it. {words}</p>
			<Secret text={line} what="the command" />
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
		<Empty title="No devices yet. Add one to create an API key.">
			<div class="row">
				<a class="button primary" href="devices/new" data-page>
					Add a device
				</a>
			</div>
		</Empty>
	);
}

/** Changes the name and scope of a key. */
function Change({ of, onDone }: { of: Key; onDone: () => void }): JSX.Element {
	return (
		<Dialog title={`Change ${isolated(of.name)}`} onClose={onDone}>
			<KeyForm
				of={of}
				action="Save"
				beside={<Button onClick={onDone}>Cancel</Button>}
				onSubmit={async (wish, keepSetUp) => {
					await put("/web/keys/{keyId}", wish, { keyId: of.id }, { keepSetUp });
					toast(`${isolated(wish.name)} saved`);
					onDone();
				}}
			/>
		</Dialog>
	);
}

/** Purpose of a key, in a few words. */
function Purpose({ of }: { of: Key }): JSX.Element {
	const count = of.deviceIds?.length;
	return (
		<span class="two-lines">
			{scopes.find(({ value }) => value === of.scope)?.words}
			{count !== undefined && (
				<span class="quiet">{count === 1 ? "on one device" : `on ${count} devices`}</span>
			)}
			{of.endsAt !== null && (
				<span class="quiet">
					{Date.parse(of.endsAt) > Date.now() ? "expires " : "expired "}
					<When at={of.endsAt} />
				</span>
			)}
		</span>
	);
}

/** Last use of a key, the streams of events that are open with it, and what it has set up. */
function Use({ of }: { of: Key }): JSX.Element {
	const count = of.eventStreams;
	return (
		<span class="two-lines">
			{of.lastUsedAt === null ? "-" : <When at={of.lastUsedAt} />}
			{count > 0 && (
				<span class="quiet">
					{count === 1 ? "1 event stream open" : `${count} event streams open`}
				</span>
			)}
			{of.setUp.length > 0 && <span class="quiet">has set up: {setUpWords(of.setUp)}</span>}
		</span>
	);
}

/** Asks before a key is revoked, and shows what ends with it. */
function Revocation({ of, onDone }: { of: Key; onDone: () => void }): JSX.Element {
	const [isKept, setKept] = useState(false);
	const revoke = async () => {
		try {
			await remove("/web/keys/{keyId}", { keyId: of.id }, { query: { keepSetUp: isKept } });
			toast(`${isolated(of.name)} revoked`);
		} catch (error) {
			if (error instanceof Problem) toast(error.message);
		}
		onDone();
	};
	return (
		<Dialog title={`Revoke ${isolated(of.name)}?`} onClose={onDone}>
			<p>Programs that use this key stop working at once. This cannot be undone.</p>
			{of.setUp.length > 0 && <Ending of={of.setUp} isKept={isKept} onKeep={setKept} />}
			<p>
				If somebody else had the key, also{" "}
				<a href="account/access" data-page>
					check what else acts for your account
				</a>
				.
			</p>
			<div class="row end">
				<Button onClick={onDone}>Cancel</Button>
				<Button kind="danger" onClick={() => void revoke()}>
					Revoke
				</Button>
			</div>
		</Dialog>
	);
}

interface ActionsProps {
	of: Key;
	onChange: (of: Key) => void;
	onRevoke: (of: Key) => void;
}

function Actions({ of, onChange, onRevoke }: ActionsProps): JSX.Element {
	return (
		<RowActions
			name={of.name}
			actions={[
				{ words: "Change", onClick: () => onChange(of) },
				{ words: "Revoke", onClick: () => onRevoke(of) },
			]}
		/>
	);
}

interface TableProps extends Omit<ActionsProps, "of"> {
	rows: Key[];
}

function KeyTable({ rows, ...actions }: TableProps): JSX.Element {
	return (
		<Table
			caption="Your API keys"
			rows={rows}
			rowKey={(key) => key.id}
			columns={[
				{ title: "Name", cell: (key) => key.name },
				{ title: "Permissions", cell: (key) => <Purpose of={key} /> },
				{
					title: "Starts with",
					cell: (key) => (key.firstCharacters === null ? "-" : <code>{key.firstCharacters}…</code>),
				},
				{ title: "Created", cell: (key) => <When at={key.createdAt} /> },
				{
					title: "Last used",
					cell: (key) => <Use of={key} />,
				},
				{
					title: "Actions",
					isAction: true,
					cell: (key) => <Actions of={key} {...actions} />,
				},
			]}
		/>
	);
}

function Keys({ keys }: { keys: Resource<Key[]> }): JSX.Element | null {
	const [changed, setChanged] = useState<Key>();
	const [revokedId, setRevoked] = useState<string>();
	const rows = keys.value.value;
	if (!rows) return null;
	const revoked = rows.find(({ id }) => id === revokedId);
	if (rows.length === 0)
		return (
			<Empty title="No API keys yet">
				<p>With an API key, your programs can push pictures and change devices.</p>
			</Empty>
		);
	const done = () => {
		setChanged(undefined);
		setRevoked(undefined);
		void keys.refresh();
	};
	return (
		<>
			{changed && <Change of={changed} onDone={done} />}
			{revoked && <Revocation of={revoked} onDone={done} />}
			<KeyTable
				rows={rows}
				onChange={setChanged}
				onRevoke={({ id }) => {
					setRevoked(id);
					// Programs set things up while the page is open.
					void keys.refresh();
				}}
			/>
		</>
	);
}

/** Development > API keys. */
export function KeysPage({ account }: { account: Account }): JSX.Element {
	// Without topics, since there is no hint when a stream begins or ends.
	const keys = useResource(() => get("/web/keys"));
	const [made, setMade] = useState<NewKey>();
	return (
		<div class="stack wide">
			<div class="stack">
				<p class="place">Development</p>
				<Heading title="API keys" />
				<p class="words">
					Your programs use an API key to call the API. <a href="docs">Read about the API</a>.
				</p>
			</div>
			{!account.hasDevice && <NoDevice />}
			{made && <Created made={made} onDone={() => setMade(undefined)} />}
			{!made && account.hasDevice && (
				<div class="form-width">
					<KeyForm
						action="Create key"
						onSubmit={async (wish) => {
							setMade(await post("/web/keys", wish));
							void keys.refresh();
						}}
					/>
				</div>
			)}
			<Keys keys={keys} />
			{keys.problem.value && !keys.value.value && (
				<p class="notice bad">{keys.problem.value.message}</p>
			)}
		</div>
	);
}
