import { Leader, type LeaderEvents, type LeaderMeans } from "./leader";
import type { News } from "./news";

/** Message between the tabs of a browser. */
export type Word =
	| { says: "wants"; tab: string; ids: string[] }
	| { says: "gone"; tab: string }
	/** Question of a new leader, which does not know the wanted devices. */
	| { says: "who" }
	/** A tab is visible again. */
	| { says: "wake" }
	| { says: "news"; news: News }
	| { says: "up"; isUp: boolean; isResumed: boolean };

export interface MemberMeans extends LeaderMeans {
	/** Unique ID of this tab. */
	tab: string;
	/** Sends a message to all other tabs. */
	say(word: Word): void;
	/** Calls back when this tab becomes the leader; the result ends that. */
	lead(call: () => void): () => void;
}

/** Interval at which a tab reports that it still exists (see Wants). */
const ALIVE_MS = 30_000;

/** A tab's share in the one stream of the browser; it leads if necessary. */
export class Member {
	private leader: Leader | undefined;
	private readonly stopLeading: () => void;
	private stopWaiting: (() => void) | undefined;
	private ids: readonly string[] = [];
	private isUp = false;

	constructor(
		private readonly means: MemberMeans,
		private readonly events: LeaderEvents,
	) {
		this.stopLeading = means.lead(() => this.lead());
		this.want([]);
	}

	/** Sets the devices that this tab shows. */
	want(ids: readonly string[]): void {
		this.ids = ids;
		this.stopWaiting?.();
		if (this.leader) this.leader.want(this.means.tab, ids);
		else this.means.say({ says: "wants", tab: this.means.tab, ids: [...ids] });
		this.stopWaiting = this.means.later(() => this.want(this.ids), ALIVE_MS);
	}

	hear(word: Word): void {
		switch (word.says) {
			case "wants":
				this.welcome(word.tab, word.ids);
				break;
			case "gone":
				this.leader?.drop(word.tab);
				break;
			case "who":
				if (!this.leader) this.want(this.ids);
				break;
			case "wake":
				this.leader?.wake();
				break;
			case "news":
				if (!this.leader) this.events.onNews(word.news);
				break;
			case "up":
				if (!this.leader) this.turn(word.isUp, word.isResumed);
				break;
		}
	}

	wake(): void {
		if (this.leader) this.leader.wake();
		else this.means.say({ says: "wake" });
	}

	close(): void {
		this.stopWaiting?.();
		this.leader?.close();
		this.means.say({ says: "gone", tab: this.means.tab });
		this.stopLeading();
	}

	private welcome(tab: string, ids: string[]): void {
		if (!this.leader) return;
		this.leader.want(tab, ids);
		this.means.say({ says: "up", isUp: this.isUp, isResumed: false });
	}

	private turn(isUp: boolean, isResumed: boolean): void {
		if (isUp === this.isUp && !isResumed) return;
		this.isUp = isUp;
		this.events.onUp(isUp, isResumed);
	}

	private lead(): void {
		// News since the end of the previous leader was missed: report a resumed stream.
		let wasLed = this.isUp;
		this.leader = new Leader(this.means, {
			onNews: (news) => {
				this.means.say({ says: "news", news });
				this.events.onNews(news);
			},
			onUp: (isUp, isResumed) => {
				this.means.say({ says: "up", isUp, isResumed: isResumed || wasLed });
				this.turn(isUp, isResumed || wasLed);
				wasLed = false;
			},
		});
		this.means.say({ says: "who" });
		this.want(this.ids);
	}
}
