import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Schemas } from "../api/client";
import type { LineProblem } from "../components/code";
import { RunProblemNote } from "../forms/run";
import { lineInScript } from "./files";

type RunProblem = Schemas["RunProblem"];

const NONE: readonly LineProblem[] = [];

/** Returns the line in the whole script at which a version does not compile. */
function lineOf(problem: RunProblem | null, script: string | undefined): number | undefined {
	return typeof problem?.line !== "number" || script === undefined
		? undefined
		: lineInScript(script, problem.file, problem.line);
}

/** Returns the same as a problem that the editor shows. */
export function useCompileProblems(
	problem: RunProblem | null,
	script: string | undefined,
): readonly LineProblem[] {
	return useMemo(() => {
		const line = lineOf(problem, script);
		if (problem === null || line === undefined) return NONE;
		return [{ line, column: problem.column, text: problem.message }];
	}, [problem?.message, problem?.line, problem?.column, script]);
}

/** Shows why a submitted version does not compile, and the consequences. */
export function CompileNote({
	problem,
	version,
	script,
	onLine,
	children,
}: {
	problem: RunProblem;
	version: string;
	/** undefined: not loaded yet. */
	script: string | undefined;
	onLine: (line: number) => void;
	children: ComponentChildren;
}): JSX.Element {
	const line = lineOf(problem, script);
	return (
		<div role="status">
			<RunProblemNote
				problem={problem}
				title={`Version ${version} does not compile`}
				onLine={line === undefined ? undefined : () => onLine(line)}
			>
				<p class="quiet">{children}</p>
			</RunProblemNote>
		</div>
	);
}
