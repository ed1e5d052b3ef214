import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { confirm } from "../components/dialog";

/** The URL below which all pages are: the shell knows the depth of its own path. */
export const base = new URL(document.documentElement.dataset["base"] ?? ".", location.href);

function pathOf(url: URL): string {
	const path = url.pathname.startsWith(base.pathname)
		? url.pathname.slice(base.pathname.length)
		: "";
	return path.replace(/\/$/, "");
}

/** Where the browser is, below the base: "devices/ID"; "" is the first page. */
export const path = signal(pathOf(new URL(location.href)));
let here = location.href;

interface Guard {
	title: string;
	text: ComponentChildren;
	action: string;
}

let guard: Guard | undefined;

function warn(event: BeforeUnloadEvent): void {
	event.preventDefault();
}

/** While there is a guard, leaving the page is asked about first. */
export function setGuard(next: Guard | undefined): void {
	guard = next;
	if (next) addEventListener("beforeunload", warn);
	else removeEventListener("beforeunload", warn);
}

async function mayLeave(): Promise<boolean> {
	if (!guard) return true;
	const isSure = await confirm(guard);
	if (isSure) setGuard(undefined);
	return isSure;
}

function arrive(): void {
	here = location.href;
	path.value = pathOf(new URL(here));
}

interface GoOptions {
	replaces?: boolean;
	/** It is another part of the same page: what is looked at and has the focus stays so. */
	staysPut?: boolean;
}

/** Goes to another page; the browser's back button comes back. */
export function go(to: string, options: GoOptions = {}): void {
	const url = new URL(to || ".", base);
	if (options.replaces) history.replaceState(null, "", url);
	else history.pushState(null, "", url);
	arrive();
	if (options.staysPut) return;
	scrollTo(0, 0);
	// The next page's heading takes the focus.
	if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** As go(), after a guard was asked. */
export async function goIfMay(to: string, options: GoOptions = {}): Promise<void> {
	if (await mayLeave()) go(to, options);
}

/** The browser is on the other page already: it comes back until the answer is there. */
async function onBack(): Promise<void> {
	if (!guard) {
		arrive();
		return;
	}
	const wanted = location.href;
	history.pushState(null, "", here);
	if (await mayLeave()) go(wanted, { replaces: true });
}

/** The fragment, which no server and no log ever sees; it is taken out of the URL at once. */
export function takeFragment(): string {
	const text = location.hash.slice(1);
	if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** The page of this document that a click leads to; undefined where the browser is to follow. */
function innerTarget(event: MouseEvent): { to: string; staysPut: boolean } | undefined {
	if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
		return undefined;
	const anchor = event.target instanceof Element ? event.target.closest("a") : null;
	if (!anchor?.hasAttribute("data-page")) return undefined;
	const url = new URL(anchor.href);
	if (url.origin !== base.origin) return undefined;
	return { to: pathOf(url) + url.search + url.hash, staysPut: anchor.closest(".tabs") !== null };
}

/** Links that carry data-page, and the back button, change the page without loading another. */
export function startPlaces(): void {
	addEventListener("popstate", () => void onBack());
	document.addEventListener("click", (event) => {
		const target = event.defaultPrevented ? undefined : innerTarget(event);
		if (target === undefined) return;
		event.preventDefault();
		void goIfMay(target.to, target);
	});
}
