import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import type { Schemas } from "../api/client";
import { Panel } from "../components/panel";
import { sentence } from "../components/sentence";

type RunProblem = Schemas["RunProblem"];
type Preview = Schemas["Preview"];

const BLAME: Record<RunProblem["kind"], string> = {
	script: "The script failed",
	app: "This is not an app yet",
	limit: "The app reached a limit",
	crash: "The app crashed",
	unavailable: "The app cannot be rendered now",
};

function placeOf({ file, line, column }: RunProblem): string {
	if (line === null) return file ?? "";
	const at = column === null ? `line ${line}` : `line ${line}, column ${column}`;
	return file === null ? at : `${file}, ${at}`;
}

/** Shows why there is no picture. */
export function RunProblemNote({
	problem,
	title = BLAME[problem.kind],
	isRemark = false,
	onLine,
	children,
}: {
	problem: RunProblem;
	title?: string;
	/** It is no fault. */
	isRemark?: boolean;
	onLine?: ((line: number) => void) | undefined;
	/** Text about the consequences. */
	children?: ComponentChildren;
}): JSX.Element {
	const { line } = problem;
	const place = placeOf(problem);
	return (
		<div class={isRemark ? "notice app-problem" : "notice bad app-problem"}>
			<p class="app-problem-title">{title}</p>
			<p class="app-problem-text">{problem.message}</p>
			{place !== "" &&
				(line !== null && onLine ? (
					<button type="button" class="app-line" onClick={() => onLine(line)}>
						{place}
					</button>
				) : (
					<p class="quiet">{place}</p>
				))}
			{children}
		</div>
	);
}

/** Shows the lines that a script has printed. */
export function RunLog({
	log,
	isOpen = false,
}: {
	log: readonly string[];
	isOpen?: boolean;
}): JSX.Element | null {
	if (log.length === 0) return null;
	return (
		<details class="app-log" open={isOpen}>
			<summary>Output ({log.length === 1 ? "1 line" : `${log.length} lines`})</summary>
			<pre class="code" tabIndex={0} aria-label="Output">
				{log.join("\n")}
			</pre>
		</details>
	);
}

function seconds(ms: number): string {
	return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** "Rendered in 12 ms, runs for 2.4 s" */
export function costOf({ tookMs, durationMs }: Preview): string {
	const runs = durationMs > 0 ? `, runs for ${seconds(durationMs)}` : "";
	return `Rendered in ${seconds(tookMs)}${runs}`;
}

interface PreviewPanelProps {
	preview: Preview | undefined;
	isBusy: boolean;
	/** Why there is no picture; shown in place of the line. */
	fault?: string | undefined;
	/** Description of the picture for screen readers. */
	label: string;
	/** The line below; undefined: the cost of the picture. */
	line?: string | undefined;
}

/** Returns the picture of a preview; while the next one is made, the last one that there was. */
function usePicture(preview: Preview | undefined, isBusy: boolean): string | undefined {
	const last = useRef<string | undefined>(undefined);
	const picture = preview?.picture ? `data:image/webp;base64,${preview.picture}` : undefined;
	if (picture !== undefined) last.current = picture;
	return picture ?? (isBusy ? last.current : undefined);
}

/** A picture as it would look on a panel. It is grey while the next one is made. */
export function PreviewPanel(props: PreviewPanelProps): JSX.Element {
	const { preview, isBusy, fault, label } = props;
	const picture = usePicture(preview, isBusy);
	const nothing = preview?.hasNothing ? "Nothing to show now" : undefined;
	const failed = preview?.problem ? "No picture" : undefined;
	const cost = preview?.picture ? costOf(preview) : "";
	const line = isBusy ? "Running …" : (fault ?? props.line ?? cost);
	return (
		<div class="app-preview" aria-busy={isBusy} data-fault={fault !== undefined}>
			<Panel
				picture={picture}
				label={picture === undefined ? (nothing ?? failed ?? label) : label}
				says={picture === undefined ? (nothing ?? failed) : undefined}
				line={line === "" ? undefined : line}
			/>
			{preview?.cut && <p class="quiet">{sentence(preview.cut)}</p>}
			{preview?.hasNothing && (
				<p class="quiet">The rotation skips the app until it has something to show.</p>
			)}
		</div>
	);
}
