import type { JSX } from "preact";
import { get, post, Problem, remove, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { RowActions } from "../components/actions";
import { confirm } from "../components/dialog";
import { Empty } from "../components/empty";
import { isolated } from "../components/isolated";
import { Search } from "../components/search";
import { Table } from "../components/table";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { counted } from "../components/words";
import { useKept } from "../frame/place";
import { AdminFrame } from "./admin";

type App = Schemas["OwnApp"];

/** Number of apps shown: the oldest, or the oldest that match the search. */
const SHOWN = 100;

async function act(all: Resource<App[]>, deed: () => Promise<string>): Promise<void> {
	try {
		toast(await deed());
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		toast(error.message);
	}
	await all.refresh();
}

async function removeApp(app: App): Promise<string> {
	const known = await get("/web/admin/apps/{appId}", {}, { appId: app.id });
	const author = known.account === null ? "no account" : isolated(known.account);
	const isSure = await confirm({
		title: `Remove ${isolated(app.name)} (${app.slug})?`,
		text: `It belongs to ${author}. Its ${counted(known.versions, "version")} and drafts are deleted, and it
			disappears from rotations: it is installed ${counted(known.installations, "time")}. It cannot be restored.`,
		action: `Remove ${isolated(app.name)}`,
	});
	if (!isSure) return "Nothing removed";
	await remove("/web/admin/apps/{appId}", { appId: app.id });
	return `${isolated(app.name)} removed`;
}

async function disableApp(app: App, isDisabled: boolean): Promise<string> {
	const parameters = { appId: app.id };
	if (isDisabled) await post("/web/admin/apps/{appId}/disable", undefined, parameters);
	else await post("/web/admin/apps/{appId}/enable", undefined, parameters);
	return `${isolated(app.name)} ${isDisabled ? "disabled" : "enabled"}`;
}

function Apps({ all }: { all: Resource<App[]> }): JSX.Element {
	return (
		<Table
			caption="All apps"
			rows={all.value.value ?? []}
			rowKey={(app) => app.id}
			columns={[
				{
					title: "App",
					cell: ({ name, slug }) => (
						<span class="two-lines">
							{isolated(name)}
							<span class="quiet">{slug}</span>
						</span>
					),
				},
				{ title: "Collection", cell: ({ collection }) => collection ?? "-" },
				{ title: "Visibility", cell: ({ visibility }) => visibility },
				{
					title: "State",
					cell: ({ status, brokenReason }) => (
						<span class={status === "disabled" ? "badge bad" : "badge"}>
							{brokenReason === undefined ? status : "broken"}
						</span>
					),
				},
				{ title: "Created", cell: ({ createdAt }) => <When at={createdAt} /> },
				{
					title: "Actions",
					isAction: true,
					cell: (app) => {
						const isOff = app.status === "disabled";
						return (
							<RowActions
								name={app.slug}
								actions={[
									{
										words: isOff ? "Enable" : "Disable",
										onClick: () => void act(all, () => disableApp(app, !isOff)),
									},
									{ words: "Remove", onClick: () => void act(all, () => removeApp(app)) },
								]}
							/>
						);
					},
				},
			]}
		/>
	);
}

function Found({ wanted }: { wanted: string }): JSX.Element {
	const all = useResource(
		() => get("/web/admin/apps", { limit: SHOWN, q: wanted, broken: "true" }),
		["apps"],
	);
	const rows = all.value.value;
	return (
		<>
			{all.problem.value && !rows && <p class="notice bad">{all.problem.value.message}</p>}
			{rows?.length === 0 ? (
				<Empty title={wanted === "" ? "No apps" : "No matching apps"} />
			) : (
				<Apps all={all} />
			)}
			{rows?.length === SHOWN && (
				<p class="quiet">The first {SHOWN} apps. Search to find others.</p>
			)}
		</>
	);
}

/** /admin/apps: the apps of all accounts. */
export function AdminAppsPage(): JSX.Element {
	const [wanted, setWanted] = useKept("search", "");
	return (
		<AdminFrame title="Apps of all accounts">
			<Search label="Search apps" help="Name or slug." wanted={wanted} onWanted={setWanted} />
			<Found key={wanted} wanted={wanted} />
		</AdminFrame>
	);
}
