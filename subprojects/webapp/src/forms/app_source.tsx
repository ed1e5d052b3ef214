import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Problem, type Schemas } from "../api/client";
import { Button } from "../components/button";
import { Code } from "../components/code";
import { go } from "../frame/place";
import { makeMine, sourceOf } from "../studio/make_mine";

type CatalogueApp = Schemas["CatalogueApp"];

/** What an app is made of, and a copy of it for oneself. */
export function AppSource({ app }: { app: CatalogueApp }): JSX.Element {
	const [source, setSource] = useState<Schemas["AppScript"]>();
	const [busy, setBusy] = useState<"source" | "copy">();
	const [fault, setFault] = useState<string>();
	const attempt = (what: "source" | "copy", act: () => Promise<void>) => {
		setBusy(what);
		setFault(undefined);
		act()
			.catch((error: unknown) => {
				if (!(error instanceof Problem)) throw error;
				setFault(error.message);
			})
			.finally(() => setBusy(undefined));
	};
	const copy = async () => go(`studio/${await makeMine(app, source ?? (await sourceOf(app.id)))}`);
	return (
		<section class="stack" aria-labelledby="source">
			<h2 id="source">Source</h2>
			<div class="row">
				{source === undefined && (
					<Button
						isBusy={busy === "source"}
						onClick={() => attempt("source", async () => setSource(await sourceOf(app.id)))}
					>
						Show the script
					</Button>
				)}
				<Button isBusy={busy === "copy"} onClick={() => attempt("copy", copy)}>
					Make it mine
				</Button>
				<span class="quiet">A private copy in the studio, which you can change.</span>
			</div>
			{fault !== undefined && (
				<p class="notice bad" role="alert">
					{fault}
				</p>
			)}
			{source !== undefined && (
				<Code
					text={source.scriptContent}
					language={source.scriptLanguage}
					label={`Script of ${app.name}`}
					isReadOnly
				/>
			)}
		</section>
	);
}
