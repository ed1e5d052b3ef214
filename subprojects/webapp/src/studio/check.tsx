import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Schemas } from "../api/client";
import type { LineProblem } from "../components/code";
import { sentence } from "../components/sentence";
import { RunProblemNote } from "../forms/run";
import { lineInScript } from "./files";

type RunProblem = Schemas["RunProblem"];
type VersionCheck = Schemas["VersionCheck"];

const NONE: readonly LineProblem[] = [];

/** Returns the line of a problem in the whole script. */
function lineOf(problem: RunProblem | null, script: string | undefined): number | undefined {
	return typeof problem?.line !== "number" || script === undefined
		? undefined
		: lineInScript(script, problem.file, problem.line);
}

/** Returns the same as a problem that the editor shows. */
export function useCheckProblems(
	{ problem }: VersionCheck,
	script: string | undefined,
): readonly LineProblem[] {
	return useMemo(() => {
		const line = lineOf(problem, script);
		if (problem === null || line === undefined) return NONE;
		return [{ line, column: problem.column, text: problem.message }];
	}, [problem?.message, problem?.line, problem?.column, script]);
}

/** Shows whether a submitted version can run, and if not, the consequences. */
export function CheckNote({
	check,
	version,
	script,
	onLine,
	children,
}: {
	check: VersionCheck;
	version: string;
	/** undefined: not loaded yet. */
	script: string | undefined;
	onLine: (line: number) => void;
	/** The consequences. */
	children: ComponentChildren;
}): JSX.Element | null {
	const { state, problem, remark, summary } = check;
	if (state === "unchecked") return null;
	if (state === "pending") return <p role="status">Version {version} is being checked.</p>;
	if (!problem && !remark)
		return (
			<p role="status">
				Version {version} can run. <span class="quiet">{sentence(summary)}</span>
			</p>
		);
	const line = lineOf(problem ?? remark, script);
	const goTo = line === undefined ? undefined : () => onLine(line);
	return (
		<div role="status">
			{problem ? (
				<RunProblemNote problem={problem} title={`Version ${version} cannot run`} onLine={goTo}>
					<p class="quiet">{children}</p>
				</RunProblemNote>
			) : (
				remark && (
					<RunProblemNote
						problem={remark}
						title={`Version ${version} makes no picture without network and settings`}
						isRemark
						onLine={goTo}
					>
						<p class="quiet">It may need them, so this is no reason to refuse it.</p>
					</RunProblemNote>
				)
			)}
		</div>
	);
}
