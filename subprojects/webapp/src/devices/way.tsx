import type { JSX } from "preact";
import { panelNews } from "../api/live";
import { Check } from "../components/check";
import { Choice } from "../components/choice";
import { Field } from "../components/field";
import { Select } from "../components/select";
import type { Device } from "./store";

/** Times in seconds for which a push is shown, with labels. */
const TIMES: readonly (readonly [seconds: number, words: string])[] = [
	[5, "5 seconds"],
	[15, "15 seconds"],
	[30, "30 seconds"],
	[60, "a minute"],
	[120, "2 minutes"],
	[300, "5 minutes"],
	[900, "15 minutes"],
	[1800, "30 minutes"],
	[3600, "an hour"],
	[7200, "2 hours"],
	[14400, "4 hours"],
	[28800, "8 hours"],
	[86400, "a day"],
];

/** Seconds; "once": as long as a text takes; "held": until a user ends it. */
type Duration = number | "once" | "held";

/** Lifetimes of an entry in seconds, with labels; 0: it stays. */
const ENDS: readonly (readonly [seconds: number, words: string])[] = [
	[0, "never"],
	[3600, "after an hour"],
	[86400, "after a day"],
	[7 * 86400, "after a week"],
	[30 * 86400, "after 30 days"],
];

function optionsOf(
	choices: readonly (readonly [number, string])[],
): { value: string; words: string }[] {
	return choices.map(([seconds, words]) => ({ value: String(seconds), words }));
}

/** Choices for showing a picture or a text. */
export interface Way {
	kind: "temporary" | "rotation";
	duration: Duration;
	name: string;
	isQuiet: boolean;
	/** Seconds after which the entry is removed; 0: it stays. */
	expiresIn: number;
	/** Whether it is shown although the panel sleeps. */
	isWaking: boolean;
}

/** Returns what is chosen at first. */
export function newWay(duration: Duration, name: string): Way {
	return { kind: "temporary", duration, name, isQuiet: false, expiresIn: 0, isWaking: false };
}

/** Returns the members of a push of it, other than the picture or text. */
export function bodyOf(way: Way): {
	installationId?: string;
	expiresIn?: number;
	showFor?: number;
	hold?: boolean;
	wake: boolean;
} {
	const wake = way.isWaking && !(way.kind === "rotation" && way.isQuiet);
	if (way.kind === "rotation")
		return {
			installationId: way.name,
			wake,
			...(way.expiresIn > 0 && { expiresIn: way.expiresIn }),
		};
	if (way.duration === "held") return { wake, hold: true };
	return way.duration === "once" ? { wake } : { wake, showFor: way.duration };
}

interface WayProps {
	device: Device;
	what: "picture" | "text";
	way: Way;
	onWay: (way: Way) => void;
	/** Names of existing entries. */
	taken: readonly string[];
	fault: string | undefined;
}

interface PartProps extends WayProps {
	change: (part: Partial<Way>) => void;
}

function DurationField({ what, way, change }: PartProps): JSX.Element {
	return (
		<Select
			label="Duration"
			value={String(way.duration)}
			onChange={(value) =>
				change({ duration: value === "held" || value === "once" ? value : Number(value) })
			}
			options={[
				...(what === "text" ? [{ value: "once", words: "once, as long as it scrolls" }] : []),
				...optionsOf(TIMES),
				{ value: "held", words: "until you end it" },
			]}
		/>
	);
}

/** When an entry is removed by itself. */
export function EndField(props: { value: number; onChange: (value: number) => void }): JSX.Element {
	return (
		<Select
			label="Remove it"
			value={String(props.value)}
			onChange={(value) => props.onChange(Number(value))}
			options={optionsOf(ENDS)}
		/>
	);
}

function EntryFields({ what, way, taken, fault, change }: PartProps): JSX.Element {
	return (
		<>
			<Field
				label="Name"
				name="installationId"
				value={way.name}
				onInput={(name) => change({ name })}
				help={
					taken.includes(way.name)
						? "Replaces the picture of the entry with this name."
						: "Name of the new entry."
				}
				fault={fault}
				maxLength={64}
				isRequired
			/>
			{what === "picture" && (
				<Check
					label="Do not interrupt the current picture"
					isOn={way.isQuiet}
					onChange={(isQuiet) => change({ isQuiet })}
				/>
			)}
			<EndField value={way.expiresIn} onChange={(expiresIn) => change({ expiresIn })} />
		</>
	);
}

/** Asks where, how long, and whether it is shown on a panel that sleeps. */
export function WayFields(props: WayProps): JSX.Element {
	const { device, way, onWay } = props;
	const change = (part: Partial<Way>) => onWay({ ...way, ...part });
	const isAsleep = panelNews(device.id).value?.kind === "asleep";
	return (
		<div class="stack">
			<Choice
				label="Where to show it"
				isLabelRead
				isBoxed
				value={way.kind}
				onChange={(kind) => change({ kind })}
				options={[
					{ value: "temporary", words: "For a while", about: "Then back to the rotation" },
					{ value: "rotation", words: "Keep in the rotation", about: "Until you remove it" },
				]}
			/>
			{way.kind === "temporary" ? (
				<DurationField {...props} change={change} />
			) : (
				<EntryFields {...props} change={change} />
			)}
			{!(way.kind === "rotation" && way.isQuiet) && (
				<Check
					label={isAsleep ? "Wake it: the panel sleeps now" : "Show it even if the panel sleeps"}
					isOn={way.isWaking}
					onChange={(isWaking) => change({ isWaking })}
				/>
			)}
		</div>
	);
}
