import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { confirm } from "../components/dialog";
import { forgetFocus } from "./focus";

/** The URL below which all pages are: the shell knows the depth of its own path. */
export const base = new URL(document.documentElement.dataset["base"] ?? ".", location.href);

function pathOf(url: URL): string {
	const path = url.pathname.startsWith(base.pathname)
		? url.pathname.slice(base.pathname.length)
		: "";
	return path.replace(/\/$/, "");
}

/** Path of the page, below the base: "devices/ID"; "" is the first page. */
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

/** Sets a guard that is called before the page is left; undefined: none. */
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

/** State kept in an entry of the browser's history. */
interface Kept {
	/** Scroll position of the page. */
	y?: number;
	/** State of the page's parts, by name. */
	values?: Record<string, unknown>;
}

function kept(): Kept {
	return (history.state ?? {}) as Kept;
}

function keep(more: Kept): void {
	history.replaceState({ ...kept(), ...more }, "");
}

/**
 * Like useState(), but the state is restored when the user comes back to the page, and after a
 * reload.
 */
export function useKept<T>(name: string, initial: T): [T, (value: T) => void] {
	const [value, setValue] = useState<T>(() => (kept().values?.[name] as T | undefined) ?? initial);
	const set = (next: T) => {
		keep({ values: { ...kept().values, [name]: next } });
		setValue(next);
	};
	return [value, set];
}

/** Like useKept(), but for a text that others see as well, since it stands in the page's URL. */
export function useAddress(name: string): [string, (value: string) => void] {
	const [value, setValue] = useState(() => new URL(location.href).searchParams.get(name) ?? "");
	const set = (next: string) => {
		const url = new URL(location.href);
		if (next === "") url.searchParams.delete(name);
		else url.searchParams.set(name, next);
		history.replaceState(history.state, "", url);
		here = url.href;
		setValue(next);
	};
	return [value, set];
}

const SETTLE_MS = 100;
let settling = 0;

function keepScroll(): void {
	clearTimeout(settling);
	settling = window.setTimeout(() => keep({ y: scrollY }), SETTLE_MS);
}

function arrive(staysPut = false): void {
	clearTimeout(settling);
	if (!staysPut) forgetFocus();
	here = location.href;
	path.value = pathOf(new URL(here));
}

/** Time to wait for the content of lists, which is loaded later than their page. */
const SCROLL_MS = 5_000;

/** Scrolls to where the page was left, as soon as it is long enough; any user action ends that. */
function scrollBack(y: number): void {
	const ended = new AbortController();
	const end = () => {
		ended.abort();
		observer.disconnect();
	};
	const look = () => {
		scrollTo(0, y);
		if (Math.abs(scrollY - y) < 2) end();
	};
	const observer = new ResizeObserver(look);
	observer.observe(document.body);
	for (const name of ["wheel", "touchstart", "keydown", "pointerdown"])
		addEventListener(name, end, { signal: ended.signal, passive: true });
	setTimeout(end, SCROLL_MS);
}

interface GoOptions {
	replaces?: boolean;
	/** Whether the target is another part of the same page: scroll position and focus stay. */
	staysPut?: boolean;
}

/** Goes to another page; the browser's back button returns. */
export function go(to: string, options: GoOptions = {}): void {
	const url = new URL(to || ".", base);
	keep({ y: scrollY });
	if (options.replaces) history.replaceState(null, "", url);
	else history.pushState(null, "", url);
	arrive(options.staysPut);
	if (options.staysPut) return;
	scrollTo(0, 0);
	// The next page's heading takes the focus.
	if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** Calls go() if the guard allows leaving the page. */
export async function goIfMay(to: string, options: GoOptions = {}): Promise<void> {
	if (await mayLeave()) go(to, options);
}

/** The browser is on the other page already: it goes back until the guard has answered. */
async function onBack(): Promise<void> {
	if (!guard) {
		arrive();
		scrollBack(kept().y ?? 0);
		return;
	}
	const wanted = location.href;
	history.pushState(null, "", here);
	if (await mayLeave()) go(wanted, { replaces: true });
}

/** Returns the fragment, which no server or log sees, and removes it from the URL at once. */
export function takeFragment(): string {
	const text = location.hash.slice(1);
	if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** Returns the page of this app that a click leads to; undefined: the browser must follow the link. */
function innerTarget(event: MouseEvent): { to: string; staysPut: boolean } | undefined {
	if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
		return undefined;
	const anchor = event.target instanceof Element ? event.target.closest("a") : null;
	if (!anchor?.hasAttribute("data-page")) return undefined;
	const url = new URL(anchor.href);
	if (url.origin !== base.origin) return undefined;
	return { to: pathOf(url) + url.search + url.hash, staysPut: anchor.closest(".tabs") !== null };
}

/** Makes links with data-page and the back button change the page without loading a document. */
export function startPlaces(): void {
	// Scroll here: the browser would scroll before the page's content has arrived.
	history.scrollRestoration = "manual";
	addEventListener("popstate", () => void onBack());
	addEventListener("scroll", keepScroll, { passive: true });
	scrollBack(kept().y ?? 0);
	document.addEventListener("click", (event) => {
		const target = event.defaultPrevented ? undefined : innerTarget(event);
		if (target === undefined) return;
		event.preventDefault();
		void goIfMay(target.to, target);
	});
}
