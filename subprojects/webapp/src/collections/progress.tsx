import type { JSX } from "preact";
import type { Schemas } from "../api/client";
import { progressPart, progressWords } from "./words";

/** How far the fetch of a collection is. */
export function Progress({ of }: { of: Schemas["CollectionSummary"] }): JSX.Element {
	const part = progressPart(of);
	return (
		<div class="collection-progress">
			<progress aria-label={of.name} {...(part === undefined ? {} : { value: part })} max={1} />
			<span role="status">{progressWords(of)}</span>
		</div>
	);
}
