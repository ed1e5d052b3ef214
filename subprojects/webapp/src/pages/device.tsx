import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../api/client";
import { panelNews, useWatch } from "../api/live";
import { useResource } from "../api/resource";
import { Empty } from "../components/empty";
import { Tabs } from "../components/tabs";
import { choose, type Chosen } from "../devices/chosen";
import { Connect } from "../devices/connect";
import { DevicePanel } from "../devices/device_panel";
import { Push } from "../devices/push";
import { Rotation, type RotationResource } from "../devices/rotation";
import { Settings } from "../devices/settings";
import { useDevices, type Device, type Devices } from "../devices/store";
import { Heading } from "../frame/page";
import { go, path } from "../frame/place";
import type { Parameters } from "../frame/routes";
import { WATCHED_MAX } from "../stream/wants";

/** The other devices, beside the chosen one where there is room. */
function DeviceList({ devices }: { devices: readonly Device[] }): JSX.Element {
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
								<span class="device-list-name">{device.name}</span>
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

function pictureIn(data: DataTransfer | null): File | undefined {
	return [...(data?.files ?? [])].find(({ type }) => type.startsWith("image/")) ?? data?.files[0];
}

/** Files that are dropped on it are given on; while one hovers above it says so. */
function DropTarget({
	onFile,
	children,
}: {
	onFile: (file: File) => void;
	children: ComponentChildren;
}): JSX.Element {
	const [isOver, setOver] = useState(false);
	return (
		<div
			class="drop"
			data-over={isOver}
			onDragOver={(event) => {
				event.preventDefault();
				setOver(true);
			}}
			onDragLeave={(event) => {
				const to = event.relatedTarget;
				if (!(to instanceof Node && event.currentTarget.contains(to))) setOver(false);
			}}
			onDrop={(event) => {
				event.preventDefault();
				setOver(false);
				const file = pictureIn(event.dataTransfer);
				if (file) onFile(file);
			}}
		>
			{children}
			{isOver && <p class="drop-words">Drop it on the panel</p>}
		</div>
	);
}

interface Choice {
	chosen?: Chosen;
	fault?: string;
}

/** What is to be pushed: dropped, pasted or chosen; it leads to the tab that pushes. */
function useChoice(deviceId: string): [Choice, (file: File) => void, () => void] {
	const [choice, setChoice] = useState<Choice>({});
	const take = (file: File) => {
		void choose(file).then((result) => {
			setChoice(typeof result === "string" ? { fault: result } : { chosen: result });
			const tab = `devices/${deviceId}/push`;
			if (path.value !== tab) go(tab, { staysPut: true });
		});
	};
	useEffect(() => {
		const paste = (event: ClipboardEvent) => {
			const file = pictureIn(event.clipboardData);
			if (!file) return;
			event.preventDefault();
			take(file);
		};
		document.addEventListener("paste", paste);
		return () => document.removeEventListener("paste", paste);
	}, [deviceId]);
	return [choice, take, () => setChoice({})];
}

/** An app that was rendered is no change that the server tells of: but its panel has the picture. */
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

interface ChosenDeviceProps {
	device: Device;
	devices: Devices;
	tab: string;
}

function ChosenDevice({ device, devices, tab }: ChosenDeviceProps): JSX.Element {
	const [choice, take, forget] = useChoice(device.id);
	const rotation = useResource(
		() => get("/web/devices/{deviceId}/rotation", {}, { deviceId: device.id }),
		[`rotation:${device.id}`, `device:${device.id}`],
	);
	useRendered(device, rotation);
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
			<DropTarget onFile={take}>
				<DevicePanel device={device} entries={rotation.value.value?.entries} line="clock" />
			</DropTarget>
			<Tabs
				label="Parts of this device"
				tabs={[
					{ to: place, words: "Rotation" },
					{ to: `${place}/push`, words: "Push" },
					{ to: `${place}/settings`, words: "Settings" },
					{ to: `${place}/connect`, words: "Connect" },
				]}
			/>
			{tab === "" && <Rotation device={device} rotation={rotation} />}
			{tab === "push" && (
				<DropTarget onFile={take}>
					<Push
						device={device}
						chosen={choice.chosen}
						fault={choice.fault}
						onFile={take}
						onDone={forget}
					/>
				</DropTarget>
			)}
			{tab === "settings" && <Settings device={device} onDevice={update} />}
			{tab === "connect" && (
				<Connect device={device} onDevice={update} onRemoved={() => void devices.refresh()} />
			)}
		</div>
	);
}

function NoDevice(): JSX.Element {
	return (
		<div class="stack">
			<Heading title="There is no such device" />
			<Empty title="It was removed, or it is not yours.">
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
	useWatch([id ?? "", ...(list ?? []).map((device) => device.id)].slice(0, WATCHED_MAX));
	if (!list) return problem ? <p class="notice bad">{problem.message}</p> : null;
	const device = list.find((other) => other.id === id);
	if (!device) return <NoDevice />;
	return (
		<div class="device-page">
			<DeviceList devices={list} />
			<ChosenDevice device={device} devices={devices} tab={tab} />
		</div>
	);
}
