import type { JSX } from "preact";
import { Heading } from "../frame/page";

export function Missing(): JSX.Element {
	return (
		<div class="stack">
			<Heading title="Page not found" />
			<p>Check the address. The page may have been removed.</p>
			<div class="row">
				<a class="button primary" href="devices" data-page>
					Your devices
				</a>
				<a class="button" href="apps" data-page>
					Apps
				</a>
			</div>
		</div>
	);
}
