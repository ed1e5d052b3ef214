import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { patch, Problem, type Schemas } from "../api/client";
import type { Resource } from "../api/resource";
import { Choice } from "../components/choice";
import { Field } from "../components/field";
import { TextArea } from "../components/text_area";

type OwnApp = Schemas["OwnApp"];
type Name = "name" | "description" | "visibility";

/** Result of a field's last change. */
interface Said {
	field: Name;
	words: { said?: string; fault?: string };
}

/** Saves one field, and holds the result shown beside it. */
function useSaving(app: Resource<OwnApp>): {
	save: (field: Name, value: string) => Promise<void>;
	beside: (field: Name) => Said["words"];
} {
	const [said, setSaid] = useState<Said>();
	const save = async (field: Name, value: string) => {
		const shown = app.value.value;
		if (!shown || value === shown[field]) return;
		try {
			app.set(await patch("/web/studio/{appId}", { [field]: value }, { appId: shown.id }));
			setSaid({ field, words: { said: "Saved" } });
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			setSaid({ field, words: { fault: error.faults.get(field) ?? error.message } });
		}
	};
	const beside = (field: Name) => (said?.field === field ? said.words : {});
	return { save, beside };
}

/** Page /studio/SLUG/details: the app's name, description and visibility. */
export function DetailsPart({ app }: { app: Resource<OwnApp> }): JSX.Element | null {
	const shown = app.value.value;
	const [name, setName] = useState(shown?.name ?? "");
	const [description, setDescription] = useState(shown?.description ?? "");
	const { save, beside } = useSaving(app);
	if (!shown) return null;
	return (
		<div class="stack form-width">
			<Field
				label="Name"
				name="name"
				value={name}
				onInput={setName}
				onLeave={() => void save("name", name)}
				maxLength={100}
				{...beside("name")}
			/>
			<TextArea
				label="Summary"
				name="description"
				value={description}
				onInput={setDescription}
				onLeave={() => void save("description", description)}
				help="Describe the app in a few words."
				maxLength={500}
				{...beside("description")}
			/>
			<Choice
				label="Who can install it"
				value={shown.visibility === "private" ? "private" : "public"}
				onChange={(value) => void save("visibility", value)}
				options={[
					{ value: "private", words: "Only you" },
					{
						value: "public",
						words: "Everyone here",
						about:
							"From the first approved version on. If you change this later, installed entries stay.",
					},
				]}
				{...beside("visibility")}
			/>
			<Field
				label="Name in URLs"
				name="slug"
				value={shown.slug}
				onInput={() => undefined}
				help="Never changes, so that links to the app keep working."
				isReadOnly
			/>
		</div>
	);
}
