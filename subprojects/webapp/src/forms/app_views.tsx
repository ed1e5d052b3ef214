import type { JSX } from "preact";
import { get } from "../api/client";
import { useResource } from "../api/resource";
import { Select } from "../components/select";

/** What the catalogue shows: a view, or a category; both empty: all by name. */
export interface Chosen {
	view: string;
	category: string;
}

const VIEWS = [
	{ view: "", words: "All" },
	{ view: "installed", words: "On your panels" },
	{ view: "newest", words: "Newest" },
	{ view: "updated", words: "Updated" },
];

/** Returns the words of a category, whose name comes from a file: "smart-home". */
export function categoryWords(name: string): string {
	const words = name.replaceAll("-", " ");
	return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Chooses a view or a category of the catalogue: by buttons, or where the screen is narrow from a list. */
export function AppViews({
	chosen,
	withBroken,
	onChoose,
}: {
	chosen: Chosen;
	withBroken: boolean;
	onChoose: (chosen: Chosen) => void;
}): JSX.Element {
	const categories = useResource(
		() => get("/web/categories", withBroken ? { broken: "true" } : {}),
		["apps"],
	);
	const all = [
		...VIEWS.map(({ view, words }) => ({ view, category: "", words })),
		...(categories.value.value ?? []).map(({ name }) => ({
			view: "",
			category: name,
			words: categoryWords(name),
		})),
	];
	const is = ({ view, category }: Chosen) => view === chosen.view && category === chosen.category;
	return (
		<>
			<div class="views" role="group" aria-label="Show">
				{all.map((one) => (
					<button
						key={`${one.view}/${one.category}`}
						type="button"
						class="view"
						aria-pressed={is(one)}
						onClick={() => onChoose({ view: one.view, category: one.category })}
					>
						{one.words}
					</button>
				))}
			</div>
			<div class="views-narrow">
				<Select
					label="Show"
					value={String(all.findIndex(is))}
					options={all.map(({ words }, i) => ({ value: String(i), words }))}
					onChange={(i) => {
						const { view = "", category = "" } = all[Number(i)] ?? {};
						onChoose({ view, category });
					}}
				/>
			</div>
		</>
	);
}
