import type { JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Problem, put } from "../api/client";
import { panelNews } from "../api/live";
import { RowActions } from "../components/actions";
import { Empty } from "../components/empty";
import { Panel } from "../components/panel";
import { sizeOf } from "../panel/size";
import { sentence } from "../components/sentence";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { arrived } from "./arrival";
import { actionsOf, CopyDialog, say } from "./entry_actions";
import { EntryOptions } from "./entry_options";
import { Night } from "./night";
import { dragTo, inOrder, moved, shiftOf, type Drag } from "./order";
import { removed } from "./removals";
import { wordsOfStanding } from "./schedule";
import { pictureUrl, type Device, type Entry, type RotationResource } from "./store";
import { nameOfEntry } from "./words";

interface ReorderedEntries {
	entries: Entry[];
	/** Shows an order while an entry is dragged. */
	preview: (order: string[] | undefined) => void;
	save: (order: string[]) => void;
}

/** The entries in the order that was chosen here, until the server has stored it. */
function useReordered(device: Device, rotation: RotationResource): ReorderedEntries {
	const [order, setOrder] = useState<string[]>();
	const all = rotation.value.value?.entries ?? [];
	const here = all.filter((entry) => !removed.value.has(`${device.id}/${entry.installationId}`));
	const save = (next: string[]) => {
		setOrder(next);
		// The server still has the entries whose removal can be undone.
		const body = { order: inOrder(all, next, idOf).map(idOf) };
		void put("/web/devices/{deviceId}/rotation", body, { deviceId: device.id })
			.catch((error: unknown) => {
				if (error instanceof Problem && error.status === 409)
					toast("The rotation was changed elsewhere. This is the current one.");
				else say(error);
			})
			.then(() => rotation.refresh())
			.finally(() => setOrder((last) => (last === next ? undefined : last)));
	};
	return { entries: order ? inOrder(here, order, idOf) : here, preview: setOrder, save };
}

function idOf(entry: Entry): string {
	return entry.installationId;
}

interface HandleProps {
	entry: Entry;
	isHeld: boolean;
	onKeyDown: (event: KeyboardEvent) => void;
	onPointerDown: (event: PointerEvent) => void;
}

function Handle({ entry, isHeld, onKeyDown, onPointerDown }: HandleProps): JSX.Element {
	return (
		<button
			type="button"
			class="handle"
			aria-label={`Move ${nameOfEntry(entry)}`}
			aria-pressed={isHeld}
			aria-describedby="reorder-help"
			data-handle={entry.installationId}
			onKeyDown={onKeyDown}
			onPointerDown={onPointerDown}
		>
			<svg viewBox="0 0 12 20" aria-hidden="true">
				{[4, 10, 16].map((y) => [3, 9].map((x) => <circle key={x} cx={x} cy={y} r={1.4} />))}
			</svg>
		</button>
	);
}

interface RowProps {
	device: Device;
	entry: Entry;
	rotation: RotationResource;
	handle: JSX.Element;
	shift: number;
	isHeld: boolean;
}

/** Cuts the prefix of fail(): the row has already named the failure. */
function reasonOf(problem: string): string {
	return problem.replace(/^fail: /, "");
}

/** Returns "App", with the app's name if the entry has a name of its own. */
function kindOf({ kind, name, appName, installationId }: Entry): string {
	const what = kind === "app" ? "App" : "Picture";
	return name === null ? what : `${what} ${appName ?? installationId}`;
}

/** Text about an entry: its name, its state, when it changed. */
function Words({ device, entry, rotation }: RowProps): JSX.Element {
	const news = panelNews(device.id).value;
	const standing = wordsOfStanding(entry);
	const name = nameOfEntry(entry);
	const { installationId } = entry;
	const isForNight = rotation.value.value?.night.installationId === installationId;
	const isOn = news?.isOnline === true && news.installationId === installationId;
	const isNext = news?.isOnline === true && news.next?.installationId === installationId;
	return (
		<div class="entry-words">
			<p class="entry-name">
				{name} {isOn && <span class="badge lit">on now</span>}
				{!isOn && isNext && <span class="badge">next</span>}{" "}
				{isForNight && <span class="badge">at night</span>}{" "}
				{arrived.value === `${device.id}/${installationId}` && <span class="badge lit">new</span>}
			</p>
			{entry.problem !== null && (
				<p class="failing">
					{entry.isAppDisabled ? sentence(entry.problem) : `Failed: ${reasonOf(entry.problem)}`}
				</p>
			)}
			{entry.cut !== null && <p class="quiet">{sentence(entry.cut)}</p>}
			{standing !== "" && <p class="entry-state">{standing}</p>}
			<p class="quiet">
				{kindOf(entry)}, changed <When at={entry.updatedAt} />
				{entry.expiresAt !== null && (
					<>
						, ends <When at={entry.expiresAt} />
					</>
				)}
				{entry.kind === "app" && (
					<>
						{" · "}
						<a
							href={`devices/${device.id}/apps/${encodeURIComponent(entry.installationId)}`}
							data-page
						>
							Set up<span class="only-read"> {name}</span>
						</a>
					</>
				)}
			</p>
		</div>
	);
}

function Row(props: RowProps): JSX.Element {
	const { device, entry, handle, shift, isHeld } = props;
	const id = useId();
	const [isOpen, setOpen] = useState(false);
	const name = nameOfEntry(entry);
	const picture = entry.picture === null ? undefined : pictureUrl(device.id, entry.picture);
	const isNew = arrived.value === `${device.id}/${entry.installationId}`;
	const place = useRef<HTMLLIElement>(null);
	const [isCopying, setCopying] = useState(false);
	const actions = actionsOf(props, {
		isOpen,
		toggle: () => setOpen(!isOpen),
		copy: () => setCopying(true),
	});
	useEffect(() => {
		if (isNew) place.current?.scrollIntoView({ block: "center" });
	}, [isNew]);
	return (
		<li
			class="entry"
			data-held={isHeld}
			data-shown={entry.standing === "shown" || entry.standing === "pinned"}
			data-failing={entry.problem !== null}
			data-new={isNew}
			ref={place}
			style={shift === 0 ? {} : { transform: `translateY(${shift}px)` }}
		>
			{handle}
			<div class="entry-picture">
				<Panel
					size={sizeOf(device.size)}
					picture={picture}
					label={picture === undefined ? "No picture yet" : name}
				/>
			</div>
			<Words {...props} />
			<div class="entry-actions">
				<RowActions name={name} actions={actions} />
			</div>
			{isCopying && <CopyDialog device={device} entry={entry} onClose={() => setCopying(false)} />}
			{isOpen && <EntryOptions {...props} id={id} name={name} />}
		</li>
	);
}

/** Distance from the edge at which the window scrolls, and the most pixels for each frame. */
const EDGE_PX = 72;
const STEP_PX = 18;

/** Returns by how many pixels the window scrolls per frame for a pointer at this height. */
function pullOf(clientY: number): number {
	const over = EDGE_PX - clientY;
	const below = clientY - (innerHeight - EDGE_PX);
	const pull = over > 0 ? -over : below > 0 ? below : 0;
	return Math.max(-1, Math.min(1, pull / EDGE_PX)) * STEP_PX;
}

/** Follows the pointer from a handle until it is released; near an edge the page scrolls. */
function usePointerDrag(
	list: { current: HTMLOListElement | null },
	onDrop: (from: number, to: number) => void,
): { drag: Drag | undefined; begin: (event: PointerEvent, from: number) => void } {
	const [drag, setDrag] = useState<Drag>();
	const begin = (event: PointerEvent, from: number) => {
		if (event.button !== 0 || !list.current) return;
		const boxes = [...list.current.children].map((item) => item.getBoundingClientRect());
		const stopped = new AbortController();
		// Relative to the page, which may be scrolled meanwhile.
		const beginY = event.clientY + scrollY;
		let clientY = event.clientY;
		let frame = 0;
		const follow = () => dragTo(boxes, from, clientY + scrollY - beginY);
		const pull = () => {
			scrollBy(0, pullOf(clientY));
			frame = requestAnimationFrame(pull);
		};
		const end = (drop: Drag | undefined) => {
			stopped.abort();
			cancelAnimationFrame(frame);
			setDrag(undefined);
			if (drop && drop.to !== from) onDrop(from, drop.to);
		};
		const move = (moving: PointerEvent) => {
			({ clientY } = moving);
			setDrag(follow());
		};
		const options = { signal: stopped.signal };
		addEventListener("pointermove", move, options);
		addEventListener("scroll", () => setDrag(follow()), options);
		addEventListener(
			"pointerup",
			(letting) => {
				({ clientY } = letting);
				end(follow());
			},
			options,
		);
		addEventListener("pointercancel", () => end(undefined), options);
		addEventListener("keydown", ({ key }) => key === "Escape" && end(undefined), options);
		frame = requestAnimationFrame(pull);
	};
	return { drag, begin };
}

interface Held {
	id: string;
	/** The order before the entry was picked up. */
	before: string[];
}

/** Returns the position to which a key moves an item from `at`; undefined: another key. */
function placeOf(key: string, at: number, count: number): number | undefined {
	const places: Record<string, number> = {
		ArrowUp: at - 1,
		ArrowDown: at + 1,
		Home: 0,
		End: count - 1,
	};
	const to = places[key];
	return to === undefined ? undefined : Math.min(Math.max(to, 0), count - 1);
}

/** Space picks an entry up, arrows, Home and End move it, Space drops it, Escape restores the order. */
function useKeyboardMove(
	entries: readonly Entry[],
	{ preview, save }: ReorderedEntries,
): { held: Held | undefined; said: string; onKey: (event: KeyboardEvent, at: number) => void } {
	const [held, setHeld] = useState<Held>();
	const [said, setSaid] = useState("");
	const ids = entries.map(idOf);
	const onKey = (event: KeyboardEvent, at: number) => {
		const entry = entries[at];
		if (!entry) return;
		const to = placeOf(event.key, at, ids.length);
		const place = (i: number) => `${i + 1} of ${ids.length}`;
		if (event.key === " " || (event.key === "Enter" && held)) {
			if (held && ids.join("/") !== held.before.join("/")) save(ids);
			setHeld(held ? undefined : { id: entry.installationId, before: ids });
			setSaid(`${nameOfEntry(entry)} ${held ? "dropped" : "grabbed"}, ${place(at)}.`);
		} else if (event.key === "Escape" && held) {
			preview(undefined);
			setHeld(undefined);
			setSaid(`${nameOfEntry(entry)} put back.`);
		} else if (to !== undefined && held) {
			preview(moved(ids, at, to));
			setSaid(`${nameOfEntry(entry)}, ${place(to)}.`);
		} else return;
		event.preventDefault();
	};
	// An element that is moved in the document loses the focus.
	useLayoutEffect(() => {
		if (!held) return;
		const handle = `[data-handle="${CSS.escape(held.id)}"]`;
		document.querySelector<HTMLElement>(handle)?.focus();
	}, [held, ids.join("/")]);
	return { held, said, onKey };
}

function Entries({
	device,
	rotation,
}: {
	device: Device;
	rotation: RotationResource;
}): JSX.Element | null {
	const list = useRef<HTMLOListElement>(null);
	const reordered = useReordered(device, rotation);
	const { entries, save } = reordered;
	const keyboard = useKeyboardMove(entries, reordered);
	const pointer = usePointerDrag(list, (from, to) => save(moved(entries.map(idOf), from, to)));
	if (entries.length === 0) return null;
	return (
		<>
			<ol class="entries" ref={list} data-drags={pointer.drag !== undefined}>
				{entries.map((entry, i) => {
					const isHeld = keyboard.held?.id === entry.installationId || pointer.drag?.from === i;
					return (
						<Row
							key={entry.installationId}
							device={device}
							entry={entry}
							rotation={rotation}
							isHeld={isHeld}
							shift={pointer.drag ? shiftOf(i, pointer.drag) : 0}
							handle={
								<Handle
									entry={entry}
									isHeld={isHeld}
									onKeyDown={(event) => keyboard.onKey(event, i)}
									onPointerDown={(event) => pointer.begin(event, i)}
								/>
							}
						/>
					);
				})}
			</ol>
			<p class="quiet" id="reorder-help">
				Drag to reorder, or press Space on a handle and use the arrow keys, Home and End.
			</p>
			<p class="only-read" role="status">
				{keyboard.said}
			</p>
			<Night device={device} rotation={rotation} entries={entries} />
		</>
	);
}

/** The limit of a rotation. */
const ENTRIES_MAX = 100;

function AddApp({ device, isFirst }: { device: Device; isFirst?: boolean }): JSX.Element {
	return (
		<a class={isFirst ? "button primary" : "button"} href={`devices/${device.id}/add`} data-page>
			Add an app
		</a>
	);
}

function Nothing({ device }: { device: Device }): JSX.Element {
	return (
		<Empty title="Nothing in the rotation yet">
			<p class="words">
				The panel shows the entries of its rotation in turn. Add an app, which draws a picture and
				keeps it up to date, or drop a picture on the panel above.
			</p>
			<div class="row">
				<AddApp device={device} isFirst />
				<a class="button" href={`devices/${device.id}/push`} data-page>
					Push a picture
				</a>
			</div>
		</Empty>
	);
}

/** There is no event for a failed render. */
const AGAIN_MS = 30_000;

/** The entries that a device shows in turn. */
export function Rotation({
	device,
	rotation,
}: {
	device: Device;
	rotation: RotationResource;
}): JSX.Element {
	const { value, problem } = rotation;
	const count = value.value?.entries.length;
	useEffect(() => {
		const timer = setInterval(() => {
			if (document.visibilityState === "visible") void rotation.refresh();
		}, AGAIN_MS);
		return () => {
			clearInterval(timer);
			arrived.value = undefined;
		};
	}, [device.id]);
	return (
		<div class="stack">
			{problem.value && !value.value && <p class="notice bad">{problem.value.message}</p>}
			{count === 0 && <Nothing device={device} />}
			{count !== undefined && count > 0 && (
				<div class="row between">
					{count < ENTRIES_MAX ? (
						<AddApp device={device} />
					) : (
						<p class="quiet">The rotation is full. Remove an entry to add another.</p>
					)}
				</div>
			)}
			<Entries device={device} rotation={rotation} />
		</div>
	);
}
