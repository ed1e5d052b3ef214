import { post, Problem } from "../api/client";

/** Result of adding the apps that come with the server. */
export interface Added {
	published: number;
	/** Number of apps that wait for another reviewer. */
	waiting: number;
	/** Why others were not added. */
	problems: string[];
}

type App = (typeof import("own-apps"))["default"][number];

/** Makes it an app of this account; returns true if it is published. */
async function add({ slug, name, description, ...script }: App): Promise<boolean> {
	await post("/web/studio", { slug, name, description, visibility: "public" });
	const app = { appId: slug };
	const { id } = await post("/web/studio/{appId}/versions", { version: "1.0", ...script }, app);
	try {
		await post("/web/reviews/{versionId}", { status: "APPROVED" }, { versionId: id });
		return true;
	} catch (error) {
		// There is another reviewer, who decides.
		if (error instanceof Problem && error.status === 403) return false;
		throw error;
	}
}

/** Adds the apps one after the other; say: called with the name of the current one. */
export async function addOwnApps(say: (words: string) => void): Promise<Added> {
	const { default: apps } = await import("own-apps");
	const added: Added = { published: 0, waiting: 0, problems: [] };
	for (const [i, app] of apps.entries()) {
		say(`Adding ${app.name}, ${i + 1} of ${apps.length}`);
		try {
			if (await add(app)) added.published += 1;
			else added.waiting += 1;
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			added.problems.push(`${app.name}: ${error.message}`);
		}
	}
	return added;
}
