import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Schemas } from "../api/client";
import { panelNews, useWatch } from "../api/live";
import { Button } from "../components/button";
import { QrCode } from "../components/qr";
import { Secret } from "../components/secret";
import { base, setGuard } from "../frame/place";
import { formatAddress, parseDeviceUrl } from "../panel/address";
import { handOver } from "./new_link";
import type { Device } from "./store";

type DeviceLink = Schemas["DeviceLink"];

/** End of the URL that the panel connects to, for users who check it. */
export function addressEnd(device: Device): string {
	return `/d/${device.id}/ws`;
}

export function Step({ children }: { children: JSX.Element | JSX.Element[] }): JSX.Element {
	return <li class="stack">{children}</li>;
}

/** Shows a tick when the panel connects. */
export function Arrival({ isOnline }: { isOnline: boolean }): JSX.Element {
	return (
		<p class={`arrival ${isOnline ? "is-here" : ""}`} role="status">
			<svg viewBox="0 0 24 24" aria-hidden="true">
				<circle cx="12" cy="12" r="10" />
				<path d="M7 12.5l3.4 3.4L17 9" />
			</svg>
			{isOnline ? "Your panel is connected." : "Waiting for your panel to connect."}
		</p>
	);
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

/** How the address is entered on the setup page of a panel; undefined: it is not known here. */
export function PortalSteps({
	device,
	address,
}: {
	device: Device;
	address: string | undefined;
}): JSX.Element {
	const isOnline = panelNews(device.id).value?.isOnline === true;
	return (
		<ol class="steps">
			<Step>
				<p>
					Open the setup page of your panel. A new or reset panel opens a Wi-Fi network,{" "}
					<code>TRON-CONFIG</code>: join it with a phone or a computer and open{" "}
					<code>http://10.10.0.1</code>.
				</p>
			</Step>
			<Step>
				<p>
					Choose your 2.4 GHz Wi-Fi there, and enter {address === undefined ? "the" : "this"}{" "}
					address as the Image URL. It contains the panel's key and is shown only once.
				</p>
				{address === undefined ? <></> : <Secret text={address} what="the address" />}
			</Step>
			<Step>
				<p>Press “Save and Connect” and wait for the panel to restart.</p>
				<Arrival isOnline={isOnline} />
			</Step>
		</ol>
	);
}

/** This browser, or a spare tablet, as the panel: the address goes along in the fragment, which is not
 * sent to the server. */
function BrowserPanel({ link }: { link: DeviceLink }): JSX.Element {
	const address = parseDeviceUrl(link.webSocketUrl);
	const page = address ? `panel#${formatAddress(address)}` : "panel";
	return (
		<details>
			<summary>No panel at hand</summary>
			<div class="link-columns">
				<div class="stack">
					<p>
						A browser tab or a spare tablet is a panel, too: it shows what this device shows as long
						as the page is open.
					</p>
					<p>
						<a class="button" href={page} target="_blank">
							Use this browser as a panel
						</a>
					</p>
				</div>
				<div class="link-code">
					<QrCode text={new URL(page, base).href} label="The panel in the browser as a QR code" />
					<p class="quiet">For a tablet's camera</p>
				</div>
			</div>
		</details>
	);
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

interface LinkCardProps {
	device: Device;
	link: DeviceLink;
	onDone: () => void;
}

/** Shows a device's key, which is shown only once: its URLs, what to do with them, and a tick when
 * the panel is connected. */
export function LinkCard({ device, link, onDone }: LinkCardProps): JSX.Element {
	useAddressGuard(true);
	useWatch([device.id]);
	const isOnline = panelNews(device.id).value?.isOnline === true;
	return (
		<div class="link-card stack">
			{link.reach.isLoopbackOnly && <Unreachable />}
			<div class="link-columns">
				<PortalSteps device={device} address={link.webSocketUrl} />
				<div class="link-code is-for-phone">
					<QrCode text={link.webSocketUrl} label="The address as a QR code" />
					<p class="quiet">Scan it with the phone that opens the setup page</p>
				</div>
			</div>
			<details>
				<summary>If the firmware does not support WebSocket</summary>
				<div class="stack">
					<p>Enter this address instead; the panel then polls:</p>
					<Secret text={link.pollingUrl} what="the polling address" />
				</div>
			</details>
			<p>
				A new board without firmware?{" "}
				<a
					href={`devices/${device.id}/flash`}
					data-page
					onClick={() => {
						setGuard(undefined);
						handOver({ device, link });
					}}
				>
					Flash it by a USB cable
				</a>
			</p>
			<BrowserPanel link={link} />
			<div class="row">
				<Button
					kind="primary"
					onClick={() => {
						setGuard(undefined);
						onDone();
					}}
				>
					{isOnline ? "Done" : "I have copied it"}
				</Button>
			</div>
		</div>
	);
}
