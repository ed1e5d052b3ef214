import "../style/guide.css";

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { patch, type Schemas } from "../api/client";
import { panelNews } from "../api/live";
import { Button } from "../components/button";
import { Choice } from "../components/choice";
import { Secret } from "../components/secret";
import { guideOf } from "../flash/boards";
import { lazily } from "../frame/lazy";
import { base, setGuard } from "../frame/place";
import { formatAddress, formatTold, parseDeviceUrl, siteOf } from "../panel/address";
import { isBoard, isWide, PANEL_NAMES } from "./boards";
import { handOver } from "./new_link";
import { Arrival, OwnProgram, PortalSteps } from "./portal";
import { useSaver } from "./saver";
import type { Device, DeviceUpdate } from "./store";

type DeviceLink = Schemas["DeviceLink"];

const QrCode = lazily(async () => (await import("../components/qr")).QrCode);

/** End of the URL that the panel connects to, for users who check it. */
export function addressEnd(device: Device): string {
	return `/d/${device.id}/ws`;
}

function Unreachable(): JSX.Element {
	return (
		<p class="notice bad">
			Panels cannot reach these addresses: only programs on the server can. Ask the operator to
			start displayd with <code class="option">--listen 0.0.0.0:8080</code>,{" "}
			<code class="option">--public-url http://ADDRESS:8080</code> and{" "}
			<code class="option">--plain-http-sign-in on</code>.
		</p>
	);
}

interface WayProps {
	device: Device;
	link: DeviceLink;
	/** Name of the panel's kind (PANEL_NAMES). */
	panel: string;
}

/** Returns the URL of a page that another machine opens. Its fragment is not sent to the server. */
function elsewhere(link: DeviceLink, page: string): string {
	const site = link.reach.isLoopbackOnly ? base : (siteOf(link.webSocketUrl) ?? base);
	return new URL(page, site).href;
}

interface CodeProps {
	url: string;
	label: string;
	children: string;
	isForPhone?: boolean;
}

/** A QR code, which is a link as well. */
function Code({ url, label, children, isForPhone }: CodeProps): JSX.Element {
	return (
		<div class={`link-code ${isForPhone ? "is-for-phone" : ""}`}>
			<a class="qr-link" href={url} target="_blank" rel="noreferrer">
				<QrCode text={url} label={label} />
			</a>
			<p class="quiet">{children}</p>
		</div>
	);
}

/** The link to the page that flashes a board; it takes the address along. */
function FlashStep({ device, link, panel }: WayProps): JSX.Element {
	return (
		<>
			<p>
				Does it run firmware for this server already? If not, put it on the board now. That sets its
				Wi-Fi and its address, too: nothing else is left to do then.
			</p>
			<p>
				<a
					class="button"
					href={`devices/${device.id}/flash`}
					data-page
					onClick={() => {
						setGuard(undefined);
						handOver({ device: { ...device, board: panel as Device["board"] }, link });
					}}
				>
					Flash it by a USB cable
				</a>
			</p>
		</>
	);
}

function BoardWay(props: WayProps): JSX.Element {
	const { link, panel } = props;
	if (guideOf(panel).steps.length === 0)
		return <OwnProgram board={panel} address={link.webSocketUrl} />;
	const address = parseDeviceUrl(link.webSocketUrl);
	return (
		<>
			{link.reach.isLoopbackOnly && <Unreachable />}
			<div class="link-columns">
				<PortalSteps address={link.webSocketUrl} first={<FlashStep {...props} />} />
				{address && (
					<Code
						url={elsewhere(link, `connect#${formatTold({ board: panel, address })}`)}
						label="This guide as a QR code"
						isForPhone
					>
						Scan it with the phone that opens the setup page: it shows these steps, with the address
						to copy.
					</Code>
				)}
			</div>
			<details>
				<summary>If the firmware does not support WebSocket</summary>
				<div class="stack">
					<p>Enter this address instead; the panel then polls:</p>
					<Secret text={link.pollingUrl} what="the polling address" />
				</div>
			</details>
		</>
	);
}

/** This browser, or a spare tablet, as the panel: the address goes along in the fragment. */
function BrowserWay({ link }: WayProps): JSX.Element {
	const address = parseDeviceUrl(link.webSocketUrl);
	const page = address ? `panel#${formatAddress(address)}` : "panel";
	return (
		<div class="link-columns">
			<div class="stack">
				<p>
					A browser tab or a spare tablet is a panel, too: it shows what this device shows as long
					as the page is open.
				</p>
				<p>
					<a class="button primary" href={page} target="_blank">
						Use this browser as a panel
					</a>
				</p>
			</div>
			<Code url={elsewhere(link, page)} label="The panel in the browser as a QR code">
				For a tablet's camera
			</Code>
		</div>
	);
}

function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

function TerminalWay({ link }: WayProps): JSX.Element {
	return (
		<>
			<p>
				Run this where displayctl is installed, in a terminal of at least 64 columns. It draws the
				panel there. The command contains the panel's key, which is shown only once.
			</p>
			<Secret text={`displayctl panel --url ${quoted(link.webSocketUrl)}`} what="the command" />
		</>
	);
}

function Way(props: WayProps): JSX.Element {
	if (props.panel === "browser") return <BrowserWay {...props} />;
	if (props.panel === "terminal") return <TerminalWay {...props} />;
	return <BoardWay {...props} />;
}

/** Asks before the page is left, while that would lose an address. */
export function useAddressGuard(isOn: boolean): void {
	useEffect(() => {
		if (!isOn) return undefined;
		setGuard({
			title: "Leave without the address?",
			text: "The address is shown only once. Without it, the panel needs a new key.",
			action: "Leave",
		});
		return () => setGuard(undefined);
	}, [isOn]);
}

/** Stores a board, and the number of pixels that its panels have. */
async function keepBoard(device: Device, board: string): Promise<void> {
	const size = isWide(board) ? "128x64" : "64x32";
	const change = { board, size } as DeviceUpdate;
	await patch("/web/devices/{deviceId}", change, { deviceId: device.id });
}

interface LinkCardProps {
	device: Device;
	link: DeviceLink;
	onDone: () => void;
}

/** Guides from a device's key, which is shown only once, to a panel that shows its first picture. */
export function LinkCard({ device, link, onDone }: LinkCardProps): JSX.Element {
	useAddressGuard(true);
	const [panel, setPanel] = useState<string>(device.board ?? "");
	const saver = useSaver("board", (board: string) => keepBoard(device, board));
	const isOnline = panelNews(device.id).value?.isOnline === true;
	const choose = (next: string) => {
		setPanel(next);
		if (isBoard(next)) saver.save(next);
	};
	return (
		<div class="link-card stack">
			<div class="panel-kinds">
				<Choice
					label="Which panel is it?"
					value={panel}
					options={PANEL_NAMES}
					onChange={choose}
					said={saver.said}
					fault={saver.fault}
					isBoxed
				/>
			</div>
			{panel !== "" && (
				<>
					<Way device={device} link={link} panel={panel} />
					<Arrival device={device} />
					<div class="row">
						<Button
							kind={isOnline ? "primary" : "plain"}
							onClick={() => {
								setGuard(undefined);
								onDone();
							}}
						>
							{isOnline ? "Done" : panel === "browser" ? "Connect it later" : "I have copied it"}
						</Button>
					</div>
				</>
			)}
		</div>
	);
}
