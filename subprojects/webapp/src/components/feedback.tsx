import type { JSX } from "preact";
import type { Schemas } from "../api/client";
import { Button } from "./button";

type Said = Pick<
	Schemas["AppVersion"],
	"status" | "rejectionReason" | "reviewSummary" | "reviewComments"
>;

/** Whether a reviewer has commented on the version. */
export function hasFeedback(version: Said): boolean {
	return (
		version.rejectionReason !== null ||
		version.reviewSummary !== null ||
		version.reviewComments.length > 0
	);
}

/** Reviewers' remarks about a version, as text, by line. onLine: goes to a line of the script. */
export function Feedback({
	version,
	onLine,
}: {
	version: Said;
	onLine?: (line: number) => void;
}): JSX.Element {
	const comments = [...version.reviewComments].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
	return (
		<div class="stack feedback">
			{version.rejectionReason !== null && <p class="said-text">{version.rejectionReason}</p>}
			{version.reviewSummary !== null && <p class="said-text">{version.reviewSummary}</p>}
			{comments.length > 0 && (
				<ul class="comments">
					{comments.map(({ author, comment, line }, i) => (
						<li key={i}>
							<div class="row">
								{line !== null &&
									(onLine ? (
										<Button onClick={() => onLine(line)}>Line {line}</Button>
									) : (
										<span class="badge">Line {line}</span>
									))}
								<span class="quiet">{author}</span>
							</div>
							<p class="said-text">{comment}</p>
						</li>
					))}
				</ul>
			)}
		</div>
	);
}
