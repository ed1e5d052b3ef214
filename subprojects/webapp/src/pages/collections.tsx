import type { JSX } from "preact";
import { Collections } from "../collections/list";
import { Heading } from "../frame/page";

/** /collections: those of the account. */
export function CollectionsPage(): JSX.Element {
	return (
		<div class="stack wide">
			<div class="stack">
				<p class="place">
					<a href="apps" data-page>
						Apps
					</a>
				</p>
				<Heading title="Your collections" />
			</div>
			<p class="words">
				The server fetches your collections once a day, and brings in what has changed. Only you see
				the apps, and they count in your storage. You can have five.
			</p>
			<Collections isForAll={false} />
		</div>
	);
}
