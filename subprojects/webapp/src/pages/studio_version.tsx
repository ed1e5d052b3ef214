import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, post, Problem, remove, type Schemas } from "../api/client";
import type { Resource } from "../api/resource";
import { Button } from "../components/button";
import { Check } from "../components/check";
import { Code, useEditor, type Remark } from "../components/code";
import { Empty } from "../components/empty";
import { confirm } from "../components/dialog";
import { Feedback, hasFeedback } from "../components/feedback";
import { isolated } from "../components/isolated";
import { toast } from "../components/toast";
import { CheckBadge, Changes, Checksum, languageName, VersionBadge } from "../components/version";
import { When } from "../components/when";
import type { CodeView } from "../editor/editor";
import { go } from "../frame/place";
import { CheckNote, useCheckProblems } from "../studio/check";
import { RunPane, useRun, type Run } from "../studio/run";
import { ownPathOf } from "../studio/names";
import { takeAsDraft } from "../studio/take_draft";

type OwnApp = Schemas["OwnApp"];
type Version = Schemas["OwnVersion"];

/** Loads a script once, since it never changes. Undefined until it is loaded. */
function useScript(appId: string, version: Version | undefined): string | undefined {
	const [script, setScript] = useState<{ id: string; text: string }>();
	const id = version?.id;
	useEffect(() => {
		if (id === undefined) return;
		const wanted = { appId, versionId: id };
		get("/web/studio/{appId}/versions/{versionId}/script", {}, wanted)
			.then(({ scriptContent }) => setScript({ id, text: scriptContent }))
			.catch((error: unknown) => {
				if (!(error instanceof Problem)) throw error;
				toast(error.message);
			});
	}, [appId, id]);
	return script?.id === id ? script?.text : undefined;
}

function Facts({ version }: { version: Version }): JSX.Element {
	return (
		<dl class="version-facts">
			<div>
				<dt>Submitted</dt>
				<dd>
					<When at={version.createdAt} />
				</dd>
			</div>
			{version.reviewedAt !== null && (
				<div>
					<dt>Reviewed</dt>
					<dd>
						<When at={version.reviewedAt} />
					</dd>
				</div>
			)}
			<div>
				<dt>Language</dt>
				<dd>{languageName(version.scriptLanguage)}</dd>
			</div>
			<div>
				<dt>Checksum</dt>
				<dd>
					<Checksum checksum={version.checksum} />
				</dd>
			</div>
		</dl>
	);
}

/** Makes it the deployed version. */
function Deploy({
	app,
	version,
	isOlder,
	onDone,
}: {
	app: OwnApp;
	version: Version;
	/** Whether it is older than the deployed version. */
	isOlder: boolean;
	onDone: () => Promise<void>;
}): JSX.Element {
	const [isBusy, setBusy] = useState(false);
	const deploy = async () => {
		setBusy(true);
		try {
			await post("/web/studio/{appId}/deploy", { version: version.version }, { appId: app.id });
			toast(`Version ${version.version} deployed`);
			go(`studio/${ownPathOf(app)}/versions`);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			toast(error.message);
		}
		setBusy(false);
		await onDone();
	};
	return (
		<div class="row">
			<Button kind="primary" isBusy={isBusy} onClick={() => void deploy()}>
				{isOlder ? `Roll back to ${version.version}` : `Deploy ${version.version}`}
			</Button>
			<span class="quiet">Each entry switches at its next render.</span>
		</div>
	);
}

/** Removes it for ever. */
function Remove({
	app,
	version,
	onDone,
}: {
	app: OwnApp;
	version: Version;
	onDone: () => Promise<void>;
}): JSX.Element {
	const removeIt = async () => {
		const isSure = await confirm({
			title: `Remove version ${version.version}?`,
			text: "This cannot be undone, and its name cannot be used again.",
			action: "Remove",
		});
		if (!isSure) return;
		try {
			await remove("/web/studio/{appId}/versions/{versionId}", {
				appId: app.id,
				versionId: version.id,
			});
			toast(`Version ${version.version} removed`);
			go(`studio/${ownPathOf(app)}/versions`);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			toast(error.message);
		}
		await onDone();
	};
	return <Button onClick={() => void removeIt()}>Remove {version.version}</Button>;
}

/** Returns the reviewers' remarks about lines. */
function remarksOf({ reviewComments }: Version): Remark[] {
	return reviewComments.map(({ author, comment, line }) => ({
		author,
		text: comment,
		line: line ?? 1,
	}));
}

/** Runs a version in the same way as a draft. */
function useVersionRun(appId: string, version: Version, text: string | undefined): Run {
	const { scriptLanguage } = version;
	const isBroken = version.check.state === "bad";
	const script = useMemo(
		() => (text === undefined || isBroken ? undefined : { scriptLanguage, scriptContent: text }),
		[scriptLanguage, text, isBroken],
	);
	const app = { appId };
	return useRun(script, {
		preview: (wish) => post("/web/studio/{appId}/preview", wish, app),
		handler: (question) => post("/web/studio/{appId}/handler", question, app),
	});
}

const CONSEQUENCES: Record<Version["status"], string> = {
	PENDING:
		"The version cannot be approved. Correct your draft, and submit it after the review of this version.",
	APPROVED:
		"The version cannot be deployed. Correct your draft, and submit it as the next version.",
	CHANGES_REQUESTED:
		"The version was not approved. Correct your draft, and submit it as the next version.",
	REJECTED: "The version was not approved. Correct your draft, and submit it as the next version.",
};

/** Tells the author whether the version can run, and if not, how to correct it. */
function Checked({
	version,
	script,
	onLine,
}: {
	version: Version;
	script: string | undefined;
	onLine: (line: number) => void;
}): JSX.Element {
	return (
		<CheckNote check={version.check} version={version.version} script={script} onLine={onLine}>
			{CONSEQUENCES[version.status]}
		</CheckNote>
	);
}

/** Shows the script; if another version is deployed, with the changes since that one. */
function Script({
	app,
	version,
	deployed,
	view,
}: {
	app: OwnApp;
	version: Version;
	/** Another version, which this one would replace. */
	deployed: Version | undefined;
	/** Gets the editor's view, which can move the cursor. */
	view: { current: CodeView | undefined };
}): JSX.Element {
	const editor = useEditor();
	const [isWhole, setWhole] = useState(false);
	const text = useScript(app.id, version);
	const before = useScript(app.id, deployed);
	const run = useVersionRun(app.id, version, text);
	const isCompared = deployed !== undefined;
	const changes = useMemo(
		() =>
			editor && text !== undefined && before !== undefined
				? editor.countChanges(before, text)
				: undefined,
		[editor, text, before],
	);
	const isBroken = version.check.state === "bad";
	const broken = useCheckProblems(version.check, text);
	const remarks = useMemo(() => remarksOf(version), [version]);
	const goTo = (line: number) => view.current?.goTo(line);
	if (text === undefined || (isCompared && before === undefined)) return <div aria-busy="true" />;
	return (
		<section class="stack" aria-labelledby="script">
			<div class="row between">
				<h2 id="script">{isCompared ? `Changes from ${deployed.version}` : "Script"}</h2>
				{changes && <Changes {...changes} />}
			</div>
			{isCompared && <Check label="Show unchanged lines" isOn={isWhole} onChange={setWhole} />}
			<Checked version={version} script={text} onLine={goTo} />
			<div class={isBroken ? "stack" : "app-work"}>
				<Code
					text={text}
					original={before}
					isWhole={isWhole}
					language={version.scriptLanguage}
					label={`Script of version ${version.version}`}
					remarks={remarks}
					problems={isBroken ? broken : run.problems}
					isReadOnly
					onView={(made) => (view.current = made)}
				/>
				{!isBroken && (
					<RunPane
						run={run}
						title={`Preview of ${isolated(app.name)} ${version.version}`}
						onLine={goTo}
					/>
				)}
			</div>
		</section>
	);
}

/** Page /studio/SLUG/versions/NAME: one version, and the way to deploy it. */
export function VersionPart({
	app,
	name,
	versions,
	onDone,
}: {
	app: OwnApp;
	name: string;
	versions: Resource<Version[]>;
	onDone: () => Promise<void>;
}): JSX.Element {
	const view = useRef<CodeView | undefined>(undefined);
	const all = versions.value.value;
	if (!all) return <div aria-busy="true" />;
	const at = all.findIndex((one) => one.version === name);
	const version = all[at];
	if (!version) return <Empty title={`Version ${name} not found`} />;
	const deployedAt = all.findIndex((one) => one.deployed);
	const deployed = deployedAt < 0 || deployedAt === at ? undefined : all[deployedAt];
	return (
		<div class="stack">
			<p>
				<a href={`studio/${ownPathOf(app)}/versions`} data-page>
					All versions
				</a>
			</p>
			<div class="row">
				<h2>Version {version.version}</h2>
				<VersionBadge status={version.status} />
				<CheckBadge check={version.check} />
				{version.deployed && <span class="badge good">Deployed</span>}
			</div>
			<Facts version={version} />
			{hasFeedback(version) && (
				<Feedback version={version} onLine={(line) => view.current?.goTo(line)} />
			)}
			{version.status === "APPROVED" && !version.deployed && (
				<Deploy app={app} version={version} isOlder={at > deployedAt} onDone={onDone} />
			)}
			<Script app={app} version={version} deployed={deployed} view={view} />
			<div class="row">
				<Button onClick={() => void takeAsDraft(app, version)}>Take as draft</Button>
				{!version.deployed && <Remove app={app} version={version} onDone={onDone} />}
			</div>
		</div>
	);
}
