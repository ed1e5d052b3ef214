import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, post, Problem, remove, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { Button } from "../components/button";
import { isolated } from "../components/isolated";
import { sentence } from "../components/sentence";
import { Table } from "../components/table";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { Heading } from "../frame/page";

type Series = Schemas["FirmwareSeries"];
type Line = Schemas["FirmwareSeriesDevice"];

const PATH = "/web/firmware-updates";

/** "1 panel", "3 panels" */
function panels(count: number): string {
	return count === 1 ? "1 panel" : `${count} panels`;
}

function countOf({ devices }: Series, ...states: readonly Line["state"][]): number {
	return devices.filter(({ state }) => states.includes(state)).length;
}

/** How the last update goes on, or has ended. */
function progress(series: Series): string {
	const done = countOf(series, "done");
	const all = countOf(series, "waiting", "updating", "done", "failed");
	switch (series.state) {
		case "none":
			return "";
		case "running":
			return `Updating: ${done} of ${panels(all)} done.`;
		case "done":
			return done === 0 ? "No panel was updated." : `Updated ${panels(done)}.`;
		case "stopped":
			return `Stopped: ${isolated(series.problem ?? "")}. Updated ${done} of ${panels(all)}.`;
		case "cancelled":
			return `You stopped the update. Updated ${done} of ${panels(all)}.`;
	}
}

/** Words for the state of a panel; what waits when the update has ended is not updated. */
function stateOf({ state }: Line, { state: whole }: Series): string {
	switch (state) {
		case "waiting":
			return whole === "running" ? "Waiting" : "Not updated";
		case "updating":
			return "Updating";
		case "done":
			return "Updated";
		case "failed":
			return "Failed";
		case "left_out":
			return "Left out";
	}
}

function Lines({ series }: { series: Series }): JSX.Element | null {
	const { devices } = series;
	if (devices.length === 0) return null;
	return (
		<Table
			caption="Panels of the update"
			rows={devices}
			rowKey={({ deviceId }) => deviceId}
			columns={[
				{
					title: "Device",
					cell: ({ deviceId, name }) => (
						<a href={`devices/${deviceId}/settings`} data-page>
							{name}
						</a>
					),
				},
				{ title: "State", cell: (line) => stateOf(line, series) },
				{ title: "Version", cell: ({ version }) => isolated(version ?? "-") },
				{
					title: "Why",
					cell: ({ reason }) => (reason === null ? "-" : sentence(isolated(reason))),
				},
			]}
		/>
	);
}

/** The button that starts an update, or stops the one that runs. */
function Act({ all, series }: { all: Resource<Series>; series: Series }): JSX.Element {
	const [isBusy, setBusy] = useState(false);
	const isRunning = series.state === "running";
	const act = async () => {
		setBusy(true);
		try {
			if (isRunning) await remove(PATH);
			else all.set(await post(PATH, undefined));
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			toast(error.message);
		}
		await all.refresh();
		setBusy(false);
	};
	return (
		<div class="row">
			<Button kind={isRunning ? "plain" : "primary"} isBusy={isBusy} onClick={() => void act()}>
				{isRunning ? "Stop the update" : "Update all panels"}
			</Button>
		</div>
	);
}

/** /devices/firmware: newer firmware for all panels, one after the other. */
export function UpdatesPage(): JSX.Element {
	const all = useResource(() => get(PATH), ["devices"]);
	const series = all.value.value;
	const words = series ? progress(series) : "";
	return (
		<div class="stack wide">
			<Heading title="Update all panels" />
			<p class="words">
				Panels for whose board there is newer firmware get it, one after the other. If one does not
				come back within five minutes, the others keep what they have.
			</p>
			{!series && all.problem.value && <p class="notice bad">{all.problem.value.message}</p>}
			{series && <Act all={all} series={series} />}
			<p role="status" class={words === "" ? "only-read" : ""}>
				{words}
				{series?.endedAt && (
					<>
						{" "}
						(<When at={series.endedAt} />)
					</>
				)}
			</p>
			{series && <Lines series={series} />}
			<p>
				<a href="devices?view=list" data-page>
					All devices
				</a>
			</p>
		</div>
	);
}
