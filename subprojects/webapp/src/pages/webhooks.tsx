import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, patch, post, Problem, remove, type Schemas } from "../api/client";
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
import { setGuard } from "../frame/place";
import { Heading } from "../frame/page";

type Webhook = Schemas["Webhook"];
type NewWebhook = Schemas["NewWebhook"];
type Event = Webhook["events"][number];

const events: readonly { value: Event; words: string }[] = [
	{ value: "online", words: "Panel online or offline" },
	{ value: "pushed", words: "Picture pushed" },
	{ value: "changed", words: "Device changed" },
	{ value: "failed", words: "App failed" },
];

/** Shows a new secret, which is shown only once. */
function Created({ made, onDone }: { made: NewWebhook; onDone: () => void }): JSX.Element {
	useEffect(() => {
		setGuard({
			title: "Leave without the secret?",
			text: "The secret is shown only once. Copy it before you leave.",
			action: "Leave",
		});
		return () => setGuard(undefined);
	}, []);
	return (
		<section class="notice stack" aria-labelledby="created">
			<h2 id="created" tabIndex={-1}>
				The secret of {made.url}
			</h2>
			<p>
				Copy it now. Messages are signed with it, so that the receiver can check where they come
				from.
			</p>
			<Secret text={made.secret} what="the secret" />
			<div class="row">
				<Button kind="primary" onClick={onDone}>
					I have copied it
				</Button>
			</div>
		</section>
	);
}

function NewForm({ onMade }: { onMade: (made: NewWebhook) => void }): JSX.Element {
	const [url, setUrl] = useState("");
	const [wanted, setWanted] = useState<readonly Event[]>(events.map(({ value }) => value));
	return (
		<Form
			action="Create webhook"
			onSubmit={async () => onMade(await post("/web/webhooks", { url, events: [...wanted] }))}
			names={["url", "events"]}
		>
			{(faults) => (
				<>
					<Field
						label="URL of a new webhook"
						name="url"
						value={url}
						onInput={setUrl}
						fault={faults.get("url")}
						asker="account"
						help="The address that receives the events, such as https://home.example.org/displayd."
						maxLength={2048}
						isRequired
					/>
					<fieldset class="field">
						<legend>Events</legend>
						<div class="choices">
							{events.map(({ value, words }) => (
								<Check
									key={value}
									label={words}
									isOn={wanted.includes(value)}
									onChange={(isOn) =>
										setWanted(isOn ? [...wanted, value] : wanted.filter((other) => other !== value))
									}
								/>
							))}
						</div>
						{faults.get("events") !== undefined && <p class="fault">Choose at least one.</p>}
					</fieldset>
				</>
			)}
		</Form>
	);
}

/** Outcome of the last message. */
function State({ of }: { of: Webhook }): JSX.Element {
	if (of.switchedOffAt !== null)
		return (
			<span class="two-lines">
				Switched off after three days of failures, because the receiver answered 410 (gone), or with
				the API key that set it up
				<span class="quiet">
					<When at={of.switchedOffAt} />
				</span>
			</span>
		);
	if (!of.isEnabled) return <>Switched off</>;
	if (of.lastAt === null) return <>Nothing sent yet</>;
	return (
		<span class="two-lines">
			{of.lastProblem ?? `Answered ${of.lastStatus ?? ""}`}
			<span class="quiet">
				{of.failingSince !== null && "failing, will be retried; "}
				last message <When at={of.lastAt} />
			</span>
		</span>
	);
}

/** Runs a button's action, and shows its error. */
async function run(hooks: Resource<Webhook[]>, act: () => Promise<void>): Promise<void> {
	try {
		await act();
	} catch (error) {
		if (error instanceof Problem) toast(error.message);
	}
	await hooks.refresh();
}

async function test(of: Webhook): Promise<void> {
	const { status, problem, ms } = await post("/web/webhooks/{webhookId}/test", undefined, {
		webhookId: of.id,
	});
	toast(
		status === null ? (problem ?? "No answer") : `The receiver answered ${status} after ${ms} ms`,
	);
}

async function removeOne(of: Webhook): Promise<void> {
	const isSure = await confirm({
		title: "Remove this webhook?",
		text: `Nothing more is sent to ${of.url}. Waiting messages are dropped.`,
		action: "Remove",
	});
	if (!isSure) return;
	await remove("/web/webhooks/{webhookId}", { webhookId: of.id });
	toast("Webhook removed");
}

async function setEnabled(of: Webhook): Promise<void> {
	await patch("/web/webhooks/{webhookId}", { isEnabled: !of.isEnabled }, { webhookId: of.id });
}

interface ActionsProps {
	of: Webhook;
	hooks: Resource<Webhook[]>;
	onSecret: (made: NewWebhook) => void;
}

function Actions({ of, hooks, onSecret }: ActionsProps): JSX.Element {
	const path = { webhookId: of.id };
	return (
		<RowActions
			name={of.url}
			actions={[
				{ words: "Test", onClick: () => void run(hooks, () => test(of)) },
				{
					words: of.isEnabled ? "Switch off" : "Switch on",
					onClick: () => void run(hooks, () => setEnabled(of)),
				},
				{
					words: "New secret",
					of: `of ${of.url}`,
					onClick: () =>
						void run(hooks, async () =>
							onSecret(await post("/web/webhooks/{webhookId}/secret", undefined, path)),
						),
				},
				{ words: "Remove", onClick: () => void run(hooks, () => removeOne(of)) },
			]}
		/>
	);
}

interface HookTableProps {
	hooks: Resource<Webhook[]>;
	onSecret: (made: NewWebhook) => void;
}

function HookTable({ hooks, onSecret }: HookTableProps): JSX.Element | null {
	const rows = hooks.value.value;
	if (!rows) return null;
	if (rows.length === 0)
		return (
			<Empty title="No webhooks yet">
				<p>A webhook notifies your own server of events of your devices at once.</p>
			</Empty>
		);
	return (
		<Table
			caption="Your webhooks"
			rows={rows}
			rowKey={(hook) => hook.id}
			columns={[
				{ title: "URL", cell: (hook) => hook.url },
				{ title: "Events", cell: (hook) => hook.events.join(", ") },
				{ title: "State", cell: (hook) => <State of={hook} /> },
				{ title: "Created", cell: (hook) => <When at={hook.createdAt} /> },
				{
					title: "Actions",
					isAction: true,
					cell: (hook) => <Actions of={hook} hooks={hooks} onSecret={onSecret} />,
				},
			]}
		/>
	);
}

/** Development > Webhooks. */
export function WebhooksPage(): JSX.Element {
	const hooks = useResource(() => get("/web/webhooks"), ["webhooks"]);
	const [made, setMade] = useState<NewWebhook>();
	return (
		<div class="stack wide">
			<div class="stack">
				<p class="place">Development</p>
				<Heading title="Webhooks" />
				<p class="words">
					The server sends events of your devices to your own URLs.{" "}
					<a href="docs">Read about the messages</a>.
				</p>
			</div>
			{made ? (
				<Created made={made} onDone={() => setMade(undefined)} />
			) : (
				<div class="form-width">
					<NewForm
						onMade={(one) => {
							setMade(one);
							void hooks.refresh();
						}}
					/>
				</div>
			)}
			<HookTable hooks={hooks} onSecret={setMade} />
			{hooks.problem.value && !hooks.value.value && (
				<p class="notice bad">{hooks.problem.value.message}</p>
			)}
		</div>
	);
}
