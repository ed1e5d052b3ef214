import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { get, post, Problem, remove, type Schemas } from "../api/client";
import { useResource } from "../api/resource";
import { RowActions, type Action } from "../components/actions";
import { confirm } from "../components/dialog";
import { isolated } from "../components/isolated";
import { Table } from "../components/table";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { Progress } from "./progress";
import { countWords, isBusy } from "./words";

type Summary = Schemas["CollectionSummary"];
type App = Schemas["CollectionApp"];

const STATES: Record<App["state"], string> = {
	held: "To approve",
	failed: "Failed",
	gone: "Left the collection",
	made: "New",
	updated: "Updated",
};
/** Order of the states: apps that need somebody come first. */
const ORDER: readonly App["state"][] = ["held", "failed", "gone", "made", "updated"];
/** Apps shown at first. */
const SHOWN = 20;

function Apps({ id, topic }: { id: string; topic: string }): JSX.Element | null {
	const path = "/web/collections/{collectionId}";
	const whole = useResource(() => get(path, {}, { collectionId: id }), [topic]);
	const [limit, setLimit] = useState(SHOWN);
	const apps = whole.value.value?.apps;
	if (!apps) return null;
	const sorted = [...apps].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
	return (
		<>
			<Table
				caption="What came of each app"
				rows={sorted.slice(0, limit)}
				rowKey={({ folder, state }) => `${state} ${folder}`}
				columns={[
					{ title: "App", cell: ({ folder }) => isolated(folder) },
					{ title: "Outcome", cell: ({ state }) => STATES[state] },
					{ title: "Reason", cell: ({ reason }) => isolated(reason ?? "") },
				]}
			/>
			{sorted.length > limit && (
				<p>
					<button type="button" class="button plain" onClick={() => setLimit(sorted.length)}>
						Show all {sorted.length.toLocaleString("en")}
					</button>
				</p>
			)}
		</>
	);
}

async function said(call: Promise<unknown>, words: string): Promise<void> {
	try {
		await call;
		toast(words);
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		toast(error.message);
	}
}

async function withdraw({ id, name, isForAll }: Summary): Promise<void> {
	const isSure = await confirm({
		title: `Remove ${isolated(name)}?`,
		text: isForAll
			? "It is not fetched any more. Its apps stay."
			: "It is not fetched any more. Its apps are removed, unless a device has them.",
		action: "Remove",
	});
	if (!isSure) return;
	const path = "/web/collections/{collectionId}";
	await said(remove(path, { collectionId: id }), `${isolated(name)} removed`);
}

async function approve({ id, name, heldCount }: Summary): Promise<void> {
	const isSure = await confirm({
		title: `Approve what ${isolated(name)} holds?`,
		text:
			heldCount > 0
				? "These updates name hosts that the apps did not ask so far, or ask for new secrets. The archive is fetched again, and they are taken if it is the same."
				: "Apps that have left the collection are marked as broken, and stay where they are installed.",
		action: "Approve",
	});
	if (!isSure) return;
	const path = "/web/collections/{collectionId}/confirm";
	await said(post(path, undefined, { collectionId: id }), "Approved");
}

function Outcome({ of }: { of: Summary }): JSX.Element {
	const { state, problem, endedAt, appCount } = of;
	const isBad = state === "failed";
	return (
		<>
			{problem !== null && (
				<p class={isBad ? "notice bad" : "notice"}>
					{isBad ? `The last fetch failed: ${isolated(problem)}` : isolated(problem)}
				</p>
			)}
			<p>
				{(!isBad || appCount > 0) && <>{countWords(of)}. </>}
				{endedAt !== null && (
					<span class="quiet">
						Fetched <When at={endedAt} />.
					</span>
				)}
			</p>
		</>
	);
}

/** A collection: what it is, how far its fetch is or what came of it, and what to do. */
export function Collection({
	of,
	topic,
	onChanged,
}: {
	of: Summary;
	topic: string;
	onChanged: () => Promise<void>;
}): JSX.Element {
	const id = useId();
	const [isOpen, setOpen] = useState(of.state === "held");
	const { name, url, folder, state } = of;
	const run = (call: Promise<void>) => void call.then(onChanged);
	const fetchNow = () => {
		const path = "/web/collections/{collectionId}/fetch";
		run(said(post(path, undefined, { collectionId: of.id }), `Fetching ${isolated(name)}`));
	};
	const actions: Action[] = [
		...(state === "held" ? [{ words: "Approve", onClick: () => run(approve(of)) }] : []),
		{ words: "Update now", onClick: fetchNow, isDisabled: isBusy(of) },
		{ words: "Remove", onClick: () => run(withdraw(of)) },
	];
	const changed = of.madeCount + of.updatedCount + of.failedCount + of.heldCount + of.goneCount;
	return (
		<li class="collection stack" aria-labelledby={id}>
			<div class="row between">
				<div>
					<h2 id={id}>{isolated(name)}</h2>
					<p class="quiet collection-url">
						{url}
						{folder !== "" && `, folder ${isolated(folder)}`}
					</p>
				</div>
				<RowActions name={name} actions={actions} />
			</div>
			{isBusy(of) ? <Progress of={of} /> : <Outcome of={of} />}
			{!isBusy(of) && changed > 0 && (
				<details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
					<summary>What came of each app</summary>
					{isOpen && <Apps id={of.id} topic={topic} />}
				</details>
			)}
		</li>
	);
}
