import type { JSX, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Schemas } from "../api/client";
import { isolated } from "../components/isolated";
import { pathOf } from "./app_about";
import { AppPicture } from "./app_picture";

type CatalogueApp = Schemas["CatalogueApp"];

/** The middle of the screen, where one looks: a row of cards. */
const MIDDLE = { rootMargin: "-50% 0px -50% 0px" };

/** Returns whether the card is in the middle of a screen without a pointer, once that was scrolled: at
 * first only what stands still is loaded. */
function useMiddle(card: RefObject<Element | null>): boolean {
	const [isThere, setThere] = useState(false);
	useEffect(() => {
		if (matchMedia("(hover: hover)").matches) return undefined;
		const observer = new IntersectionObserver((seen) => {
			setThere(seen.at(-1)?.isIntersecting === true);
		}, MIDDLE);
		const begin = () => card.current && observer.observe(card.current);
		addEventListener("scroll", begin, { once: true, passive: true });
		return () => {
			removeEventListener("scroll", begin);
			observer.disconnect();
		};
	}, []);
	return isThere;
}

/** An app of the catalogue: its picture stands still until somebody points at it. */
export function AppCard({ app, deviceId }: { app: CatalogueApp; deviceId?: string }): JSX.Element {
	const card = useRef<HTMLLIElement>(null);
	const [isPointedAt, setPointedAt] = useState(false);
	const isInMiddle = useMiddle(card);
	const path = `apps/${pathOf(app)}`;
	return (
		<li ref={card} class="app-entry">
			<a
				class="app-entry-link"
				href={deviceId === undefined ? path : `${path}/install/${deviceId}`}
				data-page
				onPointerEnter={() => setPointedAt(true)}
				onPointerLeave={() => setPointedAt(false)}
				onFocus={() => setPointedAt(true)}
				onBlur={() => setPointedAt(false)}
			>
				<span class="app-entry-picture" aria-hidden="true">
					<AppPicture app={app} isStill={!isPointedAt && !isInMiddle} />
				</span>
				<span class="app-entry-name">{app.name}</span>
			</a>
			<p class="app-entry-line quiet" title={app.description}>
				{app.brokenReason !== undefined && <span class="badge bad">Broken</span>}
				{app.isPrivate && <span class="badge">Private</span>}
				{isolated(app.description.split("\n", 1)[0] ?? "")}
			</p>
		</li>
	);
}
