import { readAnimation } from "./webp";

/**
 * Plays a panel's two pictures as the firmware does: one is displayed, one is queued. Time is
 * passed in as a number. The time of a picture is its dwell; an animation is never cut at it, so
 * its time ends with the first loop that ends at or after the dwell. `immediate` shows the queued
 * picture now.
 */
export interface PlayerEvents {
	/** Called when a queued picture is displayed. */
	onDisplaying(picture: Queued): void;
}

export interface Queued {
	bytes: Uint8Array;
	dwellMs: number;
	/** Counts on the panel, from 1. */
	number: number;
}

interface Displayed extends Queued {
	loopMs: number;
	/** Time at which the present period began. */
	periodMs: number;
}

const DWELL_MAX_S = 3600;

export class Player {
	private count = 0;
	private queued: Queued | undefined;
	private displayed: Displayed | undefined;

	constructor(private readonly events: PlayerEvents) {}

	/** Queues a picture in place of the queued one. Returns its number. */
	queue(bytes: Uint8Array, dwellS: number): number {
		this.count += 1;
		const dwellMs = Math.min(Math.max(dwellS, 1), DWELL_MAX_S) * 1000;
		this.queued = { bytes, dwellMs, number: this.count };
		return this.count;
	}

	/** Handles `immediate`. Does nothing if no picture is queued. */
	interrupt(nowMs: number): void {
		if (this.queued) this.take(this.queued, nowMs);
	}

	/** Does what is due; call it at the time that nextMs() returns. */
	advance(nowMs: number): void {
		const { displayed, queued } = this;
		if (!displayed) {
			if (queued) this.take(queued, nowMs);
			return;
		}
		if (nowMs < this.endMs(displayed)) return;
		if (queued) this.take(queued, nowMs);
		else displayed.periodMs = nowMs;
	}

	/** Returns the time at which something is due next; Infinity: not before a picture is queued. */
	nextMs(): number {
		if (this.displayed) return this.endMs(this.displayed);
		return this.queued ? 0 : Infinity;
	}

	private endMs(displayed: Displayed): number {
		const { loopMs, dwellMs, periodMs } = displayed;
		return periodMs + (loopMs > 0 ? Math.ceil(dwellMs / loopMs) * loopMs : dwellMs);
	}

	private take(picture: Queued, nowMs: number): void {
		const loopMs = readAnimation(picture.bytes)?.durationMs ?? 0;
		this.queued = undefined;
		this.displayed = { ...picture, loopMs, periodMs: nowMs };
		this.events.onDisplaying(picture);
	}
}
