/** State of a panel, from the server's stream. */
export interface PanelNews {
	deviceId: string;
	isOnline: boolean;
	lastOnline: string;
	connection: "webSocket" | "polling" | null;
	/** False: the picture was sent, but the panel does not report when it shows it. */
	isAcknowledged: boolean;
	/** Name of the displayed picture; null: unknown. */
	picture: string | null;
	since: string | null;
	kind: PictureKind;
	installationId: string | null;
	until: string | null;
	/** 0 to 100, as it was sent. */
	brightness: number | null;
	next: {
		picture: string | null;
		kind: PictureKind;
		installationId: string | null;
	} | null;
}

export type PictureKind =
	| "rotation"
	| "push"
	| "temporary"
	| "nothing"
	| "asleep"
	| "dark"
	| "night"
	| "pinned"
	| "unknown";

export type News =
	| { event: "panel"; data: PanelNews }
	/** A resource must be requested again. */
	| { event: "changed"; topic: string }
	/** The session has ended. */
	| { event: "bye" }
	/** The server has lost its database, or has it again. */
	| { event: "away" }
	| { event: "back" };

/** Parses an event; undefined: it is unknown to this page. */
export function parseNews(event: string, text: string): News | undefined {
	switch (event) {
		case "panel":
			return { event, data: JSON.parse(text) as PanelNews };
		case "changed":
			return { event, topic: (JSON.parse(text) as { topic: string }).topic };
		case "bye":
		case "away":
		case "back":
			return { event };
		default:
			return undefined;
	}
}
