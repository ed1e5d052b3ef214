import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, post, Problem, type Schemas } from "../api/client";
import { useResource } from "../api/resource";
import { Empty } from "../components/empty";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { Table } from "../components/table";
import { AppBadge } from "../components/version";
import { TextArea } from "../components/text_area";
import { go } from "../frame/place";
import { Heading } from "../frame/page";
import { ownPathOf, slugOf } from "../studio/names";

type OwnApp = Schemas["OwnApp"];

async function create(name: string, slug: string, description: string): Promise<void> {
	try {
		await post("/web/studio", { name, slug, ...(description === "" ? {} : { description }) });
	} catch (error) {
		// The slug belongs to another app: the field shows that.
		if (error instanceof Problem && error.code === "slug_used")
			throw new Problem(
				409,
				error.message,
				new Map([["slug", "Another app has this name. Choose a different one."]]),
			);
		throw error;
	}
	go(`studio/${slug}`);
}

function Create(): JSX.Element {
	const [name, setName] = useState("");
	const [given, setGiven] = useState<string>();
	const [description, setDescription] = useState("");
	const slug = given ?? slugOf(name);
	return (
		<div class="form-width">
			<Form
				action="Create app"
				onSubmit={() => create(name, slug, description)}
				names={["name", "slug", "description"]}
			>
				{(faults) => (
					<>
						<Field
							label="Name"
							name="name"
							value={name}
							onInput={setName}
							fault={faults.get("name")}
							maxLength={100}
							isRequired
						/>
						<Field
							label="Name in URLs"
							name="slug"
							value={slug}
							onInput={setGiven}
							fault={faults.get("slug")}
							help="Lower-case letters, digits and dashes. This cannot be changed later."
							maxLength={64}
							isVerbatim
							isRequired
						/>
						<TextArea
							label="Summary"
							name="description"
							value={description}
							onInput={setDescription}
							fault={faults.get("description")}
							help="Describe the app in a few words."
							maxLength={500}
							rows={2}
						/>
					</>
				)}
			</Form>
		</div>
	);
}

function AppTable({ apps }: { apps: OwnApp[] }): JSX.Element {
	const sorted = [...apps].sort((a, b) => a.name.localeCompare(b.name));
	return (
		<Table
			caption="Your apps"
			rows={sorted}
			rowKey={(app) => app.id}
			columns={[
				{
					title: "Name",
					cell: (app) => (
						<a href={`studio/${ownPathOf(app)}`} data-page>
							{app.name}
						</a>
					),
				},
				{ title: "State", cell: (app) => <AppBadge status={app.status} /> },
				{ title: "Version", cell: (app) => app.version ?? "-" },
				{ title: "In review", cell: (app) => app.pendingVersion ?? "-" },
				{
					title: "Available to",
					cell: (app) => (app.visibility === "private" ? "only you" : "everyone here"),
				},
			]}
		/>
	);
}

/** /studio: the user's own apps. */
export function StudioPage(): JSX.Element {
	const apps = useResource(() => get("/web/studio"), ["apps"]);
	const shown = apps.value.value;
	return (
		<div class="stack wide">
			<div class="stack">
				<Heading title="Studio" />
				<p class="words">
					Write an app: a script in Starlark or TypeScript that draws pictures for a panel. You work
					on a draft. Each version you submit is reviewed before anyone can install it.
				</p>
			</div>
			{shown && shown.length > 0 && <AppTable apps={shown} />}
			{shown?.length === 0 && <Empty title="No apps yet" />}
			{apps.problem.value && !shown && <p class="notice bad">{apps.problem.value.message}</p>}
			<section class="stack" aria-labelledby="new-app">
				<h2 id="new-app">New app</h2>
				<Create />
			</section>
		</div>
	);
}
