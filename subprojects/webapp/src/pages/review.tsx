import { Name } from "../components/name";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, post, Problem, type Account, type Schemas } from "../api/client";
import { useResource } from "../api/resource";
import { Button } from "../components/button";
import { Check } from "../components/check";
import { Code, useEditor, type Remark } from "../components/code";
import { Feedback, hasFeedback } from "../components/feedback";
import { Field } from "../components/field";
import { isolated } from "../components/isolated";
import { TextArea } from "../components/text_area";
import { toast } from "../components/toast";
import { useTyped } from "../components/typed";
import { CheckBadge, Changes, Checksum, languageName, VersionBadge } from "../components/version";
import { When } from "../components/when";
import type { CodeView } from "../editor/editor";
import { hiddenIn, withCodes } from "../components/hidden";
import { Heading } from "../frame/page";
import { go } from "../frame/place";
import type { Parameters } from "../frame/routes";
import { CheckNote, useCheckProblems } from "../studio/check";
import { BeforePanel, NewReach, useBefore } from "../studio/compared";
import { notesOf } from "../studio/notes";
import { RunPane, useRun, type Run, type Trial } from "../studio/run";
import { Missing } from "./missing";

type Review = Schemas["Review"];
type Scripts = Schemas["ReviewScripts"];
type Notes = ReturnType<typeof notesOf>;
type Decision = Schemas["ReviewDecision"]["status"];

/** Longer remarks are refused. */
const REMARK_MAX = 4000;

function About({ review }: { review: Review }): JSX.Element {
	return (
		<div class="stack">
			<p class="place">
				<a href="review" data-page>
					Review
				</a>
			</p>
			<div class="row">
				<Heading title={`${isolated(withCodes(review.appName))} ${withCodes(review.version)}`} />
				<VersionBadge status={review.status} />
				<CheckBadge check={review.check} />
			</div>
			{review.description !== "" && <p class="words said-text">{withCodes(review.description)}</p>}
			<p class="quiet">
				{review.author !== "" && (
					<>
						by <Name>{withCodes(review.author)}</Name>,{" "}
					</>
				)}
				submitted <When at={review.createdAt} />, {languageName(review.scriptLanguage)}, checksum{" "}
				<Checksum checksum={review.checksum} />
			</p>
		</div>
	);
}

/** Scripts never change, but another version may be deployed. */
function useScripts(id: string, deployed: string | null | undefined): Scripts | undefined {
	const [scripts, setScripts] = useState<Scripts>();
	useEffect(() => {
		if (deployed === undefined) return;
		get("/web/reviews/{versionId}/scripts", {}, { versionId: id })
			.then(setScripts)
			.catch((error: unknown) => {
				if (!(error instanceof Problem)) throw error;
				toast(error.message);
			});
	}, [id, deployed]);
	return scripts;
}

function trialOf({ id }: Review): Trial {
	const of = { versionId: id };
	return {
		preview: ({ settings, timezone }) =>
			post("/web/reviews/{versionId}/preview", { settings, timezone }, of),
		handler: ({ fieldId, parameter, settings, timezone }) =>
			post("/web/reviews/{versionId}/handler", { fieldId, parameter, settings, timezone }, of),
	};
}

/** Compares the script with the deployed one, unless that is missing or the same version. */
function useComparison(review: Review, scripts: Scripts) {
	const editor = useEditor();
	const isCompared = scripts.deployedContent !== null && scripts.deployedVersion !== review.version;
	const before = isCompared ? (scripts.deployedContent ?? undefined) : undefined;
	const changes = useMemo(
		() =>
			editor && before !== undefined
				? editor.countChanges(before, scripts.scriptContent)
				: undefined,
		[editor, before, scripts],
	);
	return { isCompared, before, changes };
}

function Checked({
	review,
	script,
	onLine,
}: {
	review: Review;
	script: string;
	onLine: (line: number) => void;
}): JSX.Element {
	return (
		<CheckNote check={review.check} version={review.version} script={script} onLine={onLine}>
			{review.mayReview
				? "The version cannot be approved. Request changes or reject it."
				: "The version cannot be approved."}
		</CheckNote>
	);
}

/** Lists the script's invisible characters. */
function Hidden({ script }: { script: string }): JSX.Element | null {
	const found = useMemo(() => hiddenIn(script), [script]);
	if (found.length === 0) return null;
	const words = found
		.slice(0, 8)
		.map(({ code, count }) => (count > 1 ? `${code} (${count} times)` : code));
	return (
		<p class="notice bad">
			This script has invisible characters, or characters that change the direction of text:{" "}
			{words.join(", ")}
			{found.length > 8 && " and others"}. Each is shown as its code.
		</p>
	);
}

/** The picture, beside that of the deployed version, and what is new in it. */
function Pane({
	review,
	scripts,
	run,
	onLine,
}: {
	review: Review;
	scripts: Scripts;
	run: Run;
	onLine: (line: number) => void;
}): JSX.Element {
	const deployed = useBefore(scripts, review.version, run);
	return (
		<RunPane
			run={run}
			title={`Preview of ${isolated(withCodes(review.appName))} ${review.version}`}
			onLine={onLine}
			before={
				deployed && {
					panel: <BeforePanel before={deployed} />,
					title: `Deployed: ${deployed.version}`,
					ownTitle: `This one: ${review.version}`,
				}
			}
		>
			<NewReach script={scripts.scriptContent} run={run} before={deployed} />
		</RunPane>
	);
}

function Script({
	review,
	scripts,
	remarks,
	onLine,
	view,
}: {
	review: Review;
	scripts: Scripts;
	remarks: readonly Remark[];
	onLine: (line: number) => void;
	/** Gets the editor's view, which can move the cursor. */
	view: { current: CodeView | undefined };
}): JSX.Element {
	const isBroken = review.check.state === "bad";
	const run = useRun(isBroken ? undefined : scripts, trialOf(review));
	const broken = useCheckProblems(review.check, scripts.scriptContent);
	const goTo = (line: number) => view.current?.goTo(line);
	const [isWhole, setWhole] = useState(false);
	const { isCompared, before, changes } = useComparison(review, scripts);
	return (
		<section class="stack" aria-labelledby="script">
			<div class="row between">
				<h2 id="script">
					{isCompared ? `Changes from ${scripts.deployedVersion ?? ""}` : "The script"}
				</h2>
				{changes && <Changes {...changes} />}
			</div>
			{isCompared && <Check label="Show unchanged lines" isOn={isWhole} onChange={setWhole} />}
			<Checked review={review} script={scripts.scriptContent} onLine={goTo} />
			<div class={isBroken ? "stack" : "app-work"}>
				<Code
					text={scripts.scriptContent}
					original={before}
					isWhole={isWhole}
					language={scripts.scriptLanguage}
					label={`Script of version ${review.version}`}
					remarks={remarks}
					problems={isBroken ? broken : run.problems}
					isReadOnly
					onLine={onLine}
					onView={(made) => (view.current = made)}
				/>
				{!isBroken && <Pane review={review} scripts={scripts} run={run} onLine={goTo} />}
			</div>
		</section>
	);
}

function Commenting({ line, notes }: { line: number; notes: Notes }): JSX.Element {
	const [given, setGiven] = useTyped(line);
	const [comment, setComment] = useState("");
	const wanted = given ?? String(line);
	const number = wanted === "" ? null : Number(wanted);
	const isLine = number === null || (Number.isInteger(number) && number >= 1);
	const add = () => {
		const { comments } = notes.notes.value;
		const more = { line: number, comment: comment.trim() };
		notes.change({ comments: [...comments, more].sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) });
		setComment("");
	};
	return (
		<form
			class="commenting"
			onSubmit={(event) => {
				event.preventDefault();
				if (comment.trim() !== "" && isLine) add();
			}}
		>
			<Field
				label="Line"
				name="line"
				value={wanted}
				onInput={setGiven}
				fault={isLine ? undefined : "Enter a number."}
				isVerbatim
			/>
			<TextArea
				label="Comment"
				name="comment"
				value={comment}
				onInput={setComment}
				maxLength={REMARK_MAX}
				rows={2}
			/>
			<div class="row">
				<Button type="submit" isDisabled={comment.trim() === "" || !isLine}>
					Add comment
				</Button>
			</div>
			<p class="quiet">
				Click a line to comment on it. Without a line, the comment is about the whole script.
			</p>
		</form>
	);
}

function Written({
	notes,
	onLine,
}: {
	notes: Notes;
	onLine: (line: number) => void;
}): JSX.Element | null {
	const { comments } = notes.notes.value;
	if (comments.length === 0) return null;
	return (
		<ul class="comments" aria-label="Your comments">
			{comments.map(({ line, comment }, i) => (
				<li key={i}>
					<div class="row between">
						{line === null ? (
							<span class="badge">The whole script</span>
						) : (
							<Button onClick={() => onLine(line)}>Line {line}</Button>
						)}
						<Button
							onClick={() => {
								notes.change({ comments: comments.filter((_, at) => at !== i) });
								toast("Comment removed", () => {
									const now = notes.notes.value.comments;
									notes.change({
										comments: [...now.slice(0, i), { line, comment }, ...now.slice(i)],
									});
								});
							}}
						>
							Remove<span class="only-read"> the comment “{comment}”</span>
						</Button>
					</div>
					<p class="said-text">{comment}</p>
				</li>
			))}
		</ul>
	);
}

const DONE: Record<Decision, string> = {
	APPROVED: "approved and published",
	CHANGES_REQUESTED: "sent back to its author",
	REJECTED: "rejected",
};

async function send(review: Review, status: Decision, notes: Notes): Promise<void> {
	const { summary, comments } = notes.notes.value;
	const said = summary.trim();
	const words = said === "" ? {} : status === "REJECTED" ? { reason: said } : { summary: said };
	const remarks = comments.map(({ line, comment }) =>
		line === null ? { comment } : { comment, line },
	);
	await post(
		"/web/reviews/{versionId}",
		{ status, ...words, ...(remarks.length ? { comments: remarks } : {}) },
		{ versionId: review.id },
	);
	notes.clear();
	toast(`${isolated(withCodes(review.appName))} ${review.version} ${DONE[status]}`);
	go("review");
}

function Deciding({ review, notes }: { review: Review; notes: Notes }): JSX.Element {
	const [busy, setBusy] = useState<Decision>();
	const [fault, setFault] = useState<string>();
	const decide = async (status: Decision) => {
		setBusy(status);
		setFault(undefined);
		try {
			await send(review, status, notes);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			const { faults } = error;
			if (faults.has("reason")) setFault("Enter the reason for the rejection.");
			else if (faults.has("summary")) setFault("Enter what to change, here or in a comment.");
			else setFault(error.message);
			setBusy(undefined);
		}
	};
	const isBroken = review.check.state === "bad";
	const button = (status: Decision, words: string, kind: "primary" | "plain" | "danger") => (
		<Button
			kind={kind}
			isBusy={busy === status}
			isDisabled={(busy !== undefined && busy !== status) || (isBroken && status === "APPROVED")}
			{...(isBroken && status === "APPROVED" ? { describedBy: "not-approved" } : {})}
			onClick={() => void decide(status)}
		>
			{words}
		</Button>
	);
	return (
		<section class="stack" aria-labelledby="decision">
			<h2 id="decision">Your decision</h2>
			<div class="form-width">
				<TextArea
					label="Summary"
					name="summary"
					value={notes.notes.value.summary}
					onInput={(summary) => notes.change({ summary })}
					help="Shown to the author first. A rejection needs a reason."
					fault={fault}
					maxLength={REMARK_MAX}
				/>
			</div>
			<div class="row">
				{button("APPROVED", "Approve and publish", "primary")}
				{button("CHANGES_REQUESTED", "Request changes", "plain")}
				{button("REJECTED", "Reject", "danger")}
			</div>
			{isBroken && (
				<p class="quiet" id="not-approved">
					The version cannot run, so it cannot be approved.
				</p>
			)}
		</section>
	);
}

/** Returns why the user may not decide on this version. */
function whyNot(review: Review): string | undefined {
	if (review.status !== "PENDING") return undefined;
	return review.isOwn && !review.mayReview
		? "This is your own version. Another reviewer decides."
		: undefined;
}

function Work({
	review,
	scripts,
	account,
}: {
	review: Review;
	scripts: Scripts;
	account: Account;
}): JSX.Element {
	const view = useRef<CodeView | undefined>(undefined);
	const [line, setLine] = useState(1);
	const notes = useMemo(() => notesOf(review.id), [review.id]);
	const mine = notes.notes.value.comments;
	const remarks = useMemo(
		() => [
			...review.reviewComments
				.filter((said) => said.line !== null)
				.map((said) => ({ author: said.author, text: said.comment, line: said.line ?? 1 })),
			...(review.mayReview ? mine : [])
				.filter((said) => said.line !== null)
				.map((said) => ({ author: account.name, text: said.comment, line: said.line ?? 1 })),
		],
		[review, mine],
	);
	const goTo = (wanted: number) => view.current?.goTo(wanted);
	const refusal = whyNot(review);
	return (
		<>
			{refusal !== undefined && <p class="notice">{refusal}</p>}
			<Hidden script={scripts.scriptContent} />
			{hasFeedback(review) && <Feedback version={review} onLine={goTo} />}
			<Script review={review} scripts={scripts} remarks={remarks} onLine={setLine} view={view} />
			{review.mayReview && (
				<>
					<section class="stack" aria-labelledby="comments">
						<h2 id="comments">Comments</h2>
						<Written notes={notes} onLine={goTo} />
						<Commenting line={line} notes={notes} />
					</section>
					<Deciding review={review} notes={notes} />
				</>
			)}
		</>
	);
}

/** /review/VERSION: a script, its changes, the reviewer's remarks, and the decision. */
export function ReviewPage({
	account,
	parameters,
}: {
	account: Account;
	parameters: Parameters;
}): JSX.Element {
	const id = parameters["id"] ?? "";
	const review = useResource(
		() => get("/web/reviews/{versionId}", {}, { versionId: id }),
		["reviews"],
	);
	const shown = review.value.value;
	const scripts = useScripts(id, shown?.deployedVersion);
	if (review.problem.value?.status === 404) return <Missing />;
	if (!shown)
		return review.problem.value ? (
			<p class="notice bad">{review.problem.value.message}</p>
		) : (
			<div aria-busy="true" />
		);
	return (
		<div class="stack">
			<About review={shown} />
			{scripts ? (
				<Work review={shown} scripts={scripts} account={account} />
			) : (
				<div aria-busy="true" />
			)}
		</div>
	);
}
