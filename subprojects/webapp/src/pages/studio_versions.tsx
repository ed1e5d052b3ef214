import type { JSX } from "preact";
import type { Schemas } from "../api/client";
import type { Resource } from "../api/resource";
import { RowActions, type Action } from "../components/actions";
import { Empty } from "../components/empty";
import { isolated } from "../components/isolated";
import { Table } from "../components/table";
import { CheckBadge, Checksum, VersionBadge } from "../components/version";
import { When } from "../components/when";
import { ownPathOf } from "../studio/names";
import { takeAsDraft } from "../studio/take_draft";

type OwnApp = Schemas["OwnApp"];
type Version = Schemas["OwnVersion"];

function remarksOf({ reviewComments }: Version): string {
	const count = reviewComments.length;
	if (count === 0) return "-";
	return count === 1 ? "1 comment" : `${count} comments`;
}

function NoVersion({ app }: { app: OwnApp }): JSX.Element {
	return (
		<Empty title="No versions yet">
			<p>
				Submit your{" "}
				<a href={`studio/${ownPathOf(app)}`} data-page>
					draft
				</a>{" "}
				for review to create the first version.
			</p>
		</Empty>
	);
}

function Actions({ app, of, to }: { app: OwnApp; of: Version; to: string }): JSX.Element {
	const compare = { words: "Compare", of: `${of.version} with the deployed version`, to };
	const take: Action = {
		words: "Take as draft",
		of: `version ${of.version}`,
		onClick: () => void takeAsDraft(app, of),
	};
	const isOther = of.status === "APPROVED" && !of.deployed;
	return <RowActions name={of.version} actions={isOther ? [compare, take] : [take]} />;
}

/** Page /studio/SLUG/versions: all versions, newest first. */
export function VersionsPart({
	app,
	versions,
}: {
	app: OwnApp;
	versions: Resource<Version[]>;
}): JSX.Element {
	const rows = versions.value.value;
	if (!rows) return <div aria-busy="true" />;
	if (rows.length === 0) return <NoVersion app={app} />;
	const path = (version: Version) =>
		`studio/${ownPathOf(app)}/versions/${encodeURIComponent(version.version)}`;
	return (
		<Table
			caption={`Versions of ${isolated(app.name)}`}
			rows={rows}
			rowKey={(version) => version.id}
			columns={[
				{
					title: "Version",
					cell: (version) => (
						<span class="row">
							<a href={path(version)} data-page>
								{version.version}
							</a>
							{version.deployed && <span class="badge good">Deployed</span>}
						</span>
					),
				},
				{
					title: "State",
					cell: (version) => (
						<span class="row">
							<VersionBadge status={version.status} />
							<CheckBadge check={version.check} />
						</span>
					),
				},
				{ title: "Review", cell: remarksOf },
				{ title: "Submitted", cell: (version) => <When at={version.createdAt} /> },
				{ title: "Checksum", cell: (version) => <Checksum checksum={version.checksum} /> },
				{
					title: "Actions",
					isAction: true,
					cell: (version) => <Actions app={app} of={version} to={path(version)} />,
				},
			]}
		/>
	);
}
