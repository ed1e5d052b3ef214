import type { PanelAddress } from "./address";
import { parseMessage } from "./message";
import { Player } from "./player";
import { withEndlessLoop } from "./webp";

export type LinkState = "connecting" | "connected" | "away" | "unknown";

export interface LinkEvents {
	onState(state: LinkState): void;
	onPicture(url: string): void;
	onBrightness(brightness: number): void;
}

const DWELL_DEFAULT_S = 15;
const WAIT_FIRST_MS = 1_000;
const WAIT_MAX_MS = 30_000;

/** The URL of the device link below the page's own site. */
export function linkUrl(base: URL, address: PanelAddress, what: "ws" | "next"): URL {
	const url = new URL(`d/${encodeURIComponent(address.device)}/${what}`, base);
	url.searchParams.set("key", address.key);
	if (what === "ws") url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
	return url;
}

/** A panel's connection to the server: receives, plays, acknowledges, and reconnects by itself. */
export class Link {
	private socket: WebSocket | undefined;
	private timer: number | undefined;
	private retry: number | undefined;
	private waitMs = WAIT_FIRST_MS;
	private dwellS = DWELL_DEFAULT_S;
	private shown: string | undefined;
	private isClosed = false;
	private readonly player = new Player({
		onDisplaying: ({ bytes, number }) => {
			this.show(bytes);
			this.say({ displaying: number });
		},
	});

	constructor(
		private readonly base: URL,
		private readonly address: PanelAddress,
		private readonly events: LinkEvents,
	) {
		addEventListener("online", this.connect);
		this.connect();
	}

	close(): void {
		this.isClosed = true;
		removeEventListener("online", this.connect);
		clearTimeout(this.timer);
		clearTimeout(this.retry);
		this.socket?.close();
		if (this.shown !== undefined) URL.revokeObjectURL(this.shown);
	}

	private readonly connect = (): void => {
		if (this.isClosed || (this.socket && this.socket.readyState <= WebSocket.OPEN)) return;
		clearTimeout(this.retry);
		const socket = new WebSocket(linkUrl(this.base, this.address, "ws"));
		this.socket = socket;
		this.events.onState("connecting");
		socket.binaryType = "arraybuffer";
		socket.onopen = () => this.introduce();
		socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => this.receive(data);
		socket.onclose = () => void this.lose();
	};

	private introduce(): void {
		this.waitMs = WAIT_FIRST_MS;
		this.dwellS = DWELL_DEFAULT_S;
		this.events.onState("connected");
		this.say({
			client_info: {
				firmware_version: "1.0.0",
				firmware_type: "browser",
				protocol_version: 1,
			},
		});
	}

	/** A browser does not report why a WebSocket failed; a request of the polling URL does. */
	private async lose(): Promise<void> {
		if (this.isClosed) return;
		const state = await this.reason();
		this.again(state);
	}

	private async reason(): Promise<LinkState> {
		try {
			const url = linkUrl(this.base, this.address, "next");
			const answer = await fetch(url, { method: "HEAD", credentials: "omit" });
			return answer.status === 404 ? "unknown" : "away";
		} catch {
			return "away"; // the server is unreachable, too
		}
	}

	private again(state: LinkState): void {
		if (this.isClosed) return;
		this.events.onState(state);
		this.retry = window.setTimeout(this.connect, this.waitMs * (0.75 + Math.random() / 2));
		this.waitMs = Math.min(this.waitMs * 2, WAIT_MAX_MS);
	}

	private receive(data: string | ArrayBuffer): void {
		if (typeof data !== "string") {
			this.say({ queued: this.player.queue(new Uint8Array(data), this.dwellS) });
		} else {
			const message = parseMessage(data);
			if (message?.dwellS !== undefined) this.dwellS = message.dwellS;
			if (message?.brightness !== undefined) this.events.onBrightness(message.brightness);
			if (message?.immediate) this.player.interrupt(performance.now());
		}
		this.play();
	}

	private readonly play = (): void => {
		const nowMs = performance.now();
		clearTimeout(this.timer);
		this.player.advance(nowMs);
		const nextMs = this.player.nextMs();
		if (nextMs < Infinity) this.timer = window.setTimeout(this.play, Math.max(0, nextMs - nowMs));
	};

	private show(bytes: Uint8Array): void {
		const before = this.shown;
		this.shown = URL.createObjectURL(new Blob([withEndlessLoop(bytes)], { type: "image/webp" }));
		this.events.onPicture(this.shown);
		// The old picture is needed until the new one is drawn.
		if (before !== undefined) setTimeout(() => URL.revokeObjectURL(before), 1_000);
	}

	private say(what: object): void {
		if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(what));
	}
}
