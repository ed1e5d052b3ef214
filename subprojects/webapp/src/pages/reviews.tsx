import type { JSX } from "preact";
import { get } from "../api/client";
import { useResource } from "../api/resource";
import { Empty } from "../components/empty";
import { Name } from "../components/name";
import { Table } from "../components/table";
import { languageName } from "../components/version";
import { When } from "../components/when";
import { withCodes } from "../components/hidden";
import { Heading } from "../frame/page";

/** /review: the versions that await review, oldest first. */
export function ReviewsPage(): JSX.Element {
	const queue = useResource(() => get("/web/reviews"), ["reviews"]);
	const rows = queue.value.value;
	return (
		<div class="stack wide">
			<div class="stack">
				<Heading title="Review" />
				<p class="words">
					Versions awaiting review, oldest first. Approved versions are published at once.
				</p>
			</div>
			{rows?.length === 0 && <Empty title="Nothing to review" />}
			{rows && rows.length > 0 && (
				<Table
					caption="Versions awaiting review"
					rows={rows}
					rowKey={(entry) => entry.id}
					columns={[
						{
							title: "App",
							cell: (entry) => (
								<span class="row">
									<a href={`review/${entry.id}`} data-page>
										<Name>{withCodes(entry.appName)}</Name> {entry.version}
									</a>
									{entry.isOwn && <span class="badge">Yours</span>}
								</span>
							),
						},
						{ title: "By", cell: (entry) => (entry.author === "" ? "-" : withCodes(entry.author)) },
						{
							title: "Replaces",
							cell: (entry) => entry.deployedVersion ?? <span class="badge">New app</span>,
						},
						{ title: "Language", cell: (entry) => languageName(entry.scriptLanguage) },
						{ title: "Submitted", cell: (entry) => <When at={entry.createdAt} /> },
					]}
				/>
			)}
			{queue.problem.value && !rows && <p class="notice bad">{queue.problem.value.message}</p>}
		</div>
	);
}
