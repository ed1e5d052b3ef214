import type { JSX } from "preact";
import type { Schemas } from "../api/client";
import { Panel } from "../components/panel";
import { base } from "../frame/place";

type App = Schemas["CatalogueApp"];

/** The picture changes with the deployed version, so its hash is in the URL, for pages that stay
 * open. */
function pictureOf({ id, picture, still }: App, isStill: boolean): string | undefined {
	if (picture === null) return undefined;
	if (isStill && still !== null) return `data:image/webp;base64,${still}`;
	return new URL(`web/apps/${encodeURIComponent(id)}/picture?${picture}`, base).href;
}

interface AppPictureProps {
	app: App;
	/** Shows one frame, which came with the app. */
	isStill?: boolean;
}

/** An app on a panel, with its default settings. */
export function AppPicture({ app, isStill = false }: AppPictureProps): JSX.Element {
	const picture = pictureOf(app, isStill);
	return (
		<Panel
			picture={picture}
			label={picture === undefined ? `${app.name}, no picture yet` : app.name}
			says={picture === undefined ? app.name : undefined}
		/>
	);
}
