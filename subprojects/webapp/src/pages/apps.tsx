import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { getPart, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { start } from "../api/session";
import { Button } from "../components/button";
import { Check } from "../components/check";
import { Empty } from "../components/empty";
import { FileButton } from "../components/file_button";
import { ADDABLE, addFiles } from "../devices/added";
import { useDevices, type Device } from "../devices/store";
import { AppCard } from "../forms/app_card";
import { AppViews, type Chosen } from "../forms/app_views";
import { Arriving, Community } from "../collections/community";
import { Heading } from "../frame/page";
import { useAddress, useKept } from "../frame/place";
import type { Parameters } from "../frame/routes";
import { addOwnApps, type Added } from "../studio/own_apps";
import { Missing } from "./missing";
import { isolated } from "../components/isolated";

type CatalogueApp = Schemas["CatalogueApp"];

/** Apps shown at a time. */
const PART = 24;
/** The limit of a list's part. */
const ASKED_MAX = 1000;
const TYPING_MS = 200;

/** Device on which apps are installed; undefined: each installation asks for it. */
type ForDevice = Device | undefined;

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
			<label class="only-read" for={id}>
				Search
			</label>
			<input
				id={id}
				type="search"
				placeholder="Search"
				value={value}
				maxLength={60}
				autocomplete="off"
				onInput={(event) => onInput(event.currentTarget.value)}
			/>
		</div>
	);
}

/** Returns the result of adding apps; undefined if all were published. */
function wordsOf({ waiting, problems }: Added): string | undefined {
	if (problems.length > 0) return problems.join(" ");
	if (waiting > 0) return "The apps await another reviewer.";
	return undefined;
}

/** Explains how to fill an empty catalogue, and can add the first apps. */
function NoApps({ onAdded }: { onAdded: () => Promise<void> }): JSX.Element {
	const [said, setSaid] = useState<string>();
	const [fault, setFault] = useState<string>();
	const isReviewer = start.value?.account?.isReviewer === true;
	const isAdministrator = start.value?.account?.isAdministrator === true;
	const add = async () => {
		setFault(undefined);
		const added = await addOwnApps(setSaid);
		setSaid(undefined);
		setFault(wordsOf(added));
		await onAdded();
	};
	return (
		<Empty title="No apps yet">
			{isAdministrator && <Community />}
			<p class="words">
				{!isAdministrator && "An administrator can bring in about 1,000 apps of the community. "}
				You can bring in{" "}
				<a href="collections" data-page>
					a collection of your own
				</a>
				, or write an app in the{" "}
				<a href="studio" data-page>
					studio
				</a>
				.
			</p>
			{isReviewer ? (
				<>
					<p class="words">
						Six apps come with the server: two clocks, the date, a countdown, a text and the
						weather.
					</p>
					<div class="row">
						<Button
							kind={isAdministrator ? "plain" : "primary"}
							isBusy={said !== undefined}
							onClick={() => void add()}
						>
							Add these apps
						</Button>
						<span class="quiet" role="status">
							{said}
						</span>
					</div>
				</>
			) : (
				<p class="words">Six apps come with the server. A reviewer can add them here.</p>
			)}
			{fault !== undefined && (
				<p class="notice bad" role="alert">
					{fault}
				</p>
			)}
		</Empty>
	);
}

function Nothing({
	wish: { q, view, category },
	onAdded,
}: {
	wish: Wish;
	onAdded: () => Promise<void>;
}): JSX.Element {
	if (q !== "")
		return (
			<Empty title={`No apps match “${q}”`}>
				<p>The search covers names, summaries, authors, categories and tags.</p>
			</Empty>
		);
	if (view === "installed")
		return (
			<Empty title="No app is on your panels">
				<p>Choose one of all apps, and a device that shows it.</p>
			</Empty>
		);
	if (category !== "") return <Empty title="No apps of this category" />;
	return <NoApps onAdded={onAdded} />;
}

interface Wish extends Chosen {
	q: string;
	/** Also apps that their collection marks as broken. */
	withBroken: boolean;
	limit: number;
}

interface Found extends Wish {
	list: CatalogueApp[];
	isWhole: boolean;
}

/** Loads as many apps as wanted, one part of the list after the other. */
async function find(wish: Wish): Promise<Found> {
	const { q, view, category, withBroken, limit } = wish;
	const list: CatalogueApp[] = [];
	let cursor: string | undefined;
	do {
		const part = await getPart("/web/apps", {
			limit: Math.min(ASKED_MAX, limit - list.length),
			q,
			...(view === "" ? {} : { view }),
			...(category === "" ? {} : { category }),
			...(withBroken ? { broken: "true" } : {}),
			...(cursor === undefined ? {} : { cursor }),
		});
		list.push(...part.rows);
		({ cursor } = part);
	} while (cursor !== undefined && list.length < limit);
	return { ...wish, list, isWhole: cursor === undefined };
}

/** Holds the search text and the number of apps shown; kept in the browser's history entry. */
function useFound(): {
	typed: string;
	setTyped: (text: string) => void;
	withBroken: boolean;
	setWithBroken: (withBroken: boolean) => void;
	chosen: Chosen;
	choose: (chosen: Chosen) => void;
	apps: Resource<Found>;
	more: () => void;
} {
	const [typed, setTyped] = useAddress("q");
	const [limit, setLimit] = useKept("limit", PART);
	const [broken, keepBroken] = useAddress("broken");
	const withBroken = broken === "true";
	const [view, setView] = useAddress("view");
	const [category, setCategory] = useAddress("category");
	const wish = useRef<Wish>({ q: typed.trim(), view, category, withBroken, limit });
	const apps = useResource(() => find(wish.current), ["apps"]);
	useEffect(() => {
		const q = typed.trim();
		if (q === wish.current.q) return undefined;
		const timer = setTimeout(() => {
			wish.current = { ...wish.current, q, limit: PART };
			setLimit(PART);
			void apps.refresh();
		}, TYPING_MS);
		return () => clearTimeout(timer);
	}, [typed]);
	const more = () => {
		wish.current.limit += Math.min(ASKED_MAX, wish.current.limit);
		setLimit(wish.current.limit);
		void apps.refresh();
	};
	const setWithBroken = (isOn: boolean) => {
		wish.current.withBroken = isOn;
		keepBroken(isOn ? "true" : "");
		void apps.refresh();
	};
	const choose = (chosen: Chosen) => {
		wish.current = { ...wish.current, ...chosen, limit: PART };
		setLimit(PART);
		setView(chosen.view);
		setCategory(chosen.category);
		void apps.refresh();
	};
	const chosen = { view, category };
	return { typed, setTyped, withBroken, setWithBroken, chosen, choose, apps, more };
}

function Catalogue({ device }: { device?: ForDevice }): JSX.Element {
	const found = useFound();
	const { typed, setTyped, withBroken, setWithBroken, apps, more } = found;
	const shown = apps.value.value;
	return (
		<>
			<div class="catalogue-tools">
				<Search value={typed} onInput={setTyped} />
				<Check label="Show broken apps" isOn={withBroken} onChange={setWithBroken} />
			</div>
			{shown && shown.list.length > 0 && start.value?.account?.isAdministrator && <Arriving />}
			<AppViews chosen={found.chosen} withBroken={withBroken} onChoose={found.choose} />
			{shown?.list.length === 0 && <Nothing wish={shown} onAdded={() => apps.refresh()} />}
			{shown && shown.list.length > 0 && (
				<ul class="app-list">
					{shown.list.map((app) => (
						<AppCard key={app.id} app={app} {...(device ? { deviceId: device.id } : {})} />
					))}
				</ul>
			)}
			{shown && !shown.isWhole && (
				<div class="row">
					<Button onClick={more}>Show more</Button>
				</div>
			)}
			{apps.problem.value && !shown && <p class="notice bad">{apps.problem.value.message}</p>}
		</>
	);
}

/** /apps: the apps that can be installed. */
export function AppsPage(): JSX.Element {
	return (
		<div class="stack wide">
			<div class="row between">
				<Heading title="Apps" />
				<a href="collections" data-page>
					Your collections
				</a>
			</div>
			<Catalogue />
		</div>
	);
}

/** Adds own scripts and pictures, which need not be in the catalogue. */
function OwnFile({ device }: { device: Device }): JSX.Element {
	const [isBusy, setBusy] = useState(false);
	const [faults, setFaults] = useState<readonly string[]>([]);
	const add = async (files: readonly File[]) => {
		setBusy(true);
		setFaults(await addFiles(device, files));
		setBusy(false);
	};
	return (
		<div class="row">
			<FileButton
				accept={ADDABLE}
				label="Own file"
				isBusy={isBusy}
				onFiles={(files) => void add(files)}
			>
				Choose an own file
			</FileButton>
			<span class="quiet">A script (.star, .ts), the .zip of its folder, or a picture</span>
			{faults.map((fault) => (
				<p key={fault} class="notice bad" role="alert">
					{fault}
				</p>
			))}
		</div>
	);
}

/** /devices/ID/add: the same for this device. */
export function AddPage({ parameters }: { parameters: Parameters }): JSX.Element {
	const devices = useDevices();
	const list = devices.value.value;
	const device = list?.find(({ id }) => id === parameters["id"]);
	if (list && !device) return <Missing />;
	if (!device)
		return devices.problem.value ? (
			<p class="notice bad">{devices.problem.value.message}</p>
		) : (
			<div aria-busy="true" />
		);
	return (
		<div class="stack wide">
			<div class="stack">
				<p class="place">
					<a href={`devices/${device.id}`} data-page>
						{device.name}
					</a>
				</p>
				<Heading title={`Add an app to ${isolated(device.name)}`} />
				<OwnFile device={device} />
			</div>
			<Catalogue device={device} />
		</div>
	);
}
