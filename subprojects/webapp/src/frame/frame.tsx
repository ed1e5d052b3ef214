import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isAway, type Account } from "../api/client";
import { isolated } from "../components/isolated";
import { path } from "./place";

function Mark(): JSX.Element {
	return (
		<svg class="mark" viewBox="0 0 16 10" aria-hidden="true">
			<rect width="16" height="10" rx="2" />
			{[4, 8, 12].map((x) => (
				<circle key={x} cx={x} cy={7} r={1.3} />
			))}
			{[8, 12].map((x) => (
				<circle key={x} cx={x} cy={3} r={1.3} />
			))}
		</svg>
	);
}

function PageLink({ to, children }: { to: string; children: ComponentChildren }): JSX.Element {
	const isHere = path.value === to || path.value.startsWith(`${to}/`);
	return (
		<a href={to} data-page aria-current={isHere ? "page" : undefined}>
			{children}
		</a>
	);
}

const MENU = "menu";
/** First parts of the paths of the pages that the menu leads to. */
const IN_MENU = ["studio", "review", "development", "account", "admin"];

/** Links that are not needed each day. The list opens below its button, on a phone above it. */
function Menu({ account }: { account: Account }): JSX.Element {
	const list = useRef<HTMLDivElement>(null);
	useEffect(() => list.current?.hidePopover(), [path.value]);
	const isHere = IN_MENU.includes(path.value.split("/")[0] ?? "");
	return (
		<>
			<button
				type="button"
				class="bar-menu"
				popovertarget={MENU}
				aria-current={isHere ? "true" : undefined}
			>
				Menu
			</button>
			<div id={MENU} class="menu" popover="auto" ref={list}>
				<PageLink to="studio">Studio</PageLink>
				{account.isReviewer && <PageLink to="review">Review</PageLink>}
				<PageLink to="development/keys">API keys</PageLink>
				<PageLink to="development/webhooks">Webhooks</PageLink>
				<a href="docs">API reference</a>
				<PageLink to="account">
					Account <span class="menu-name">{isolated(account.name)}</span>
				</PageLink>
				{account.isAdministrator && <PageLink to="admin">Administration</PageLink>}
			</div>
		</>
	);
}

/** The thin line at the top while the server is unreachable; it disappears by itself. */
export function AwayLine(): JSX.Element {
	return (
		<div role="status" class="away">
			{isAway.value && <p>Reconnecting</p>}
		</div>
	);
}

/** Frame around every page of a user who is signed in. */
export function Frame({
	account,
	children,
}: {
	account: Account;
	children: ComponentChildren;
}): JSX.Element {
	const main = useRef<HTMLElement>(null);
	return (
		<>
			<button type="button" class="skip" onClick={() => main.current?.focus()}>
				Skip to content
			</button>
			<header class="bar">
				<a class="brand" href="." data-page>
					<Mark />
					displayd
				</a>
				<nav aria-label="Pages">
					<PageLink to="devices">Devices</PageLink>
					<PageLink to="apps">Apps</PageLink>
					<Menu account={account} />
				</nav>
			</header>
			<main class="page" ref={main} tabIndex={-1}>
				{children}
			</main>
		</>
	);
}
