import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, Problem, put, remove, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { RowActions } from "../components/actions";
import { Button } from "../components/button";
import { confirm, Dialog } from "../components/dialog";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { isolated } from "../components/isolated";
import { Name } from "../components/name";
import { Table } from "../components/table";
import { browserName } from "../components/time";
import { toast } from "../components/toast";
import { When } from "../components/when";

type Session = Schemas["Session"];

/** Name that the person gave, else that of the browser. */
function nameOf({ name, userAgent }: Session): string {
	return name ?? browserName(userAgent);
}

async function end(session: Session, sessions: Resource<Session[]>): Promise<void> {
	const where = isolated(nameOf(session));
	const isSure = await confirm({
		title: `End the session of ${where}?`,
		text: "That browser is signed out at once.",
		action: "End session",
	});
	if (!isSure) return;
	try {
		await remove("/web/sessions/{sessionId}", { sessionId: session.id });
		toast(`${where} signed out`);
	} catch (error) {
		if (error instanceof Problem) toast(error.message);
	}
	await sessions.refresh();
}

async function endOthers(sessions: Resource<Session[]>): Promise<void> {
	const isSure = await confirm({
		title: "End all other sessions?",
		text: "You stay signed in only in this browser.",
		action: "End sessions",
	});
	if (!isSure) return;
	try {
		await remove("/web/sessions");
		toast("You are signed in only in this browser");
	} catch (error) {
		if (error instanceof Problem) toast(error.message);
	}
	await sessions.refresh();
}

interface RenameProps {
	session: Session;
	sessions: Resource<Session[]>;
	onDone: () => void;
}

function Rename({ session, sessions, onDone }: RenameProps): JSX.Element {
	const [name, setName] = useState(nameOf(session));
	const submit = async () => {
		await put("/web/sessions/{sessionId}", { name }, { sessionId: session.id });
		onDone();
		await sessions.refresh();
	};
	return (
		<Dialog title="Name this device" onClose={onDone}>
			<Form action="Save" onSubmit={submit} names={["name"]}>
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

/** A session's browser, and what is special about it. */
function Where({ session }: { session: Session }): JSX.Element {
	return (
		<span title={session.userAgent}>
			<Name>{nameOf(session)}</Name> {session.isCurrent && <span class="badge">this browser</span>}{" "}
			{session.staysSignedIn && <span class="badge">stays signed in</span>}
		</span>
	);
}

function Sessions({ sessions }: { sessions: Resource<Session[]> }): JSX.Element | null {
	const [renamed, setRenamed] = useState<Session>();
	const rows = sessions.value.value;
	if (!rows) return null;
	const actionsOf = (session: Session) => {
		const of = `the session of ${isolated(nameOf(session))}`;
		const rename = { words: "Name", of, onClick: () => setRenamed(session) };
		if (session.isCurrent) return [rename];
		return [{ words: "End", of, onClick: () => void end(session, sessions) }, rename];
	};
	return (
		<div class="stack">
			<Table
				caption="Your sessions"
				rows={rows}
				rowKey={(session) => session.id}
				columns={[
					{ title: "Browser", cell: (session) => <Where session={session} /> },
					{ title: "Address", cell: (session) => session.address },
					{ title: "Signed in", cell: (session) => <When at={session.createdAt} /> },
					{ title: "Last used", cell: (session) => <When at={session.lastUsedAt} /> },
					{
						title: "Actions",
						isAction: true,
						cell: (session) => <RowActions name={nameOf(session)} actions={actionsOf(session)} />,
					},
				]}
			/>
			{rows.length > 1 && (
				<div class="row">
					<Button onClick={() => void endOthers(sessions)}>End all other sessions</Button>
				</div>
			)}
			{renamed && (
				<Rename session={renamed} sessions={sessions} onDone={() => setRenamed(undefined)} />
			)}
		</div>
	);
}

/** Part of the account: browsers in which it is signed in. */
export function SignedIn(): JSX.Element {
	const sessions = useResource(() => get("/web/sessions"), ["sessions"]);
	return (
		<section class="stack">
			<h2>Sessions</h2>
			<p class="words">
				Browsers in which you are signed in. A session ends after 12 hours without use, and after 30
				days; where you stay signed in, after 90 days. A changed password ends all others.
			</p>
			<Sessions sessions={sessions} />
			<p class="words">
				<a href="account/access" data-page>
					See what else can act for your account
				</a>
				: passkeys, API keys, webhooks and MQTT.
			</p>
		</section>
	);
}
