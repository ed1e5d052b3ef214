import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Problem, type Schemas } from "../api/client";
import type { LineProblem } from "../components/code";
import { browserTimezone, Timezone } from "../components/timezone";
import { answersOf, faultsIn } from "../forms/ask";
import { textOf, type Settings } from "../forms/fields";
import { AppForm } from "../forms/form";
import { Previewer } from "../forms/previewer";
import type { Answers } from "../forms/props";
import { Hosts } from "../forms/render_state";
import { PreviewPanel, RunLog, RunProblemNote } from "../forms/run";
import type { Script } from "./draft";
import { lineInScript } from "./files";

type Preview = Schemas["DraftPreview"];
type Handled = Schemas["HandlerAnswer"];

/** A script, and how it is tried. */
interface Wish extends Script {
	settings: Record<string, string | null>;
	timezone: string;
}

/** Requests that run a script. */
export interface Trial {
	preview: (wish: Wish) => Promise<Preview>;
	handler: (question: Wish & { fieldId: string; parameter: string }) => Promise<Handled>;
}

export interface Run {
	previewer: Previewer<Wish, Preview>;
	settings: Settings;
	onSettings: (settings: Settings) => void;
	timezone: string;
	onTimezone: (timezone: string) => void;
	answers: Answers;
	/** Errors at their lines. */
	problems: readonly LineProblem[];
	/** Finds the line of an error, counted in the whole script. */
	lineOf: (problem: Schemas["RunProblem"]) => number | undefined;
}

const NONE: readonly LineProblem[] = [];

/**
 * Runs a script whenever it changes (a draft: when it is saved), and whenever its settings or time
 * zone change. undefined: there is no script yet.
 */
export function useRun(script: Script | undefined, trial: Trial): Run {
	const [settings, setSettings] = useState<Settings>({});
	const [timezone, setTimezone] = useState(browserTimezone);
	const now = useRef({ script, trial, settings, timezone });
	now.current = { script, trial, settings, timezone };
	const [previewer] = useState(
		() => new Previewer<Wish, Preview>((wish) => now.current.trial.preview(wish)),
	);
	const lastScript = useRef<Script | undefined>(undefined);
	useEffect(() => {
		if (script === undefined) return;
		previewer.want({ ...script, settings, timezone }, lastScript.current !== script);
		lastScript.current = script;
	}, [script, textOf(settings), timezone]);
	useEffect(() => () => previewer.end(), [previewer]);
	const answers = useMemo(
		() =>
			answersOf(
				() => now.current.settings,
				async (question) => {
					const { script: tried, trial: by, timezone: zone } = now.current;
					if (!tried) return { options: [], fields: [], problem: null };
					return by.handler({ ...tried, ...question, timezone: zone });
				},
			),
		[],
	);
	const answer = previewer.answer.value;
	const lineOf = ({ file, line }: Schemas["RunProblem"]) =>
		line === null ? undefined : lineInScript(script?.scriptContent ?? "", file, line);
	const problems = useMemo(() => {
		const line = answer?.problem ? lineOf(answer.problem) : undefined;
		if (!answer?.problem || line === undefined) return NONE;
		return [{ line, column: answer.problem.column, text: answer.problem.message }];
	}, [answer]);
	return {
		previewer,
		settings,
		onSettings: setSettings,
		timezone,
		onTimezone: setTimezone,
		answers,
		problems,
		lineOf,
	};
}

function TrialSettings({ run, fields }: { run: Run; fields: Preview["fields"] }): JSX.Element {
	return (
		<details class="app-trial">
			<summary>Settings for the preview</summary>
			<div class="form-fields">
				<AppForm
					fields={fields}
					settings={run.settings}
					secrets={new Set()}
					timezone={run.timezone}
					answers={run.answers}
					faults={faultsIn(run.previewer.error.value)}
					onSettings={run.onSettings}
				/>
				<Timezone value={run.timezone} onChoose={run.onTimezone} />
			</div>
		</details>
	);
}

interface RunPaneProps {
	run: Run;
	title: string;
	onLine: (line: number) => void;
	/** Another picture, beside this one, and the headings of both. */
	before?: { panel: JSX.Element; title: string; ownTitle: string } | undefined;
	/** Shown below the pictures. */
	children?: ComponentChildren;
}

/** Shows a script's picture, output and errors, and the settings of the run. */
export function RunPane({ run, title, onLine, before, children }: RunPaneProps): JSX.Element {
	const preview = run.previewer.answer.value;
	const error = run.previewer.error.value;
	const problem = preview?.problem;
	const line = problem ? run.lineOf(problem) : undefined;
	const own = (
		<PreviewPanel
			preview={preview}
			isBusy={run.previewer.isBusy.value}
			fault={error instanceof Problem ? error.message : undefined}
			label={title}
		/>
	);
	return (
		<section class="app-run" aria-label={title}>
			{before ? (
				<div class="app-pair">
					<h3>{before.title}</h3>
					<h3>{before.ownTitle}</h3>
					{before.panel}
					{own}
				</div>
			) : (
				own
			)}
			{children}
			<div role="status">
				{problem && (
					<RunProblemNote
						problem={problem}
						onLine={line === undefined ? undefined : () => onLine(line)}
					/>
				)}
			</div>
			{preview && <RunLog log={preview.log} isOpen />}
			{preview && <Hosts hosts={preview.hosts} />}
			{preview && <TrialSettings run={run} fields={preview.fields} />}
		</section>
	);
}
