import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, post, Problem } from "../api/client";
import { useResource } from "../api/resource";
import { Button } from "../components/button";
import { isolated } from "../components/isolated";
import { Progress } from "./progress";
import { COMMUNITY, isBusy } from "./words";

/** For administrators: brings the community's apps into the empty catalogue, and shows how far that is. */
export function Community(): JSX.Element | null {
	const all = useResource(() => get("/web/collections"), ["admin"]);
	const [isAsking, setAsking] = useState(false);
	const [fault, setFault] = useState<string>();
	const list = all.value.value;
	if (!list) return null;
	const shown = list.find(({ isForAll }) => isForAll);
	const bring = async () => {
		setAsking(true);
		setFault(undefined);
		try {
			if (shown)
				await post("/web/collections/{collectionId}/fetch", undefined, { collectionId: shown.id });
			else await post("/web/collections", COMMUNITY);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			setFault(error.message);
		}
		await all.refresh();
		setAsking(false);
	};
	if (shown && isBusy(shown)) return <Progress of={shown} />;
	return (
		<>
			{shown && (
				<p class="notice bad">
					{shown.problem === null
						? `${isolated(shown.name)} has brought in no app.`
						: `${isolated(shown.name)} could not be fetched: ${isolated(shown.problem)}`}{" "}
					<a href="admin/collections" data-page>
						See the collections
					</a>
				</p>
			)}
			<div class="row">
				<Button kind="primary" isBusy={isAsking} onClick={() => void bring()}>
					{shown ? "Try again" : "Bring in about 1,000 apps of the community (27 MB)"}
				</Button>
			</div>
			{fault !== undefined && (
				<p class="notice bad" role="alert">
					{fault}
				</p>
			)}
		</>
	);
}

/** For administrators: how far collections for all are that are being fetched. */
export function Arriving(): JSX.Element | null {
	const all = useResource(() => get("/web/collections"), ["admin"]);
	const busy = all.value.value?.filter((one) => one.isForAll && one.state === "fetching") ?? [];
	return busy.length === 0 ? null : (
		<>
			{busy.map((one) => (
				<Progress key={one.id} of={one} />
			))}
		</>
	);
}
