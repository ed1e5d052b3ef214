/** Elements that can have the focus. */
const FOCUSABLE =
	'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), [tabindex="0"]';

interface Step {
	element: Element;
	/** Index among its parent's children. */
	at: number;
}

/** Path from the element that had the focus last, up to the page. */
let way: Step[] = [];
/** The same of the element that opened the dialog, while a dialog has the focus. */
let opener: Step[] | undefined;

function remember(target: EventTarget | null): void {
	const focused = target instanceof Element ? target : null;
	opener = focused?.closest("dialog") ? (opener ?? way) : undefined;
	way = [];
	for (let element = focused; element?.parentElement;) {
		const parent: Element = element.parentElement;
		way.push({ element, at: [...parent.children].indexOf(element) });
		element = parent;
	}
}

/** Called before the next page, whose heading takes the focus. */
export function forgetFocus(): void {
	way = [];
	opener = undefined;
}

/** Finds an element of a part that is like the one that had the focus; else the first element. */
function within(part: Element, like: Element): HTMLElement | null {
	const all = [...part.querySelectorAll<HTMLElement>(FOCUSABLE)];
	const first = like.textContent.trim().split(/\s/)[0];
	const isLike = (other: HTMLElement) =>
		other.tagName === like.tagName &&
		other.className === like.className &&
		other.textContent.trim().split(/\s/)[0] === first;
	return all.find(isLike) ?? all[0] ?? null;
}

/** Returns the element nearest to the removed one; of a dialog, what opened it. */
function nearest(): HTMLElement | null {
	const dialog = way.find(({ element }) => element.matches("dialog"))?.element;
	if (opener && dialog?.isConnected === false) {
		way = opener;
		opener = undefined;
		if (way[0]?.element.isConnected) return way[0].element as HTMLElement;
	}
	const [lost] = way;
	if (!lost || lost.element.isConnected) return null;
	const bar = document.querySelector(".bottom-bar");
	if (bar && way.some(({ element }) => element.matches(".bottom-bar")))
		return within(bar, lost.element);
	const stays = way.findIndex(({ element }) => element.isConnected);
	const gone = way[stays - 1];
	const parent = way[stays]?.element;
	if (gone && parent?.closest("main, dialog")) {
		const { children } = parent;
		const neighbours = [children[gone.at], children[gone.at - 1]];
		for (const neighbour of neighbours) {
			const found =
				neighbour?.matches(FOCUSABLE) === true
					? (neighbour as HTMLElement)
					: neighbour && within(neighbour, lost.element);
			if (found) return found;
		}
		const found = within(parent, lost.element);
		if (found) return found;
	}
	return document.querySelector<HTMLElement>("main h1");
}

/**
 * Moves the focus to the nearest element if the focused one is removed, such as a button that
 * removes its row. Otherwise the browser drops the focus, and keyboard users begin at the top
 * again.
 */
export function startFocus(): void {
	document.addEventListener("focusin", ({ target }) => remember(target));
	const look = () => {
		if (document.activeElement !== document.body && document.activeElement !== null) return;
		nearest()?.focus({ preventScroll: true });
	};
	new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}
