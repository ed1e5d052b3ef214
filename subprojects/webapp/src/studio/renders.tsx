import type { JSX } from "preact";
import { get, type Schemas } from "../api/client";
import { useResource } from "../api/resource";
import { When } from "../components/when";
import { counted } from "../components/words";
import { Hosts } from "../forms/render_state";
import { RunLog, RunProblemNote } from "../forms/run";

type Renders = Schemas["AppRenders"];

function Facts({ renders }: { renders: Renders }): JSX.Element {
	return (
		<dl class="version-facts">
			<div>
				<dt>Installed</dt>
				<dd>{counted(renders.installations, "time")}</dd>
			</div>
			<div>
				<dt>Pictures</dt>
				<dd>
					{renders.renders}
					{renders.failing > 0 && <span class="fault">, {renders.failing} failing</span>}
				</dd>
			</div>
			{renders.lastRenderedAt !== null && (
				<div>
					<dt>Rendered</dt>
					<dd>
						<When at={renders.lastRenderedAt} />
					</dd>
				</div>
			)}
			{renders.averageMs !== null && (
				<div>
					<dt>Average time</dt>
					<dd>{renders.averageMs} ms</dd>
				</div>
			)}
		</dl>
	);
}

/** Shows how the deployed version runs where it is installed, without others' settings and logs. */
export function RendersPart({ slug }: { slug: string }): JSX.Element | null {
	const state = useResource(() => get("/web/studio/{appId}/renders", {}, { appId: slug }));
	const renders = state.value.value;
	if (!renders?.version) return null;
	return (
		<section class="stack" aria-labelledby="renders">
			<h2 id="renders">Status of {renders.version}</h2>
			<Facts renders={renders} />
			{renders.pausedUntil !== null && (
				<p class="notice">
					This version crashed or reached a limit several times in a row. It is paused, longer each
					time. Entries without a good picture are tried again <When at={renders.pausedUntil} />.
				</p>
			)}
			{renders.failures.length > 0 && (
				<ul class="app-failures">
					{renders.failures.map((failure, i) => (
						<li key={i}>
							<RunProblemNote problem={failure.problem} />
							<p class="quiet">
								<When at={failure.renderedAt} />
								{failure.failures > 1 && `, ${failure.failures} times in a row`}
								{failure.pausedUntil !== null && (
									<>
										, next try <When at={failure.pausedUntil} />
									</>
								)}
							</p>
						</li>
					))}
				</ul>
			)}
			<Hosts hosts={renders.hosts} />
			{renders.ownLog.length > 0 && (
				<>
					<p class="quiet">On your own panels:</p>
					<RunLog log={renders.ownLog} />
				</>
			)}
		</section>
	);
}
