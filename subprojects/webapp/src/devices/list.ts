import type { PanelNews } from "../stream/news";
import { boardWords } from "./boards";
import type { Device } from "./store";

export const ORDERS = {
	added: "Order of adding",
	name: "Name",
	state: "State",
	seen: "Last seen",
	brightness: "Brightness",
} as const;
export type Order = keyof typeof ORDERS;

export const GROUPS = {
	none: "No groups",
	state: "State",
	board: "Board",
	zone: "Time zone",
} as const;
export type Grouping = keyof typeof GROUPS;

/** A device with what its panel does now. */
export interface Line {
	device: Device;
	news: PanelNews | undefined;
}

/** What needs attention comes first. */
const STATES = ["Disabled", "Not connected yet", "Offline", "Asleep", "On"] as const;
export type State = (typeof STATES)[number];

export function stateOf({ device, news }: Line): State {
	if (device.isDisabled) return "Disabled";
	if (news?.isOnline) return news.kind === "asleep" || news.kind === "night" ? "Asleep" : "On";
	return device.connectedAt === null ? "Not connected yet" : "Offline";
}

function byName(one: Line, other: Line): number {
	return one.device.name.localeCompare(other.device.name, undefined, { numeric: true });
}

const COMPARISONS: Record<Exclude<Order, "added">, (one: Line, other: Line) => number> = {
	name: byName,
	state: (one, other) => STATES.indexOf(stateOf(one)) - STATES.indexOf(stateOf(other)),
	seen: (one, other) => (other.news?.lastOnline ?? "").localeCompare(one.news?.lastOnline ?? ""),
	brightness: (one, other) => other.device.brightness - one.device.brightness,
};

/** Sorts the lines; those that are equal, by name. */
export function sorted(lines: readonly Line[], order: Order): Line[] {
	if (order === "added") return [...lines];
	const compare = COMPARISONS[order];
	return [...lines].sort((one, other) => compare(one, other) || byName(one, other));
}

function groupOf(line: Line, grouping: Exclude<Grouping, "none">): string {
	const { device } = line;
	if (grouping === "state") return stateOf(line);
	if (grouping === "board")
		return device.board === null ? "No board chosen" : boardWords(device.board);
	return device.timezone;
}

/** The lines in groups, in the order of their titles; without groups one has the title "". */
export function grouped(lines: readonly Line[], grouping: Grouping): [title: string, Line[]][] {
	if (grouping === "none") return [["", [...lines]]];
	const groups = new Map<string, Line[]>();
	for (const line of lines) {
		const title = groupOf(line, grouping);
		groups.set(title, [...(groups.get(title) ?? []), line]);
	}
	const rank = (title: string) => STATES.indexOf(title as State);
	return [...groups].sort(([one], [other]) => rank(one) - rank(other) || one.localeCompare(other));
}
