import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../components/button";
import { Field } from "../components/field";
import { Panel } from "../components/panel";
import { base, takeFragment } from "../frame/place";
import { Heading } from "../frame/page";
import { formatAddress, parseAddress, parseDeviceUrl, type PanelAddress } from "../panel/address";
import { Link, type LinkState } from "../panel/link";
import morning from "../pictures/morning.webp";

const STORED = "displayd.panel";

/** The tab's own panel first: two tabs may be two panels. */
function storedAddress(): PanelAddress | undefined {
	const text = sessionStorage.getItem(STORED) ?? localStorage.getItem(STORED);
	return text === null ? undefined : parseAddress(text);
}

function store(address: PanelAddress | undefined): void {
	for (const storage of [sessionStorage, localStorage]) {
		if (address) storage.setItem(STORED, formatAddress(address));
		else storage.removeItem(STORED);
	}
}

const WORDS: Record<LinkState, string> = {
	connecting: "Connecting",
	connected: "Connected",
	away: "Reconnecting",
	unknown: "The server does not know this panel. The key was changed, or the device was removed.",
};

/** Keeps the screen on while the panel is shown, if the browser can. */
function useWakeLock(): void {
	useEffect(() => {
		let lock: WakeLockSentinel | undefined;
		const request = () => {
			if (document.visibilityState !== "visible" || !("wakeLock" in navigator)) return;
			navigator.wakeLock.request("screen").then(
				(granted) => (lock = granted),
				() => undefined,
			);
		};
		request();
		document.addEventListener("visibilitychange", request);
		return () => {
			document.removeEventListener("visibilitychange", request);
			void lock?.release();
		};
	}, []);
}

/** Hides the controls when the pointer has not moved for a while. */
function useIdle(afterMs: number): boolean {
	const [isIdle, setIdle] = useState(false);
	useEffect(() => {
		let timer = 0;
		const wake = () => {
			setIdle(false);
			clearTimeout(timer);
			timer = window.setTimeout(() => setIdle(true), afterMs);
		};
		const kinds = ["pointermove", "pointerdown", "keydown", "focusin"];
		wake();
		for (const kind of kinds) addEventListener(kind, wake);
		return () => {
			clearTimeout(timer);
			for (const kind of kinds) removeEventListener(kind, wake);
		};
	}, [afterMs]);
	return isIdle;
}

function toggleFullScreen(): void {
	if (document.fullscreenElement) void document.exitFullscreen();
	else void document.documentElement.requestFullscreen();
}

function Stage({
	address,
	onForget,
}: {
	address: PanelAddress;
	onForget: () => void;
}): JSX.Element {
	const [state, setState] = useState<LinkState>("connecting");
	const [picture, setPicture] = useState<string>();
	const [brightness, setBrightness] = useState(100);
	const isIdle = useIdle(4_000);
	useWakeLock();
	useEffect(() => {
		const link = new Link(base, address, {
			onState: setState,
			onPicture: setPicture,
			onBrightness: setBrightness,
		});
		return () => link.close();
	}, [address]);
	const isConnected = state === "connected";
	return (
		<main class="stage" data-idle={isIdle && isConnected} onDblClick={toggleFullScreen}>
			<Heading title="Panel" isHidden />
			<Panel
				picture={picture}
				brightness={brightness}
				state={brightness === 0 ? "asleep" : "on"}
				label="The picture on this panel"
				says={picture === undefined && !isConnected ? WORDS[state] : undefined}
			/>
			<div class="stage-controls row">
				<span class="quiet" role="status">
					{WORDS[state]}
				</span>
				{document.fullscreenEnabled && <Button onClick={toggleFullScreen}>Full screen</Button>}
				<Button onClick={onForget}>Use another panel</Button>
			</div>
		</main>
	);
}

function Start({ onAddress }: { onAddress: (address: PanelAddress) => void }): JSX.Element {
	const [url, setUrl] = useState("");
	const [fault, setFault] = useState<string>();
	const submit = (event: Event) => {
		event.preventDefault();
		const address = parseDeviceUrl(url);
		if (address) onAddress(address);
		else
			setFault(
				"This is not a device address. A device address looks like ws://.../d/.../ws?key=...",
			);
	};
	return (
		<main class="narrow stack wide">
			<Panel picture={morning} label="A panel that shows the time and the weather" />
			<form class="stack" onSubmit={submit} noValidate>
				<Heading title="A panel in the browser" />
				<p>
					Use an old tablet or a browser tab as a panel. Paste an address that you got with the
					device. The key stays in this browser.
				</p>
				<Field
					label="Device address"
					name="url"
					type="url"
					value={url}
					onInput={setUrl}
					fault={fault}
					isRequired
					isVerbatim
				/>
				<div class="row">
					<Button kind="primary" type="submit">
						Start panel
					</Button>
				</div>
			</form>
		</main>
	);
}

/** /panel#DEVICE/KEY: a page that is a panel. */
export function PanelPage(): JSX.Element {
	const [address, setAddress] = useState<PanelAddress | undefined>(() => {
		const given = parseAddress(takeFragment());
		if (given) store(given);
		return given ?? storedAddress();
	});
	const change = (next: PanelAddress | undefined) => {
		store(next);
		setAddress(next);
	};
	return address ? (
		<Stage address={address} onForget={() => change(undefined)} />
	) : (
		<Start onAddress={change} />
	);
}
