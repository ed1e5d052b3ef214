import type { ComponentChildren, JSX } from "preact";
import { panelNews, useWatch } from "../api/live";
import { isolated } from "../components/isolated";
import { Secret } from "../components/secret";
import { boardWords } from "./boards";
import { DevicePanel } from "./device_panel";
import type { Device } from "./store";

export function Step({ children }: { children: ComponentChildren }): JSX.Element {
	return <li class="stack">{children}</li>;
}

/** Tick of something that is waited for. */
export function Tick({ isHere, children }: { isHere: boolean; children: string }): JSX.Element {
	return (
		<p class={`arrival ${isHere ? "is-here" : ""}`} role="status">
			<svg viewBox="0 0 24 24" aria-hidden="true">
				<circle cx="12" cy="12" r="10" />
				<path d="M7 12.5l3.4 3.4L17 9" />
			</svg>
			{children}
		</p>
	);
}

/** Waits for the panel of a device, and shows it with its picture once it is connected. */
export function Arrival({ device }: { device: Device }): JSX.Element {
	useWatch([device.id]);
	const isOnline = panelNews(device.id).value?.isOnline === true;
	return (
		<div class="stack">
			<Tick isHere={isOnline}>
				{isOnline ? `${isolated(device.name)} is here.` : "Waiting for your panel to connect."}
			</Tick>
			{isOnline && (
				<div class="arrived-panel">
					<DevicePanel device={device} />
				</div>
			)}
		</div>
	);
}

interface PortalStepsProps {
	/** undefined: it is not known here. */
	address: string | undefined;
	/** A step before these. */
	first?: JSX.Element;
}

/** How the address is entered on the setup page of a panel. */
export function PortalSteps({ address, first }: PortalStepsProps): JSX.Element {
	return (
		<ol class="steps">
			{first && <Step>{first}</Step>}
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
				{address !== undefined && <Secret text={address} what="the address" />}
			</Step>
			<Step>
				<p>Press “Save and Connect” and wait for the panel to restart.</p>
			</Step>
		</ol>
	);
}

/** A board that runs no firmware of ours. */
export function OwnProgram({ board, address }: { board: string; address?: string }): JSX.Element {
	return (
		<>
			<p class="notice">
				A {boardWords(board)} runs a program in place of this firmware. Give that program the
				address of the device.
			</p>
			{address !== undefined && <Secret text={address} what="the address" />}
		</>
	);
}
