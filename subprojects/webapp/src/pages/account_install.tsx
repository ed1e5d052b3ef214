import type { JSX } from "preact";
import { Button } from "../components/button";
import { canInstall, installOffer } from "../share/install";

/** Part of the profile: the pages as an app on a phone, which pictures can be shared with. */
export function Install(): JSX.Element {
	const offer = installOffer.value;
	const install = async () => {
		await offer?.prompt();
		installOffer.value = undefined;
	};
	return (
		<section class="stack">
			<h2>As an app on your phone</h2>
			<p class="words">
				Installed as an app, displayd takes pictures from your gallery: share one with it, and
				choose the panel.
			</p>
			{!canInstall() ? (
				<p class="words">
					This browser cannot install it: that needs an address with https, or localhost.
				</p>
			) : offer ? (
				<div class="row">
					<Button onClick={() => void install()}>Install</Button>
				</div>
			) : (
				<p class="words">
					Choose "Install" or "Add to Home screen" in the menu of your browser. Some browsers have
					neither.
				</p>
			)}
		</section>
	);
}
