import type { JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button";

/** The actions of a row. */
export interface Action {
	words: string;
	/** Continues the words for screen readers, if the row's name alone does not: "of Kitchen". */
	of?: string;
	/** Path of the page that it leads to, or what it does. */
	to?: string;
	onClick?: () => void;
	isDisabled?: boolean;
	/** A switch: whether it is on. */
	isOn?: boolean;
}

type Words = Pick<Action, "words" | "of"> & { name: string };

function Words({ words, of, name }: Words): JSX.Element {
	return (
		<>
			{words}
			<span class="only-read"> {of ?? name}</span>
		</>
	);
}

function First({ action, name }: { action: Action; name: string }): JSX.Element {
	const words = <Words words={action.words} name={name} {...ofOf(action)} />;
	if (action.to !== undefined)
		return (
			<a class="button" href={action.to} data-page>
				{words}
			</a>
		);
	return (
		<Button isDisabled={action.isDisabled === true} onClick={() => action.onClick?.()}>
			{words}
		</Button>
	);
}

function ofOf({ of }: Action): { of?: string } {
	return of === undefined ? {} : { of };
}

/** Space between the menu, its button and the edge of the window. */
const GAP_PX = 4;

/** Puts the menu below its button; above it, if there is more room. */
function place(menu: HTMLElement, button: HTMLElement): void {
	const box = button.getBoundingClientRect();
	const { width, height } = menu.getBoundingClientRect();
	const isBelow = box.bottom + GAP_PX + height <= innerHeight || box.top < innerHeight - box.bottom;
	const top = isBelow ? box.bottom + GAP_PX : box.top - GAP_PX - height;
	const left = Math.max(GAP_PX, Math.min(box.right - width, innerWidth - width - GAP_PX));
	menu.style.top = `${Math.max(GAP_PX, top)}px`;
	menu.style.left = `${left}px`;
}

/** Keeps the menu at its button: scrolling moves that, and rows that come or go above it. Returns what ends this. */
function follow(menu: HTMLElement, button: HTMLElement): () => void {
	let frame = 0;
	let last = "";
	const look = () => {
		const { right, bottom } = button.getBoundingClientRect();
		const now = [right, bottom, innerWidth, innerHeight].join();
		if (now !== last) place(menu, button);
		last = now;
		frame = requestAnimationFrame(look);
	};
	look();
	return () => cancelAnimationFrame(frame);
}

function itemsOf(menu: HTMLElement | null): HTMLElement[] {
	return [...(menu?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
}

/** Returns the index of the item that a key leads to; undefined: another key. */
function nextItem(key: string, items: readonly HTMLElement[], at: number): number | undefined {
	const count = items.length;
	if (key === "ArrowDown") return (at + 1) % count;
	if (key === "ArrowUp") return (at - 1 + count) % count;
	if (key === "Home") return 0;
	if (key === "End") return count - 1;
	if (!/^\p{L}$/u.test(key)) return undefined;
	const found = items.map((_, i) => (at + 1 + i) % count);
	return found.find((i) => items[i]?.textContent.toLowerCase().startsWith(key.toLowerCase()));
}

interface MenuProps {
	id: string;
	name: string;
	actions: readonly Action[];
	button: { current: HTMLButtonElement | null };
	/** Whether the last item has the focus first. */
	isFromEnd: boolean;
	onClose: () => void;
}

function Item({ action, name, onDone }: { action: Action; name: string; onDone: () => void }) {
	const words = <Words words={action.words} name={name} {...ofOf(action)} />;
	if (action.to !== undefined)
		return (
			<a role="menuitem" tabIndex={-1} href={action.to} data-page onClick={onDone}>
				{words}
			</a>
		);
	return (
		<button
			type="button"
			role={action.isOn === undefined ? "menuitem" : "menuitemcheckbox"}
			aria-checked={action.isOn}
			aria-disabled={action.isDisabled === true}
			tabIndex={-1}
			onClick={() => {
				if (action.isDisabled) return;
				onDone();
				action.onClick?.();
			}}
		>
			{words}
		</button>
	);
}

function Menu(props: MenuProps): JSX.Element {
	const { id, name, actions, button, isFromEnd, onClose } = props;
	const menu = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		const shown = menu.current;
		if (!shown || !button.current) return undefined;
		shown.showPopover();
		const end = follow(shown, button.current);
		itemsOf(shown)
			.at(isFromEnd ? -1 : 0)
			?.focus({ preventScroll: true });
		return end;
	}, []);
	const leave = () => {
		button.current?.focus();
		onClose();
	};
	const onKeyDown = (event: KeyboardEvent) => {
		const items = itemsOf(menu.current);
		const at = items.indexOf(document.activeElement as HTMLElement);
		const next = nextItem(event.key, items, at);
		if (event.key === "Escape" || event.key === "Tab") leave();
		else if (next !== undefined) items[next]?.focus();
		else return;
		if (event.key !== "Tab") event.preventDefault();
		event.stopPropagation();
	};
	return (
		<div
			id={id}
			ref={menu}
			class="actions-menu"
			role="menu"
			aria-label={`Actions for ${name}`}
			popover="auto"
			onKeyDown={onKeyDown}
			onToggle={(event) => {
				if ((event as ToggleEvent).newState === "closed") onClose();
			}}
		>
			{actions.map((action) => (
				<Item key={action.words} action={action} name={name} onDone={leave} />
			))}
		</div>
	);
}

/** A button "…" with a menu of actions. name: what they are for. */
export function MoreActions({
	name,
	actions,
}: {
	name: string;
	actions: readonly Action[];
}): JSX.Element {
	const id = useId();
	const button = useRef<HTMLButtonElement>(null);
	const [opened, setOpened] = useState<"start" | "end">();
	return (
		<>
			<button
				ref={button}
				type="button"
				class="button plain more"
				aria-haspopup="menu"
				aria-expanded={opened !== undefined}
				aria-controls={opened && id}
				aria-label={`More for ${name}`}
				// The menu would be closed by this, and opened again by the click.
				onPointerDown={(event) => opened && event.preventDefault()}
				onClick={() => setOpened(opened ? undefined : "start")}
				onKeyDown={(event) => {
					if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
					event.preventDefault();
					setOpened(event.key === "ArrowUp" ? "end" : "start");
				}}
			>
				<span aria-hidden="true">…</span>
			</button>
			{opened && (
				<Menu
					id={id}
					name={name}
					actions={actions}
					button={button}
					isFromEnd={opened === "end"}
					onClose={() => setOpened(undefined)}
				/>
			)}
		</>
	);
}

/** The actions of a row: the first one as a button, the others in one menu. */
export function RowActions({
	name,
	actions,
}: {
	name: string;
	actions: readonly Action[];
}): JSX.Element | null {
	const [first, ...others] = actions;
	if (!first) return null;
	return (
		<span class="row row-actions">
			<First action={first} name={name} />
			{others.length > 0 && <MoreActions name={name} actions={others} />}
		</span>
	);
}
