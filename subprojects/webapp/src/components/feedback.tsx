import type { JSX } from "preact";
import type { Schemas } from "../api/client";
import { Button } from "./button";

type Said = Pick<
	Schemas["AppVersion"],
	"status" | "rejectionReason" | "reviewSummary" | "reviewComments"
>;

/** Whether a reviewer has said anything of it. */
export function hasFeedback(version: Said): boolean {
	return (
		version.rejectionReason !== null ||
		version.reviewSummary !== null ||
		version.reviewComments.length > 0
	);
}

/** What reviewers say of a version, as text and in their order. onLine: goes to a line of the script. */
export function Feedback({
	version,
	onLine,
}: {
	version: Said;
	onLine?: (line: number) => void;
}): JSX.Element {
	return (
		<div class="stack feedback">
			{version.rejectionReason !== null && <p class="said-text">{version.rejectionReason}</p>}
			{version.reviewSummary !== null && <p class="said-text">{version.reviewSummary}</p>}
			{version.reviewComments.length > 0 && (
				<ul class="comments">
					{version.reviewComments.map(({ author, comment, line }, i) => (
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
