import { get, Problem, put, type Schemas } from "../api/client";
import { toast } from "../components/toast";
import { go } from "../frame/place";
import { ownPathOf } from "./names";

type Draft = Pick<Schemas["Draft"], "scriptLanguage" | "scriptContent">;

function scriptOf({ scriptLanguage, scriptContent }: Draft): Draft {
	return { scriptLanguage, scriptContent };
}

async function sayProblems(act: () => Promise<void>): Promise<void> {
	try {
		await act();
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		toast(error.message);
	}
}

/** Replaces the draft by the script of a version, and opens it. The draft before it can be restored. */
export function takeAsDraft(app: Schemas["OwnApp"], version: Schemas["OwnVersion"]): Promise<void> {
	const appId = { appId: app.id };
	const save = (script: Draft, revision: number) =>
		put("/web/studio/{appId}/draft", { ...scriptOf(script), revision }, appId);
	return sayProblems(async () => {
		const path = "/web/studio/{appId}/versions/{versionId}/script";
		const [old, script] = await Promise.all([
			get("/web/studio/{appId}/draft", {}, appId),
			get(path, {}, { ...appId, versionId: version.id }),
		]);
		const { revision } = await save(script, old.revision);
		const undo = () =>
			void sayProblems(async () => {
				await save(old, revision);
			});
		toast(`Version ${version.version} is the draft now`, old.revision === 0 ? undefined : undo);
		go(`studio/${ownPathOf(app)}`);
	});
}
