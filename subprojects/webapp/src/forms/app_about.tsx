import type { JSX } from "preact";
import type { Schemas } from "../api/client";
import { Name } from "../components/name";

type App = Schemas["CatalogueApp"];

/** Returns the app's name in URLs: an app of a collection may have the slug of another app. */
export function pathOf({ path, slug }: App): string {
	return path ?? slug;
}

/** Names the app's author, version and collection. */
export function Origin({ app }: { app: App }): JSX.Element {
	const isOurs = app.isOwn && app.collection === undefined;
	return (
		<>
			by {isOurs ? "you" : <Name>{app.author}</Name>}, version <Name>{app.version}</Name>
			{app.collection !== undefined && (
				<>
					, from <Name>{app.collection}</Name>
				</>
			)}
			{app.category !== undefined && (
				<>
					, <Name>{app.category}</Name>
				</>
			)}
		</>
	);
}

/** Shows why its collection marks it as broken; nothing if it does not. */
export function Broken({ app }: { app: App }): JSX.Element | null {
	if (app.brokenReason === undefined) return null;
	return (
		<p class="said-text">
			<span class="badge bad">Broken</span> <Name>{app.brokenReason}</Name>
		</p>
	);
}

export function Tags({ app }: { app: App }): JSX.Element | null {
	if (app.tags === undefined) return null;
	return (
		<p class="quiet">
			Tags:{" "}
			{app.tags.map((tag, i) => (
				<>
					{i > 0 && ", "}
					<Name>{tag}</Name>
				</>
			))}
		</p>
	);
}
