import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { post, Problem, type Schemas } from "../api/client";
import type { Language } from "../components/code";
import { Field } from "../components/field";
import { Panel } from "../components/panel";
import { browserTimezone } from "../components/timezone";
import { AppForm } from "../forms/form";
import type { Answers } from "../forms/props";

type Sample = (typeof import("./samples.json"))[number];
type FormField = Schemas["FormField"];

const LOADS = ["animation", "filter", "render", "schema"]
	.map((name) => `load("${name}.star", "${name}")\n`)
	.join("");
/** A file of its own: it is loaded when a palette is opened. */
const samples = signal<readonly Sample[]>([]);

function ofKind(wanted: string): Sample[] {
	return samples.value.filter(({ kind }) => kind === wanted);
}

/** Pictures of widgets by their names, and the fields by their IDs, as the server has made them. */
const pictures = signal<ReadonlyMap<string, string>>(new Map());
const made = signal<ReadonlyMap<string, FormField>>(new Map());

function preview(appId: string, script: string): Promise<Schemas["DraftPreview"]> {
	const body = { scriptLanguage: "STARLARK", scriptContent: LOADS + script } as const;
	return post("/web/studio/{appId}/preview", body, { appId });
}

async function loadFields(appId: string): Promise<void> {
	if (made.value.size > 0) return;
	const list = ofKind("field")
		.map(({ STARLARK }) => STARLARK)
		.join(", ");
	const script = `def get_schema():\n    return schema.Schema(version = "1", fields = [${list}])\n`;
	const answer = await preview(appId, `${script}def main():\n    return []\n`);
	made.value = new Map(answer.fields.map((field) => [field.id, field]));
}

async function loadPicture(appId: string, { name, STARLARK }: Sample): Promise<void> {
	if (pictures.value.has(name)) return;
	const script = `def main():\n    return render.Root(child = ${STARLARK})\n`;
	const { picture } = await preview(appId, script);
	if (picture !== null)
		pictures.value = new Map([...pictures.value, [name, `data:image/webp;base64,${picture}`]]);
}

/** Has the samples rendered, one after the other, until the palette closes. Without renderer it has only names. */
function useSamples(appId: string): void {
	useEffect(() => {
		let isOver = false;
		const load = async () => {
			samples.value = (await import("./samples.json")).default;
			await loadFields(appId);
			for (const widget of ofKind("widget")) {
				if (isOver) return;
				await loadPicture(appId, widget);
			}
		};
		load().catch((error: unknown) => {
			if (!(error instanceof Problem)) throw error;
		});
		return () => {
			isOver = true;
		};
	}, [appId]);
}

const NO_ANSWERS: Answers = {
	options: () => Promise.resolve([]),
	fields: () => Promise.resolve([]),
	places: () => Promise.resolve([]),
};
const NOTHING = new Set<string>();
const NO_FAULTS = new Map<string, string>();

/** The field as it stands in the form of an app; it is not for use. */
function FieldPicture({ id }: { id: string | undefined }): JSX.Element {
	const field = id === undefined ? undefined : made.value.get(id);
	return (
		<div class="sample-field" inert aria-hidden="true">
			{field && (
				<AppForm
					fields={[field]}
					settings={{}}
					secrets={NOTHING}
					timezone={browserTimezone()}
					answers={NO_ANSWERS}
					faults={NO_FAULTS}
					onSettings={() => undefined}
				/>
			)}
		</div>
	);
}

function Entry({ sample, onInsert }: { sample: Sample; onInsert: () => void }): JSX.Element {
	return (
		<li class="sample">
			{sample.kind === "widget" ? (
				<div aria-hidden="true">
					<Panel picture={pictures.value.get(sample.name)} label="" />
				</div>
			) : (
				<FieldPicture id={sample.id} />
			)}
			<button type="button" class="sample-insert" onClick={onInsert}>
				<span class="only-read">Insert </span>
				{sample.name}
			</button>
			<p class="quiet">{sample.about}</p>
		</li>
	);
}

/** Returns the samples of a kind that have all these words. */
function foundIn(kind: string, wanted: string): Sample[] {
	const words = wanted.trim().toLowerCase().split(/\s+/);
	return ofKind(kind).filter(({ name, about }) =>
		words.every((word) => `${name} ${about}`.toLowerCase().includes(word)),
	);
}

function Group({
	title,
	of,
	onInsert,
}: {
	title: string;
	of: readonly Sample[];
	onInsert: (sample: Sample) => void;
}): JSX.Element | null {
	if (of.length === 0) return null;
	return (
		<section class="stack" aria-label={title}>
			<h2 class="sample-group">{title}</h2>
			<ul class="samples" data-kind={of[0]?.kind}>
				{of.map((sample) => (
					<Entry key={sample.name} sample={sample} onInsert={() => onInsert(sample)} />
				))}
			</ul>
		</section>
	);
}

/** Widgets and fields with their pictures; a click inserts the code of one at the cursor. */
export function Palette({
	appId,
	language,
	onInsert,
}: {
	appId: string;
	language: Language;
	onInsert: (code: string) => void;
}): JSX.Element {
	const [wanted, setWanted] = useState("");
	useSamples(appId);
	const insert = (sample: Sample) => onInsert(sample[language]);
	const [widgets, fields] = [foundIn("widget", wanted), foundIn("field", wanted)];
	const hasNone = samples.value.length > 0 && widgets.length + fields.length === 0;
	return (
		<div class="stack palette">
			<Field
				label="Search widgets and fields"
				name="palette"
				value={wanted}
				onInput={setWanted}
				maxLength={100}
				isVerbatim
			/>
			<p role="status" class="quiet">
				{hasNone && "No matches"}
			</p>
			<Group title="Widgets" of={widgets} onInsert={insert} />
			<Group title="Fields" of={fields} onInsert={insert} />
		</div>
	);
}
