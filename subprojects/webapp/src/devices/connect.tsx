import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, post, Problem, remove, type Schemas } from "../api/client";
import { panelNews } from "../api/live";
import { Button } from "../components/button";
import { confirm } from "../components/dialog";
import { isolated } from "../components/isolated";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { go } from "../frame/place";
import { FirmwareSettings } from "./firmware";
import { addressEnd, LinkCard } from "./link_card";
import { renewKey } from "./new_link";
import type { Device } from "./store";

interface ConnectProps {
	device: Device;
	onDevice: (device: Device) => void;
	onRemoved: () => void;
}

async function attempt(what: () => Promise<void>): Promise<void> {
	try {
		await what();
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		toast(error.message);
	}
}

/** Checks to make if a panel has never connected. */
function NeverConnected({
	device,
	onLink,
}: {
	device: Device;
	onLink: (made: Schemas["NewDevice"]) => void;
}): JSX.Element {
	const renew = async () => {
		const made = await renewKey(device);
		if (made) onLink(made);
	};
	return (
		<div class="notice stack">
			<p>This panel has never connected. Check that:</p>
			<ul class="bullets">
				<li>
					The panel is on, and its network reaches this server. Panels use 2.4 GHz Wi-Fi only.
				</li>
				<li>
					The address on its setup page ends in <code>{addressEnd(device)}?key=…</code>, or in{" "}
					<code>/next?key=…</code> if it polls.
				</li>
				<li>The address is complete: firmware cuts it after 128 characters.</li>
				<li>The panel was restarted after you saved the address.</li>
			</ul>
			<p>If you no longer have the address, a new key leads through all steps again.</p>
			<div class="row">
				<Button onClick={() => void attempt(renew)}>Show the steps with a new key</Button>
			</div>
		</div>
	);
}

function signalWords(dbm: number | null): string | null {
	if (dbm === null) return null;
	const word = dbm >= -60 ? "strong" : dbm >= -72 ? "good" : "weak";
	return `${dbm} dBm, ${word}`;
}

type Fact = [title: string, value: ComponentChildren];

function facts(device: Device, connection: string): Fact[] {
	const { panel } = device;
	const told: [string, string | number | null | undefined][] = [
		["Hardware address", device.macAddress],
		["Serial number", device.serialNumber],
		["Firmware", [panel?.firmwareType, panel?.firmwareVersion].filter(Boolean).join(" ")],
		["Protocol", panel?.protocolVersion],
		["Host name", panel?.hostname],
		["Wi-Fi", panel?.ssid],
		["Wi-Fi signal", panel ? signalWords(panel.wifiSignal) : null],
	];
	return [
		["Connection", connection],
		...(device.connectedAt === null
			? []
			: [["First connected", <When key="first" at={device.connectedAt} />] satisfies Fact]),
		...told.filter(([, value]) => value !== null && value !== undefined && value !== ""),
		...(panel ? [["Last report", <When key="told" at={panel.toldAt} />] satisfies Fact] : []),
	];
}

function connectionWords(device: Device): string {
	const news = panelNews(device.id).value;
	if (device.isDisabled) return "Refused: the device is disabled";
	if (!news?.isOnline) return "Not connected";
	if (news.connection === "polling") return "Polling";
	return news.isAcknowledged ? "WebSocket" : "WebSocket, does not confirm pictures";
}

function Facts({ device }: { device: Device }): JSX.Element {
	return (
		<dl class="panel-facts">
			{facts(device, connectionWords(device)).map(([title, value]) => (
				<div key={title}>
					<dt>{title}</dt>
					<dd>{value}</dd>
				</div>
			))}
		</dl>
	);
}

function Act(props: {
	title: string;
	about: string;
	action: string;
	isDanger?: boolean;
	onClick: () => Promise<void>;
}): JSX.Element {
	return (
		<div class="act">
			<div>
				<p class="act-title">{props.title}</p>
				<p class="quiet">{props.about}</p>
			</div>
			<Button
				kind={props.isDanger ? "danger" : "plain"}
				onClick={() => void attempt(props.onClick)}
			>
				{props.action}
			</Button>
		</div>
	);
}

/** Interval at which the page checks whether the panel has moved to its new address. */
const MOVING_MS = 2_000;

/** The former address of a device that was imported. */
function Alias({ device, onDevice }: ConnectProps): JSX.Element | null {
	const place = { deviceId: device.id };
	useEffect(() => {
		if (!device.isMoving) return undefined;
		const look = () => {
			get("/web/devices/{deviceId}", {}, place).then(onDevice, (error: unknown) => {
				if (!(error instanceof Problem)) throw error;
			});
		};
		const timer = setInterval(look, MOVING_MS);
		return () => clearInterval(timer);
	}, [device.id, device.isMoving]);
	if (device.alias === null) return null;
	const move = async () => {
		await post("/web/devices/{deviceId}/move-address", undefined, place);
		onDevice({ ...device, isMoving: true });
		toast(`${isolated(device.name)} will restart with its own address`);
	};
	const end = async () => {
		const isSure = await confirm({
			title: `Remove the former address of ${isolated(device.name)}?`,
			text: "A panel that still uses it is refused at once. It stays dark until you enter its own address.",
			action: "Remove",
		});
		if (!isSure) return;
		await remove("/web/devices/{deviceId}/alias", place);
		onDevice({ ...device, alias: null, isMoving: false });
		toast("Former address removed");
	};
	return (
		<>
			<p class="notice">
				{device.isMoving
					? "The panel was sent its own address. Once it connects there, the former address is removed."
					: "The panel may still use the address of its former server: "}
				{!device.isMoving && <code>/{device.alias}/</code>}
				{!device.isMoving &&
					". It is a short secret: anyone who knows it can see the pictures of this device, but nothing else."}
			</p>
			<Act
				title="Own address"
				about="Sends the panel an address with its own key and restarts it. The former address is removed when the panel connects. Needs firmware 1.4.8 or newer."
				action="Move to own address"
				onClick={move}
			/>
			<Act
				title="Former address"
				about="For when no panel needs it any more."
				action="Remove the former address"
				isDanger
				onClick={end}
			/>
		</>
	);
}

function Restart({ device }: { device: Device }): JSX.Element {
	const reboot = async () => {
		await post("/web/devices/{deviceId}/reboot", undefined, { deviceId: device.id });
		toast(`${isolated(device.name)} will restart`);
	};
	return (
		<Act
			title="Restart"
			about="Restarts the panel. A panel that polls restarts at its next poll."
			action="Restart the panel"
			onClick={reboot}
		/>
	);
}

function NewBoard({ device }: { device: Device }): JSX.Element {
	return (
		<div class="act">
			<div>
				<p class="act-title">New board</p>
				<p class="quiet">
					Puts firmware with your Wi-Fi and this device's address on a board, by a USB cable.
				</p>
			</div>
			<a class="button" href={`devices/${device.id}/flash`} data-page>
				Flash a board
			</a>
		</div>
	);
}

/** Buttons: former address, restart, new key, disable, remove. */
function Acts(props: ConnectProps & { onLink: (made: Schemas["NewDevice"]) => void }): JSX.Element {
	const { device } = props;
	const place = { deviceId: device.id };
	const renew = async () => {
		const made = await renewKey(device);
		if (made) props.onLink(made);
	};
	const toggle = async () => {
		const path = device.isDisabled
			? ("/web/devices/{deviceId}/enable" as const)
			: ("/web/devices/{deviceId}/disable" as const);
		props.onDevice(await post(path, undefined, place));
	};
	const removeDevice = async () => {
		const isSure = await confirm({
			title: `Remove ${isolated(device.name)}?`,
			text: "This also removes its rotation and its key. This cannot be undone.",
			action: "Remove",
		});
		if (!isSure) return;
		await remove("/web/devices/{deviceId}", place);
		props.onRemoved();
		toast(`${isolated(device.name)} removed`);
		go("devices");
	};
	return (
		<div class="acts">
			<Alias {...props} />
			<Restart device={device} />
			<NewBoard device={device} />
			<Act
				title="New key"
				about="For when the address is lost, or someone else knows it."
				action="Create a new key"
				onClick={renew}
			/>
			<Act
				title={device.isDisabled ? "Enable" : "Disable"}
				about={
					device.isDisabled
						? "Lets the panel connect again, with its present key."
						: "Refuses the panel until you enable the device again. Keeps the rotation."
				}
				action={device.isDisabled ? "Enable the device" : "Disable the device"}
				onClick={toggle}
			/>
			<Act
				title="Remove"
				about="Removes the device, its rotation and its key."
				action="Remove the device"
				isDanger
				onClick={removeDevice}
			/>
		</div>
	);
}

/** Shows how the panel reaches the server, and what it reported about itself. */
export function Connect(props: ConnectProps): JSX.Element {
	const { device } = props;
	const [made, setMade] = useState<Schemas["NewDevice"]>();
	const isOnline = panelNews(device.id).value?.isOnline === true;
	if (made) return <LinkCard {...made} onDone={() => setMade(undefined)} />;
	return (
		<div class="stack wide">
			{device.connectedAt === null && !isOnline && !device.isDisabled && (
				<NeverConnected device={device} onLink={setMade} />
			)}
			<Facts device={device} />
			<FirmwareSettings device={device} />
			<Acts {...props} onLink={setMade} />
		</div>
	);
}
