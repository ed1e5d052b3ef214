import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useWatch } from "../api/live";
import { start } from "../api/session";
import { Button } from "../components/button";
import { DropTarget } from "../components/drop";
import { Empty } from "../components/empty";
import { Controls } from "../devices/controls";
import { DevicePanel } from "../devices/device_panel";
import { Failing } from "../devices/failing";
import { useEntryNames } from "../devices/names";
import { useDevices, type Device } from "../devices/store";
import { lazily } from "../frame/lazy";
import { Heading } from "../frame/page";
import { useAddress } from "../frame/place";
import { WATCHED_MAX } from "../stream/wants";

const others = () => import("./of_device");
const Together = lazily(async () => (await others()).Together);
const DevicesList = lazily(async () => (await others()).DevicesList);

/** Adds dropped pictures and scripts to the rotation. */
async function add(device: Device, data: DataTransfer | null): Promise<void> {
	const files = [...(data?.files ?? [])];
	await (await others()).addFiles(device, files);
}

/** Number of devices from which a search is shown: fewer can be seen at a glance. */
const SEARCHED_FROM = 9;
/** So many panels are shown large. */
const FEW = 3;
const SETTLE_MS = 250;

/** Finds the devices to watch: all, or if a stream cannot watch so many, the visible ones. */
function useSeen(devices: readonly Device[]): {
	seen: readonly string[];
	grid: { current: HTMLUListElement | null };
} {
	const grid = useRef<HTMLUListElement>(null);
	const [seen, setSeen] = useState<readonly string[]>([]);
	const isMany = devices.length > WATCHED_MAX;
	const key = isMany ? devices.map(({ id }) => id).join() : "";
	useEffect(() => {
		if (!isMany || !grid.current) return undefined;
		const inView = new Set<string>();
		let timer = 0;
		const observer = new IntersectionObserver(
			(changes) => {
				for (const { target, isIntersecting } of changes) {
					const id = (target as HTMLElement).dataset["device"] ?? "";
					if (isIntersecting) inView.add(id);
					else inView.delete(id);
				}
				clearTimeout(timer);
				timer = window.setTimeout(() => setSeen([...inView].slice(0, WATCHED_MAX)), SETTLE_MS);
			},
			{ rootMargin: "50%" },
		);
		for (const item of grid.current.children) observer.observe(item);
		return () => {
			clearTimeout(timer);
			observer.disconnect();
		};
	}, [key]);
	return { seen: isMany ? seen : devices.map(({ id }) => id), grid };
}

function Grid({
	devices,
	isFew,
	onDevice,
}: {
	devices: readonly Device[];
	isFew: boolean;
	onDevice: (device: Device) => void;
}): JSX.Element {
	const { seen, grid } = useSeen(devices);
	useWatch(seen);
	const names = useEntryNames(seen);
	return (
		<ul class="device-grid" data-many={devices.length > WATCHED_MAX} data-few={isFew} ref={grid}>
			{devices.map((device) => (
				<li key={device.id} data-device={device.id}>
					<DropTarget words="Drop to add" onDrop={(data) => void add(device, data)}>
						<a class="device-tile" href={`devices/${device.id}`} data-page>
							<DevicePanel device={device} title={device.name} entries={names.get(device.id)} />
							<Failing entries={names.get(device.id)} />
						</a>
					</DropTarget>
					<Controls device={device} onDevice={onDevice} />
					<a
						class="device-act"
						href={`devices/${device.id}/add`}
						aria-description={device.name}
						data-page
					>
						Add an app
					</a>
				</li>
			))}
		</ul>
	);
}

function List({ devices }: { devices: readonly Device[] }): JSX.Element {
	useWatch(devices.slice(0, WATCHED_MAX).map(({ id }) => id));
	return <DevicesList devices={devices} />;
}

function NoDevices(): JSX.Element {
	return (
		<Empty title="No devices yet">
			<p class="words">
				Add a device to get an address, and enter it on the setup page of your panel. An old tablet
				can be a panel too: open <a href="panel">the panel in the browser</a>.
			</p>
			<div class="row">
				<a class="button primary" href="devices/new" data-page>
					Add a device
				</a>
				<a class="button" href="devices/import" data-page>
					Import from a tronbyt server
				</a>
			</div>
		</Empty>
	);
}

/** The way to the first steps, until they are done. */
function FirstSteps(): JSX.Element | null {
	const { firstSteps, account } = start.value ?? {};
	if (!firstSteps || !account) return null;
	const { hasPanel, hasEntry, hasApps } = firstSteps;
	const steps = [hasPanel, hasEntry, ...(account.isAdministrator ? [hasApps] : [])];
	const done = steps.filter(Boolean).length;
	return (
		<p>
			<a href="welcome" data-page>
				First steps: {done} of {steps.length} done
			</a>
		</p>
	);
}

function Search({
	value,
	onInput,
}: {
	value: string;
	onInput: (text: string) => void;
}): JSX.Element {
	return (
		<input
			class="device-search"
			type="search"
			aria-label="Search your devices"
			placeholder="Search"
			value={value}
			onInput={(event) => onInput(event.currentTarget.value)}
		/>
	);
}

/** /devices: every panel, live. */
export function DevicesPage(): JSX.Element {
	const { value, problem, update } = useDevices();
	const [text, setText] = useAddress("q");
	const [view, setView] = useAddress("view");
	const [isTogether, setTogether] = useState(false);
	const isList = view === "list";
	const devices = value.value;
	const found = devices?.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
	return (
		<div class="stack wide">
			<div class="row between">
				<Heading title="Devices" />
				{devices && devices.length > 0 && (
					<div class="row">
						{devices.length >= SEARCHED_FROM && <Search value={text} onInput={setText} />}
						{devices.length > 1 && (
							<>
								<Button onClick={() => setTogether(true)}>Several at once</Button>
								<Button onClick={() => setView(isList ? "" : "list")}>
									{isList ? "Show as a wall" : "Show as a list"}
								</Button>
							</>
						)}
						<a class="button" href="devices/new" data-page>
							Add a device
						</a>
					</div>
				)}
			</div>
			<FirstSteps />
			{devices && isTogether && <Together devices={devices} onClose={() => setTogether(false)} />}
			{problem.value && !devices && <p class="notice bad">{problem.value.message}</p>}
			{devices?.length === 0 && <NoDevices />}
			{found && found.length > 0 && isList && <List devices={found} />}
			{found && found.length > 0 && !isList && (
				<Grid devices={found} isFew={(devices?.length ?? 0) <= FEW} onDevice={update} />
			)}
			{devices && devices.length > 0 && found?.length === 0 && <p class="quiet">No matches</p>}
		</div>
	);
}
