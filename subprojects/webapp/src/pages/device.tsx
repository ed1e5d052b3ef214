import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../api/client";
import { panelNews, useWatch } from "../api/live";
import { useResource } from "../api/resource";
import { DropTarget } from "../components/drop";
import { Empty } from "../components/empty";
import { Panel } from "../components/panel";
import { sizeOf } from "../panel/size";
import { Tabs } from "../components/tabs";
import { addFiles, isScript } from "../devices/added";
import { choose, type Chosen } from "../devices/chosen";
import { Failing } from "../devices/failing";
import { Connect } from "../devices/connect";
import { Controls } from "../devices/controls";
import { DevicePanel } from "../devices/device_panel";
import { useEntryNames, type EntryNames } from "../devices/names";
import type { Look } from "../devices/look";
import { Push } from "../devices/push";
import { Rotation } from "../devices/rotation";
import { Settings } from "../devices/settings";
import { useDevices, type Device, type Devices, type RotationResource } from "../devices/store";
import { calledIn } from "../devices/words";
import { Heading } from "../frame/page";
import { go, path } from "../frame/place";
import type { Parameters } from "../frame/routes";
import { WATCHED_MAX } from "../stream/wants";
import { Missing } from "./missing";

/** The other devices, beside the chosen one if there is room. */
function DeviceList({
	devices,
	names,
}: {
	devices: readonly Device[];
	names: EntryNames;
}): JSX.Element {
	return (
		<nav class="device-list" aria-label="Devices">
			<ul>
				{devices.map((device) => {
					const to = `devices/${device.id}`;
					const isHere = path.value === to || path.value.startsWith(`${to}/`);
					return (
						<li key={device.id}>
							<a href={to} data-page aria-current={isHere ? "true" : undefined}>
								<span class="device-list-picture" aria-hidden="true">
									<DevicePanel device={device} line="none" />
								</span>
								<span class="device-list-name">
									{device.name}
									<Failing entries={names.get(device.id)} isShort />
								</span>
							</a>
						</li>
					);
				})}
			</ul>
			<a href="devices/new" data-page>
				Add a device
			</a>
		</nav>
	);
}

const DROP_WORDS = "Drop to show on the panel";

/** Returns the pictures and scripts among the files; if there are none, the first file, so that its
 * fault is shown. */
function usableIn(data: DataTransfer | null): File[] {
	const files = [...(data?.files ?? [])];
	const usable = files.filter((file) => file.type.startsWith("image/") || isScript(file));
	return usable.length > 0 ? usable : files.slice(0, 1);
}

interface Choice {
	/** Chosen pictures, in order of arrival. */
	chosen: readonly Chosen[];
	/** More than one was chosen at a time: offer to add them to the rotation. */
	isOneOfMany: boolean;
	fault: string | undefined;
}

const NOTHING_CHOSEN: Choice = { chosen: [], isOneOfMany: false, fault: undefined };

interface Choosing extends Choice {
	take: (files: readonly File[]) => void;
	/** Removes the one with this number from the list; name: of the new entry. */
	done: (number: number, name?: string) => void;
	/** Names of entries that were made here, which the loaded rotation may not have yet. */
	made: readonly string[];
}

/** Holds the pictures to push: dropped, pasted or chosen. Goes to the tab that pushes them. */
function useChoice(device: Device): Choosing {
	const deviceId = device.id;
	const [choice, setChoice] = useState(NOTHING_CHOSEN);
	const [made, setMade] = useState<readonly string[]>([]);
	const take = (all: readonly File[]) => {
		const scripts = all.filter(isScript);
		const files = all.filter((file) => !isScript(file));
		if (scripts.length > 0) void addFiles(device, scripts);
		if (files.length === 0) return;
		void Promise.all(files.map(choose)).then((results) => {
			const fresh = results.filter((result) => typeof result !== "string");
			setChoice(({ chosen, isOneOfMany }) => {
				const all = [...chosen, ...fresh];
				const fault = results.find((result) => typeof result === "string");
				return { chosen: all, isOneOfMany: isOneOfMany || all.length > 1, fault };
			});
			const tab = `devices/${deviceId}/push`;
			if (path.value !== tab) go(tab, { staysPut: true });
		});
	};
	const done = (number: number, name?: string) => {
		if (name !== undefined) setMade((names) => [...names, name]);
		setChoice(({ chosen, isOneOfMany }) => {
			const rest = chosen.filter((one) => one.number !== number);
			return rest.length > 0 ? { chosen: rest, isOneOfMany, fault: undefined } : NOTHING_CHOSEN;
		});
	};
	useEffect(() => {
		const paste = (event: ClipboardEvent) => {
			const files = usableIn(event.clipboardData);
			if (files.length === 0) return;
			event.preventDefault();
			take(files);
		};
		document.addEventListener("paste", paste);
		return () => document.removeEventListener("paste", paste);
	}, [deviceId]);
	return { ...choice, take, done, made };
}

/** The server sends no event for a rendered app, but the panel shows the picture: refresh the
 * rotation then. */
function useRendered(device: Device, rotation: RotationResource): void {
	const news = panelNews(device.id).value;
	const given = [news, news?.next].filter((one) => one?.picture && one.installationId);
	const key = given.map((one) => `${one?.installationId} ${one?.picture}`).join();
	useEffect(() => {
		const isNew = rotation.value
			.peek()
			?.entries.some(
				({ kind, installationId, picture }) =>
					kind === "app" &&
					given.some((one) => one?.installationId === installationId && one.picture !== picture),
			);
		if (isNew) void rotation.refresh();
	}, [key]);
}

/** The ends of their paths. */
const TABS: readonly string[] = ["", "push", "settings", "connect"];

interface ChosenDeviceProps {
	device: Device;
	devices: Devices;
	tab: string;
}

function LookPanel({ device, look: { url, words } }: { device: Device; look: Look }): JSX.Element {
	return <Panel size={sizeOf(device.size)} picture={url} label={words} line={words} />;
}

function ChosenDevice({ device, devices, tab }: ChosenDeviceProps): JSX.Element {
	const choice = useChoice(device);
	const [look, setLook] = useState<Look>();
	const rotation = useResource(
		() => get("/web/devices/{deviceId}/rotation", {}, { deviceId: device.id }),
		[`rotation:${device.id}`, `device:${device.id}`],
	);
	useRendered(device, rotation);
	const entries = rotation.value.value?.entries;
	const place = `devices/${device.id}`;
	const { update } = devices;
	return (
		<div class="device">
			<div class="stack">
				<a class="back" href="devices" data-page>
					All devices
				</a>
				<Heading title={device.name} />
			</div>
			<DropTarget words={DROP_WORDS} onDrop={(data) => choice.take(usableIn(data))}>
				{look && tab === "push" ? (
					<LookPanel device={device} look={look} />
				) : (
					<DevicePanel device={device} entries={entries && calledIn(entries)} line="clock" />
				)}
			</DropTarget>
			<Controls device={device} onDevice={update} />
			<Tabs
				label="Sections of this device"
				tabs={[
					{ to: place, words: "Rotation" },
					{ to: `${place}/push`, words: "Push" },
					{ to: `${place}/settings`, words: "Settings" },
					{ to: `${place}/connect`, words: "Connect" },
				]}
			/>
			{tab === "" && <Rotation device={device} rotation={rotation} />}
			{tab === "push" && (
				<DropTarget words={DROP_WORDS} onDrop={(data) => choice.take(usableIn(data))}>
					<Push
						device={device}
						{...choice}
						taken={[...(entries ?? []).map(({ installationId }) => installationId), ...choice.made]}
						isKept={Boolean(rotation.value.value?.temporary)}
						onLook={setLook}
						onFiles={choice.take}
						onDone={choice.done}
					/>
				</DropTarget>
			)}
			{tab === "settings" && <Settings device={device} onDevice={update} entries={entries ?? []} />}
			{tab === "connect" && (
				<Connect device={device} onDevice={update} onRemoved={() => void devices.refresh()} />
			)}
		</div>
	);
}

function NoDevice(): JSX.Element {
	return (
		<div class="stack">
			<Heading title="Device not found" />
			<Empty title="The device was removed, or it belongs to another account.">
				<div class="row">
					<a class="button" href="devices" data-page>
						All devices
					</a>
				</div>
			</Empty>
		</div>
	);
}

/** /devices/ID and its parts: the live panel, large. */
export function DevicePage({ parameters }: { parameters: Parameters }): JSX.Element | null {
	const devices = useDevices();
	const { id, tab = "" } = parameters;
	const list = devices.value.value;
	const problem = devices.problem.value;
	const ids = (list ?? []).map((device) => device.id);
	useWatch([id ?? "", ...ids].slice(0, WATCHED_MAX));
	const names = useEntryNames(ids);
	if (!list) return problem ? <p class="notice bad">{problem.message}</p> : null;
	const device = list.find((other) => other.id === id);
	if (!device) return <NoDevice />;
	if (!TABS.includes(tab)) return <Missing />;
	return (
		<div class="device-page">
			<DeviceList devices={list} names={names} />
			<ChosenDevice device={device} devices={devices} tab={tab} />
		</div>
	);
}
