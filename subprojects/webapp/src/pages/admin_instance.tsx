import type { ComponentChildren, JSX } from "preact";
import { get, patch, Problem, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { Check } from "../components/check";
import { sentence } from "../components/sentence";
import { Table } from "../components/table";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { AdminFrame } from "./admin";

type Instance = Schemas["Instance"];
type Worker = Schemas["Worker"];

function megabytes(bytes: number): string {
	return `${(bytes / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}

function sum(workers: readonly Worker[], of: (worker: Worker) => number): number {
	return workers.reduce((total, worker) => total + of(worker), 0);
}

function stateOf(worker: Worker): string {
	if (!worker.isAlive) return "not answering";
	return worker.isDatabaseUp ? "running" : "no database";
}

/** "All is well", or what is not, with what to do. */
function Wellness({ instance }: { instance: Instance }): JSX.Element {
	const { findings } = instance;
	if (findings.length === 0) return <p class="notice good">All is well.</p>;
	return (
		<ul class="findings stack" aria-label="What is not well">
			{findings.map(({ about, problem, remedy }) => (
				<li key={about + problem} class="notice bad">
					<strong>{sentence(problem)}</strong> {remedy}
					{about === "backup" && (
						<>
							{" "}
							<a href="admin/backups" data-page>
								Backups
							</a>
						</>
					)}
				</li>
			))}
		</ul>
	);
}

function gigabytes(bytes: number): string {
	return `${(bytes / 1e9).toLocaleString("en", { maximumFractionDigits: 1 })} GB`;
}

/** Totals of the instance. */
function Totals({ instance }: { instance: Instance }): JSX.Element {
	const { workers } = instance;
	const jobs = sum(workers, (one) => one.shortJobs + one.longJobs + one.passwordJobs);
	const facts: (readonly [string, ComponentChildren])[] = [
		["displayd", instance.version],
		["Panels connected", String(sum(workers, (one) => one.connectedPanels))],
		["Requests in progress", String(sum(workers, (one) => one.requests))],
		["Jobs queued", String(jobs)],
		[
			"PostgreSQL",
			`${instance.databaseVersion.split(" ")[0] ?? ""}, ${megabytes(instance.databaseBytes)}`,
		],
		["PostgreSQL connections", String(instance.databaseConnections)],
		["Accounts", String(instance.accounts)],
		[
			"Room on disk",
			instance.diskBytes === 0
				? "not known"
				: `${gigabytes(instance.diskFreeBytes)} of ${gigabytes(instance.diskBytes)}`,
		],
		[
			"Last backup",
			instance.lastBackupAt === null ? "none yet" : <When at={instance.lastBackupAt} />,
		],
		...(instance.certificateEndsAt === null
			? []
			: ([["Certificate ends", <When at={instance.certificateEndsAt} />]] as const)),
	];
	return (
		<dl class="instance-facts">
			{facts.map(([name, value]) => (
				<div key={name}>
					<dt>{name}</dt>
					<dd>{value}</dd>
				</div>
			))}
		</dl>
	);
}

function Workers({ workers }: { workers: Worker[] }): JSX.Element {
	return (
		<Table
			caption="Workers"
			rows={workers}
			rowKey={(worker) => String(worker.number)}
			columns={[
				{ title: "Worker", cell: ({ number }) => String(number) },
				{
					title: "State",
					cell: (worker) => (
						<span class={worker.isAlive && worker.isDatabaseUp ? "badge" : "badge bad"}>
							{stateOf(worker)}
						</span>
					),
				},
				{
					title: "Since",
					cell: ({ startedAt }) => (startedAt === null ? "-" : <When at={startedAt} />),
				},
				{ title: "Panels", cell: (worker) => String(worker.connectedPanels) },
				{ title: "Requests", cell: (worker) => String(worker.requests) },
				{ title: "Statements", cell: (worker) => String(worker.databaseStatements) },
				{ title: "Images", cell: (worker) => String(worker.shortJobs + worker.longJobs) },
				{ title: "Passwords", cell: (worker) => String(worker.passwordJobs) },
			]}
		/>
	);
}

async function change(resource: Resource<Instance>, appsReachLocal: boolean): Promise<void> {
	try {
		resource.set(await patch("/web/admin/instance", { appsReachLocal }));
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		toast(error.message);
		// The change failed: redraw the box with the old value.
		await resource.refresh();
	}
}

/** A switch for the addresses of --egress-allow: it can close them to apps, but open no others. */
function Network({ resource }: { resource: Resource<Instance> }): JSX.Element {
	return (
		<div class="stack">
			<Check
				label="Apps can reach local addresses"
				isOn={resource.value.value?.appsReachLocal ?? false}
				onChange={(isOn) => void change(resource, isOn)}
			/>
			<p class="quiet">
				Only the local addresses that the server option --egress-allow opens. If this is off, apps,
				webhooks and MQTT connections reach only public addresses.
			</p>
		</div>
	);
}

/** /admin/instance: the state of the instance that answers, refreshed every few seconds. */
export function InstancePage(): JSX.Element {
	const instance = useResource(() => get("/web/admin/instance"));
	const known = instance.value.value;
	return (
		<AdminFrame title="Instance">
			{instance.problem.value && !known && (
				<p class="notice bad">{instance.problem.value.message}</p>
			)}
			{known && <Wellness instance={known} />}
			{known && <Totals instance={known} />}
			{known && <Workers workers={known.workers} />}
			<p class="quiet">Work in progress in each worker, reported once a second.</p>
			{known && <Network resource={instance} />}
		</AdminFrame>
	);
}
