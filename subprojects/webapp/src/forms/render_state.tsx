import type { JSX } from "preact";
import { get, type Schemas } from "../api/client";
import { useResource } from "../api/resource";
import { When } from "../components/when";
import { RunLog, RunProblemNote } from "./run";

type Render = Schemas["Render"];

export function Hosts({ hosts }: { hosts: readonly string[] }): JSX.Element | null {
	if (hosts.length === 0) return null;
	return (
		<p class="quiet app-hosts">
			Hosts contacted:{" "}
			{hosts.map((host, i) => (
				<>
					{i > 0 && ", "}
					<code key={host}>{host}</code>
				</>
			))}
			.
		</p>
	);
}

/** "in 12 ms", "in 1.2 s" */
function took(ms: number): string {
	return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function Facts({ render }: { render: Render }): JSX.Element {
	if (render.renderedAt === null && render.pausedUntil === null)
		return (
			<p class="quiet">
				Not rendered yet. The app renders shortly before its turn, while the panel is online.
			</p>
		);
	return (
		<dl class="version-facts">
			<div>
				<dt>Rendered</dt>
				<dd>{render.renderedAt === null ? "Not yet" : <When at={render.renderedAt} />}</dd>
			</div>
			{render.tookMs !== null && (
				<div>
					<dt>Render time</dt>
					<dd>{took(render.tookMs)}</dd>
				</div>
			)}
			{render.pausedUntil !== null && (
				<div>
					<dt>Next try</dt>
					<dd>
						<When at={render.pausedUntil} />
					</dd>
				</div>
			)}
		</dl>
	);
}

/** Shows the last render of an installation: when, its time, what it printed, why it failed. */
export function RenderState({
	deviceId,
	installationId,
}: {
	deviceId: string;
	installationId: string;
}): JSX.Element | null {
	const place = { deviceId, installationId };
	// There is no event for each render, so the state is polled while the page is visible.
	const state = useResource(() =>
		get("/web/devices/{deviceId}/rotation/{installationId}/render", {}, place),
	);
	const render = state.value.value;
	if (!render) return null;
	return (
		<section class="stack" aria-labelledby="runs">
			<h2 id="runs">Status</h2>
			<Facts render={render} />
			{render.pausedUntil !== null && (
				<p class="notice">
					{render.versionPaused
						? "This version of the app failed several times in a row, perhaps with other settings. It is paused, longer each time."
						: "The app failed several times in a row. It is paused, longer each time."}{" "}
					The last good picture stays on the panel.
				</p>
			)}
			{render.hasNothing && (
				<p class="quiet">
					The app had nothing to show. The rotation skips it until it has a picture.
				</p>
			)}
			{render.problem && <RunProblemNote problem={render.problem} />}
			<RunLog log={render.log} />
			<Hosts hosts={render.hosts} />
		</section>
	);
}
