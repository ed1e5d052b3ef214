import type { Schemas } from "../api/client";
import { mebibytes } from "../components/bytes";

type Summary = Schemas["CollectionSummary"];

/** The community's apps, as the empty catalogue offers them. */
export const COMMUNITY = {
	url: "https://github.com/tronbyt/apps/archive/refs/heads/main.tar.gz",
	folder: "apps",
	isForAll: true,
} as const;

function counted(count: number, words: string): string {
	return `${count.toLocaleString("en")} ${words}`;
}

/** Whether its fetch has not ended. */
export function isBusy({ state }: Pick<Summary, "state">): boolean {
	return state === "waiting" || state === "fetching";
}

/** Words for the present step of a fetch: "Bringing in apps: 390 of 1,049". */
export function progressWords(fetched: Summary): string {
	const { state, step, bytes, sizeBytes, appCount, doneCount } = fetched;
	if (state === "waiting") return "Waiting for its turn";
	if (step === "read") return "Reading the archive";
	if (step === "import") {
		const all = appCount.toLocaleString("en");
		return `Bringing in apps: ${doneCount.toLocaleString("en")} of ${all}`;
	}
	const size = sizeBytes === null ? "" : ` of ${mebibytes(sizeBytes)}`;
	return `Downloading: ${mebibytes(bytes)}${size}`;
}

/** How much of the present step is done, from 0 to 1; undefined: not known. */
export function progressPart(fetched: Summary): number | undefined {
	const { state, step, bytes, sizeBytes, appCount, doneCount } = fetched;
	if (state === "waiting" || step === "read") return undefined;
	if (step === "import") return appCount > 0 ? doneCount / appCount : undefined;
	return sizeBytes !== null && sizeBytes > 0 ? bytes / sizeBytes : undefined;
}

/** Outcome of the last fetch in numbers: "1,049 apps: 3 new, 2 failed". */
export function countWords(fetched: Summary): string {
	const parts: [number, string][] = [
		[fetched.madeCount, "new"],
		[fetched.updatedCount, "updated"],
		[fetched.failedCount, "failed"],
		[fetched.heldCount, "to approve"],
		[fetched.goneCount, "gone"],
	];
	const all = counted(fetched.appCount, fetched.appCount === 1 ? "app" : "apps");
	const said = parts.filter(([count]) => count > 0).map(([count, words]) => counted(count, words));
	return said.length > 0 ? `${all}: ${said.join(", ")}` : `${all}, none has changed`;
}
