import type { JSX } from "preact";
import { get, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { Tabs } from "../components/tabs";
import { AppBadge } from "../components/version";
import { Heading } from "../frame/page";
import type { Parameters } from "../frame/routes";
import { RendersPart } from "../studio/renders";
import { Missing } from "./missing";
import { DetailsPart } from "./studio_details";
import { DraftPart } from "./studio_draft";
import { VersionPart } from "./studio_version";
import { VersionsPart } from "./studio_versions";

type OwnApp = Schemas["OwnApp"];
type Version = Schemas["OwnVersion"];

function Part({
	part,
	name,
	app,
	versions,
}: {
	part: string | undefined;
	name: string | undefined;
	app: Resource<OwnApp>;
	versions: Resource<Version[]>;
}): JSX.Element | null {
	const shown = app.value.value;
	if (!shown) return null;
	const onDone = async () => {
		await Promise.all([app.refresh(), versions.refresh()]);
	};
	if (part === undefined) return <DraftPart app={shown} versions={versions} onDone={onDone} />;
	if (part === "details") return <DetailsPart app={app} />;
	if (part !== "versions") return <Missing />;
	return name === undefined ? (
		<div class="stack wide">
			<VersionsPart app={shown} versions={versions} />
			<RendersPart slug={shown.id} />
		</div>
	) : (
		<VersionPart app={shown} name={name} versions={versions} onDone={onDone} />
	);
}

/** /studio/SLUG: the draft, the versions and the details of an app. */
export function StudioAppPage({ parameters }: { parameters: Parameters }): JSX.Element {
	const slug = parameters["id"] ?? "";
	const topics = ["apps", `app:${slug}`];
	const app = useResource(() => get("/web/studio/{appId}", {}, { appId: slug }), topics);
	const versions = useResource(
		() => get("/web/studio/{appId}/versions", {}, { appId: slug }),
		topics,
	);
	const shown = app.value.value;
	const status = app.problem.value?.status;
	if (status === 404 || status === 403) return <Missing />;
	if (!shown)
		return app.problem.value ? (
			<p class="notice bad">{app.problem.value.message}</p>
		) : (
			<div aria-busy="true" />
		);
	return (
		<div class="stack">
			<p class="place">
				<a href="studio" data-page>
					Studio
				</a>
			</p>
			<div class="row">
				<Heading title={shown.name} />
				<AppBadge status={shown.status} />
			</div>
			<Tabs
				label={`Sections of ${shown.name}`}
				tabs={[
					{ to: `studio/${slug}`, words: "Draft" },
					{ to: `studio/${slug}/versions`, words: "Versions" },
					{ to: `studio/${slug}/details`, words: "Details" },
				]}
			/>
			<Part part={parameters["part"]} name={parameters["name"]} app={app} versions={versions} />
		</div>
	);
}
