import { signal } from "@preact/signals";

/** Time without changes before a picture is requested. */
const REST_MS = 300;

/**
 * Requests a preview of the last wish: after a pause in changes, one request at a time. The last
 * answer stays until the next one arrives.
 */
export class Previewer<Wish, Answer> {
	readonly answer = signal<Answer | undefined>(undefined);
	/** Why there is no answer to the last wish. */
	readonly error = signal<unknown>(undefined);
	readonly isBusy = signal(false);
	private wish: { what: Wish } | undefined;
	private timer: ReturnType<typeof setTimeout> | undefined;
	private isAsking = false;
	private isOver = false;

	constructor(
		private readonly ask: (wish: Wish) => Promise<Answer>,
		private readonly restMs = REST_MS,
	) {}

	/** isAtOnce: without waiting for a pause in changes. */
	want(what: Wish, isAtOnce = false): void {
		this.wish = { what };
		this.isBusy.value = true;
		clearTimeout(this.timer);
		this.timer = setTimeout(() => void this.run(), isAtOnce ? 0 : this.restMs);
	}

	end(): void {
		this.isOver = true;
		clearTimeout(this.timer);
	}

	private settle(answer: Answer): void {
		if (!this.isOver) this.answer.value = answer;
		this.error.value = undefined;
	}

	private async run(): Promise<void> {
		if (this.isAsking) return; // it continues with the new wish by itself
		this.isAsking = true;
		while (this.wish && !this.isOver) {
			const { what } = this.wish;
			this.wish = undefined;
			try {
				const answer = await this.ask(what);
				this.settle(answer);
			} catch (error) {
				this.error.value = error;
			}
		}
		this.isAsking = false;
		this.isBusy.value = false;
	}
}
