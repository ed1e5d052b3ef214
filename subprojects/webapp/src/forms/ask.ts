import { get, post, Problem, type Schemas } from "../api/client";
import type { Place, Settings } from "./fields";
import type { Answers } from "./props";

/** The server does not search for shorter texts. */
const SEARCH_MIN = 2;
const regions = new Intl.DisplayNames(["en"], { type: "region", fallback: "code" });

function countryOf(code: string): string {
	try {
		return regions.of(code) ?? code;
	} catch {
		return code;
	}
}

/** Returns "Zagreb, Croatia", with the region if the name exists several times. */
function nameOf({ name, region, country }: Schemas["Place"]): string {
	return [name, region === name ? "" : region, countryOf(country)].filter(Boolean).join(", ");
}

export async function findPlaces(text: string): Promise<readonly Place[]> {
	if (text.length < SEARCH_MIN) return [];
	const places = await get("/web/places", { search: text });
	return places.map((place) => ({
		name: nameOf(place),
		latitude: place.latitude,
		longitude: place.longitude,
		timezone: place.timezone,
	}));
}

/** Returns the answer of a handler; throws a Problem if the handler failed. */
function answered(answer: Schemas["HandlerAnswer"]): Schemas["HandlerAnswer"] {
	if (answer.problem) throw new Problem(0, `The app failed: ${answer.problem.message}`);
	return answer;
}

interface Question {
	fieldId: string;
	parameter: string;
	settings: Record<string, string | null>;
}

/** Makes the functions that answer a form's questions, from an app or a script. */
export function answersOf(
	settings: () => Settings,
	ask: (question: Question) => Promise<Schemas["HandlerAnswer"]>,
): Answers {
	const question = async (fieldId: string, parameter: string) =>
		answered(await ask({ fieldId, parameter, settings: settings() }));
	return {
		options: async ({ id }, parameter) => (await question(id, parameter)).options,
		fields: async ({ id }, parameter) => (await question(id, parameter)).fields,
		places: findPlaces,
	};
}

export interface Target {
	/** Slug or ID. */
	appId: string;
	deviceId: string;
	/** Installation whose stored secrets are used. */
	installationId?: string;
}

/** The answers of a deployed app. */
export function appAnswers({ appId, ...place }: Target, settings: () => Settings): Answers {
	return answersOf(settings, (question) =>
		post("/web/apps/{appId}/handler", { ...question, ...place }, { appId }),
	);
}

export function askPreview(
	{ appId, ...place }: Target,
	settings: Settings,
): Promise<Schemas["Preview"]> {
	return post("/web/apps/{appId}/preview", { settings, ...place }, { appId });
}

/** Returns the faults of settings, by the IDs of the fields. */
export function faultsIn(error: unknown): ReadonlyMap<string, string> {
	const start = "settings/";
	if (!(error instanceof Problem)) return new Map();
	const faults = [...error.faults].filter(([pointer]) => pointer.startsWith(start));
	return new Map(
		faults.map(([pointer, words]) => [
			pointer.slice(start.length).replaceAll("~1", "/").replaceAll("~0", "~"),
			words,
		]),
	);
}
