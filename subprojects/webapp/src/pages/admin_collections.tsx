import type { JSX } from "preact";
import { Collections } from "../collections/list";
import { AdminFrame } from "./admin";

/** /admin/collections */
export function AdminCollectionsPage(): JSX.Element {
	return (
		<AdminFrame title="Collections">
			<p class="words">
				The server fetches these collections of apps once a day, and brings in what has changed. All
				accounts see the apps. An update that names new hosts or asks for new secrets waits until
				you approve it. Nobody has read the scripts: choose collections that you trust.
			</p>
			<Collections isForAll />
		</AdminFrame>
	);
}
