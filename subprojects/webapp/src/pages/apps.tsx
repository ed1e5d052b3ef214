import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { get, type Schemas } from "../api/client";
import { useResource } from "../api/resource";
import { Button } from "../components/button";
import { Empty } from "../components/empty";
import { AppPicture } from "../forms/app_picture";
import { Heading } from "../frame/page";

type CatalogueApp = Schemas["CatalogueApp"];

/** Apps that one look shows. */
const PART = 60;
/** No list is longer. */
const PART_MAX = 1000;
const TYPING_MS = 200;

function Search({
	value,
	onInput,
}: {
	value: string;
	onInput: (value: string) => void;
}): JSX.Element {
	const id = useId();
	return (
		<div class="field search" role="search">
			<label for={id}>Search</label>
			<input
				id={id}
				type="search"
				value={value}
				maxLength={60}
				autocomplete="off"
				onInput={(event) => onInput(event.currentTarget.value)}
			/>
		</div>
	);
}

function Entry({ app }: { app: CatalogueApp }): JSX.Element {
	return (
		<li class="app-entry">
			<a class="app-entry-link" href={`apps/${app.slug}`} data-page>
				<span class="app-entry-picture" aria-hidden="true">
					<AppPicture app={app} />
				</span>
				<span class="app-entry-name">{app.name}</span>
			</a>
			{app.description !== "" && <p class="said-text">{app.description}</p>}
			<p class="quiet">
				by {app.isOwn ? "you" : app.author}, version {app.version}
				{app.isPrivate && (
					<>
						{" "}
						<span class="badge">Private</span>
					</>
				)}
			</p>
		</li>
	);
}

function Nothing({ wanted }: { wanted: string }): JSX.Element {
	if (wanted !== "")
		return (
			<Empty title={`No app has “${wanted}”`}>
				<p>Try another word: names, summaries and authors are searched.</p>
			</Empty>
		);
	return (
		<Empty title="No app yet">
			<p>
				Nobody has published one.{" "}
				<a href="studio" data-page>
					Write the first one
				</a>
				.
			</p>
		</Empty>
	);
}

/** /apps: what can be installed. */
export function AppsPage(): JSX.Element {
	const [typed, setTyped] = useState("");
	const wish = useRef({ q: "", limit: PART });
	const apps = useResource(async () => {
		const { q, limit } = wish.current;
		return { q, limit, list: await get("/web/apps", { limit, ...(q === "" ? {} : { q }) }) };
	}, ["apps"]);
	useEffect(() => {
		const q = typed.trim();
		if (q === wish.current.q) return undefined;
		const timer = setTimeout(() => {
			wish.current = { q, limit: PART };
			void apps.refresh();
		}, TYPING_MS);
		return () => clearTimeout(timer);
	}, [typed, apps]);
	const shown = apps.value.value;
	return (
		<div class="stack wide">
			<div class="stack">
				<Heading title="Apps" />
				<p class="words">An app draws a picture of its own on a device, again and again.</p>
				<Search value={typed} onInput={setTyped} />
			</div>
			{shown?.list.length === 0 && <Nothing wanted={shown.q} />}
			{shown && shown.list.length > 0 && (
				<ul class="app-list">
					{shown.list.map((app) => (
						<Entry key={app.id} app={app} />
					))}
				</ul>
			)}
			{shown && shown.list.length === shown.limit && shown.limit < PART_MAX && (
				<div class="row">
					<Button
						onClick={() => {
							wish.current.limit = Math.min(PART_MAX, shown.limit + PART);
							void apps.refresh();
						}}
					>
						Show more
					</Button>
				</div>
			)}
			{apps.problem.value && !shown && <p class="notice bad">{apps.problem.value.message}</p>}
		</div>
	);
}
