import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, isAway, post, Problem, put, type Schemas } from "../api/client";
import { onChanged } from "../api/live";
import type { Resource } from "../api/resource";
import { start } from "../api/session";
import { Button } from "../components/button";
import { Choice } from "../components/choice";
import { Code, useEditor, type Language, type Remark } from "../components/code";
import { Feedback, hasFeedback } from "../components/feedback";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { isolated } from "../components/isolated";
import { toast } from "../components/toast";
import { VersionBadge } from "../components/version";
import { setGuard } from "../frame/place";
import type { CodeView } from "../editor/editor";
import { Draft, type DraftState, type Script } from "../studio/draft";
import { nextVersion, ownPathOf } from "../studio/names";
import { Palette } from "../studio/palette";
import { RunPane, useRun, type Run } from "../studio/run";
import { ShowOn } from "../studio/show_on";
import { TEMPLATES } from "../studio/templates";

type OwnApp = Schemas["OwnApp"];
type Version = Schemas["OwnVersion"];

const SAID: Record<DraftState, string> = {
	loading: "",
	saved: "Saved",
	changed: "",
	saving: "Saving",
	conflict: "Not saved",
	failed: "Not saved",
};

/** Returns the content of a new draft: the deployed script, else the newest, else a template. */
async function beginning(appId: string, { scriptLanguage }: Script): Promise<Script> {
	const app = { appId };
	const versions = await get("/web/studio/{appId}/versions", {}, app);
	const version = versions.find(({ deployed }) => deployed) ?? versions[0];
	if (!version) return { scriptLanguage, scriptContent: TEMPLATES[scriptLanguage] };
	const path = "/web/studio/{appId}/versions/{versionId}/script";
	const { scriptContent } = await get(path, {}, { ...app, versionId: version.id });
	return { scriptLanguage: version.scriptLanguage, scriptContent };
}

function makeDraft(appId: string): Draft {
	const app = { appId };
	return new Draft({
		load: async () => {
			const draft = await get("/web/studio/{appId}/draft", {}, app);
			return draft.revision === 0 ? { revision: 0, ...(await beginning(appId, draft)) } : draft;
		},
		save: (script, revision) => put("/web/studio/{appId}/draft", { ...script, revision }, app),
		isConflict: (error) => error instanceof Problem && error.status === 409,
		wordsOf: (error) => {
			if (error instanceof Problem) return error.message;
			throw error;
		},
	});
}

function useDraft({ id, slug }: OwnApp): Draft {
	const draft = useMemo(() => makeDraft(id), [id]);
	useEffect(() => {
		void draft.open();
		const stop = onChanged((topic) => {
			const start = `draft:${slug}:`;
			if (topic?.startsWith(start)) void draft.look(Number(topic.slice(start.length)));
		});
		const unguard = draft.isUnsaved.subscribe((isUnsaved) =>
			setGuard(
				isUnsaved
					? {
							title: "Leave without saving?",
							text: "Your last changes are not saved yet.",
							action: "Leave",
						}
					: undefined,
			),
		);
		const unaway = isAway.subscribe((away) => {
			if (!away) void draft.save();
		});
		return () => {
			stop();
			unaway();
			unguard();
			setGuard(undefined);
			draft.end();
		};
	}, [draft, slug]);
	return draft;
}

function Conflict({ draft }: { draft: Draft }): JSX.Element {
	return (
		<div class="notice bad stack" role="alert">
			<p>
				This draft was changed elsewhere while you worked on it here. Which one do you want to keep?
			</p>
			<div class="row">
				<Button onClick={() => void draft.open()}>Keep the other</Button>
				<Button onClick={() => void draft.keepMine()}>Keep mine</Button>
			</div>
		</div>
	);
}

/** Returns the newest version if its review requests changes. */
function toMend(versions: readonly Version[] | undefined): Version | undefined {
	const newest = versions?.[0];
	return newest &&
		(newest.status === "CHANGES_REQUESTED" || newest.status === "REJECTED") &&
		hasFeedback(newest)
		? newest
		: undefined;
}

/** Maps the remarks about a version to the lines of the draft. */
function useRemarks(
	appId: string,
	version: Version | undefined,
	draft: string | undefined,
): Remark[] {
	const editor = useEditor();
	const [script, setScript] = useState<{ id: string; text: string }>();
	const id = version?.id;
	useEffect(() => {
		if (id === undefined) return;
		const wanted = { appId, versionId: id };
		get("/web/studio/{appId}/versions/{versionId}/script", {}, wanted)
			.then(({ scriptContent }) => setScript({ id, text: scriptContent }))
			.catch((error: unknown) => {
				if (!(error instanceof Problem)) throw error;
			});
	}, [appId, id]);
	// The editor keeps them at their lines while the author types: only a replaced text sets them
	// again.
	return useMemo(() => {
		const said = version?.reviewComments.filter(({ line }) => line !== null) ?? [];
		if (!editor || draft === undefined || script?.id !== id || !script || said.length === 0)
			return [];
		const lines = editor.mapLines(
			script.text,
			draft,
			said.map(({ line }) => line ?? 1),
		);
		return said.map(({ author, comment }, i) => ({ author, text: comment, line: lines[i] ?? 1 }));
	}, [editor, script, id, draft]);
}

function Mend({
	version,
	onLine,
}: {
	version: Version;
	onLine: (line: number) => void;
}): JSX.Element {
	return (
		<section class="notice stack" aria-labelledby="mend">
			<div class="row">
				<h2 id="mend">Review of {version.version}</h2>
				<VersionBadge status={version.status} />
			</div>
			<Feedback version={version} onLine={onLine} />
		</section>
	);
}

function Awaits({ app, pending }: { app: OwnApp; pending: Version | undefined }): JSX.Element {
	const isBad = pending?.check.state === "bad";
	return (
		<p class={isBad ? "notice bad" : "notice"}>
			Version {app.pendingVersion} is awaiting review. You can continue with the draft, and submit
			the next version after the review.
			{pending && start.value?.account?.isReviewer && (
				<>
					{" "}
					You are a reviewer:{" "}
					<a href={`review/${pending.id}`} data-page>
						review it
					</a>
					. If there is no other reviewer, you can decide yourself.
				</>
			)}
			{pending && isBad && (
				<>
					{" "}
					The version{" "}
					<a
						href={`studio/${ownPathOf(app)}/versions/${encodeURIComponent(pending.version)}`}
						data-page
					>
						cannot run
					</a>
					, so it cannot be approved.
				</>
			)}
		</p>
	);
}

function Submit({
	app,
	draft,
	versions,
	onDone,
}: {
	app: OwnApp;
	draft: Draft;
	versions: readonly Version[];
	onDone: () => Promise<void>;
}): JSX.Element {
	const [given, setGiven] = useState<string>();
	const version = given ?? nextVersion(versions[0]?.version);
	const pending = versions.find((one) => one.status === "PENDING");
	if (app.pendingVersion !== null) return <Awaits app={app} pending={pending} />;
	const submit = async () => {
		await draft.save();
		const script = draft.script.value;
		if (!script || draft.isUnsaved.value) throw new Problem(0, "Save the draft first.");
		await post("/web/studio/{appId}/versions", { version, ...script }, { appId: app.id });
		toast(`Version ${version} submitted for review`);
		setGuard(undefined);
		setGiven(undefined);
		await onDone();
	};
	return (
		<div class="form-width">
			<Form action="Submit for review" onSubmit={submit} names={["version"]}>
				{(faults) => (
					<Field
						label="Version"
						name="version"
						value={version}
						onInput={setGiven}
						fault={faults.get("version")}
						help="Each name can be used once. A submitted version never changes; you continue with the draft."
						maxLength={64}
						isVerbatim
						isRequired
					/>
				)}
			</Form>
		</div>
	);
}

function Toolbar({ draft }: { draft: Draft }): JSX.Element {
	const language = draft.script.value?.scriptLanguage ?? "STARLARK";
	const change = (scriptLanguage: Language) => {
		// Nothing is lost if the template is unchanged.
		if (draft.script.value?.scriptContent === TEMPLATES[language])
			draft.replace({ scriptLanguage, scriptContent: TEMPLATES[scriptLanguage] });
		else draft.change({ scriptLanguage });
	};
	return (
		<div class="row between">
			<Choice
				label="Language"
				value={language}
				onChange={change}
				options={[
					{ value: "STARLARK", words: "Starlark" },
					{ value: "TYPESCRIPT", words: "TypeScript" },
				]}
			/>
			<span class={draft.state.value === "failed" ? "fault" : "said"} role="status">
				{draft.isNew.value && draft.state.value === "saved" ? "" : SAID[draft.state.value]}
				{draft.state.value === "failed" && `: ${draft.words.value}`}
			</span>
		</div>
	);
}

/** Renders the picture after each save. */
function useDraftRun(appId: string, draft: Draft): Run {
	const [saved, setSaved] = useState<Script>();
	useEffect(
		() =>
			effect(() => {
				// A script that was loaded from the server does not change the state.
				if (draft.epoch.value >= 0 && draft.state.value === "saved") setSaved(draft.script.peek());
			}),
		[draft],
	);
	const app = { appId };
	return useRun(saved, {
		preview: (wish) => post("/web/studio/{appId}/preview", wish, app),
		handler: (question) => post("/web/studio/{appId}/handler", question, app),
	});
}

/** Widgets and fields, which are rendered when they are opened. */
function Insert(props: {
	appId: string;
	language: Language;
	onInsert: (code: string) => void;
}): JSX.Element {
	const [isOpen, setOpen] = useState(false);
	return (
		<details class="app-trial" onToggle={(event) => setOpen(event.currentTarget.open)}>
			<summary>Widgets and fields</summary>
			{isOpen && <Palette {...props} />}
		</details>
	);
}

/** The script, and its picture beside it. */
function Work({
	app,
	draft,
	script,
	remarks,
	view,
}: {
	app: OwnApp;
	draft: Draft;
	script: Script;
	remarks: readonly Remark[];
	/** Gets the editor's view, which can move the cursor. */
	view: { current: CodeView | undefined };
}): JSX.Element {
	const run = useDraftRun(app.id, draft);
	return (
		<div class="app-work">
			<div class="stack">
				<Toolbar draft={draft} />
				<Code
					text={script.scriptContent}
					language={script.scriptLanguage}
					label="Script of the draft"
					remarks={remarks}
					problems={run.problems}
					epoch={draft.epoch.value}
					isTall
					onChange={(scriptContent) => draft.change({ scriptContent })}
					onSave={() => void draft.save()}
					onView={(made) => (view.current = made)}
				/>
				<p class="quiet">
					Saved as you type. Tab indents. Escape, then Tab leaves the editor. Ctrl+F finds text.
				</p>
			</div>
			<RunPane
				run={run}
				title={`Preview of ${isolated(app.name)}`}
				onLine={(line) => view.current?.goTo(line)}
			>
				<ShowOn slug={app.slug} picture={run.previewer.answer.value?.picture} />
				<Insert
					appId={app.id}
					language={script.scriptLanguage}
					onInsert={(code) => view.current?.insert(code, script.scriptLanguage)}
				/>
			</RunPane>
		</div>
	);
}

/** Page /studio/SLUG: the draft, the result of the last review, and the way to the next one. */
export function DraftPart({
	app,
	versions,
	onDone,
}: {
	app: OwnApp;
	versions: Resource<Version[]>;
	onDone: () => Promise<void>;
}): JSX.Element {
	const draft = useDraft(app);
	const view = useRef<CodeView | undefined>(undefined);
	const script = draft.script.value;
	const epoch = draft.epoch.value;
	const opened = useMemo(() => script?.scriptContent, [epoch]);
	const mend = toMend(versions.value.value);
	const remarks = useRemarks(app.id, mend, opened);
	const goToComment = (line: number) => {
		const said = mend?.reviewComments.filter((comment) => comment.line !== null) ?? [];
		const at = said.findIndex((comment) => comment.line === line);
		view.current?.goTo(remarks[at]?.line ?? line);
	};
	if (!script)
		return draft.words.value === "" ? (
			<div aria-busy="true" />
		) : (
			<p class="notice bad">{draft.words.value}</p>
		);
	return (
		<div class="stack">
			{mend && <Mend version={mend} onLine={goToComment} />}
			{draft.state.value === "conflict" && <Conflict draft={draft} />}
			<Work app={app} draft={draft} script={script} remarks={remarks} view={view} />
			<Submit app={app} draft={draft} versions={versions.value.value ?? []} onDone={onDone} />
		</div>
	);
}
