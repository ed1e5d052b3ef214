import type { JSX } from "preact";
import type { Schemas } from "../api/client";
import { Panel } from "../components/panel";
import { base } from "../frame/place";

type App = Schemas["CatalogueApp"];

/** The picture changes with the deployed version, so its hash is in the URL, for pages that stay
 * open. */
function pictureOf({ id, picture }: App): string | undefined {
	if (picture === null) return undefined;
	return new URL(`web/apps/${encodeURIComponent(id)}/picture?${picture}`, base).href;
}

/** An app on a panel, with its default settings. */
export function AppPicture({ app }: { app: App }): JSX.Element {
	const picture = pictureOf(app);
	return (
		<Panel
			picture={picture}
			label={picture === undefined ? `${app.name}, no picture yet` : app.name}
			says={picture === undefined ? app.name : undefined}
		/>
	);
}
