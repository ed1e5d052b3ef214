import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { post, Problem, type Schemas } from "../api/client";
import { withCodes } from "../components/hidden";
import { textOf } from "../forms/fields";
import { Previewer } from "../forms/previewer";
import { PreviewPanel } from "../forms/run";
import { newIn, reachOf, type Reach } from "./reach";
import type { Run } from "./run";

type Preview = Schemas["DraftPreview"];
type Tried = { id: string } & Pick<Run, "settings" | "timezone">;

/** The deployed version, which another one would replace. */
export interface Before {
	version: string;
	script: string;
	previewer: Previewer<Tried, Preview>;
}

/** Runs the deployed version, if there is another one, with the settings of the run of the new one. */
export function useBefore(scripts: Schemas["ReviewScripts"], version: string, run: Run) {
	const { deployedVersion, deployedVersionId: id, deployedContent: script } = scripts;
	const [previewer] = useState(
		() =>
			new Previewer<Tried, Preview>(({ id: versionId, ...how }) =>
				post("/web/reviews/{versionId}/preview", how, { versionId }),
			),
	);
	const isOther = deployedVersion !== null && deployedVersion !== version;
	const { settings, timezone } = run;
	useEffect(() => {
		if (isOther && id !== null) previewer.want({ id, settings, timezone });
	}, [isOther, id, textOf(settings), timezone]);
	useEffect(() => () => previewer.end(), [previewer]);
	return useMemo<Before | undefined>(
		() =>
			isOther && script !== null ? { version: deployedVersion, script, previewer } : undefined,
		[isOther, deployedVersion, script],
	);
}

/** The picture of the deployed version, beside that of the new one. */
export function BeforePanel({ before }: { before: Before }): JSX.Element {
	const { previewer, version } = before;
	const error = previewer.error.value;
	return (
		<PreviewPanel
			preview={previewer.answer.value}
			isBusy={previewer.isBusy.value}
			fault={error instanceof Problem ? error.message : undefined}
			label={`Picture of the deployed version ${version}`}
		/>
	);
}

function Names({ names, isCode }: { names: readonly string[]; isCode?: boolean }): JSX.Element {
	return (
		<ul class="reach-names">
			{names.map((name) => (
				<li key={name}>{isCode ? <code>{withCodes(name)}</code> : withCodes(name)}</li>
			))}
		</ul>
	);
}

/** Says what the version may reach and asks for; of a later one, only what is new. */
export function NewReach({
	script,
	run,
	before,
}: {
	script: string;
	run: Run;
	before: Before | undefined;
}): JSX.Element {
	const preview = run.previewer.answer.value;
	const old = before?.previewer.answer.value;
	const { hosts, secrets } = useMemo<Reach>(
		() => newIn(reachOf(script, preview), before && reachOf(before.script, old)),
		[script, preview, before, old],
	);
	const newly = before ? "newly " : "";
	const nothing = before
		? `It names and reaches no host that ${before.version} does not, and asks for no new secret.`
		: "It names and reaches no host, and asks for no secret.";
	return (
		<section class="reach" aria-labelledby="reach">
			<h3 id="reach">{before ? "New in this version" : "What it may do"}</h3>
			{hosts.length > 0 && (
				<>
					<p>It may {newly}reach:</p>
					<Names names={hosts} isCode />
				</>
			)}
			{secrets.size > 0 && (
				<>
					<p>It {newly}asks for secrets:</p>
					<Names names={[...secrets.values()]} />
				</>
			)}
			{hosts.length + secrets.size === 0 && <p>{nothing}</p>}
			<p class="quiet">
				Hosts: those that its script names, and those that this preview has reached. A script can
				make up others.
			</p>
		</section>
	);
}
