/** Interval at which a moving slider is sent. */
const REST_MS = 100;

/**
 * Sends values one after the other, at most ten a second, skipping values that are outdated by
 * then. The last value is always sent.
 */
export class Latest<T> {
	private waiting: { value: T } | undefined;
	private isSending = false;

	constructor(
		private readonly send: (value: T) => Promise<void>,
		private readonly rest: (ms: number) => Promise<void> = (ms) =>
			new Promise((resolve) => setTimeout(resolve, ms)),
	) {}

	offer(value: T): void {
		this.waiting = { value };
		if (!this.isSending) void this.run();
	}

	private async run(): Promise<void> {
		this.isSending = true;
		while (this.waiting) {
			const { value } = this.waiting;
			this.waiting = undefined;
			await Promise.all([this.send(value), this.rest(REST_MS)]);
		}
		this.isSending = false;
	}
}
