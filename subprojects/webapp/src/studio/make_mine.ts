import { get, post, Problem, put, type Schemas } from "../api/client";

/** Names that are tried, if the account has an app of the first ones already. */
const TRIES = 9;
const SLUG_MAX = 64;

/** Creates a private app of this name. Returns its slug. */
async function create(app: Schemas["CatalogueApp"]): Promise<string> {
	for (let n = 1; ; n++) {
		const end = n === 1 ? "" : `-${n}`;
		const slug = app.slug.slice(0, SLUG_MAX - end.length) + end;
		try {
			const { name, description } = app;
			await post("/web/studio", { slug, name, description, visibility: "private" });
			return slug;
		} catch (error) {
			if (!(error instanceof Problem) || error.status !== 409 || n === TRIES) throw error;
		}
	}
}

/** Copies an app into the studio, as a private one with its script as the draft. Returns its slug. */
export async function makeMine(
	app: Schemas["CatalogueApp"],
	{ scriptLanguage, scriptContent }: Schemas["AppScript"],
): Promise<string> {
	const slug = await create(app);
	await put(
		"/web/studio/{appId}/draft",
		{ scriptLanguage, scriptContent, revision: 0 },
		{ appId: slug },
	);
	return slug;
}

export function sourceOf(appId: string): Promise<Schemas["AppScript"]> {
	return get("/web/apps/{appId}/source", {}, { appId });
}
