import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Problem } from "../api/client";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { Fault } from "../components/fault";
import { Field } from "../components/field";
import { Select } from "../components/select";
import { clockOf, readTime, writeTime, type PlanTime, type PlanWindow } from "./plan";
import { shortDay, WEEKDAYS } from "./schedule";
import type { Entry } from "./store";
import { nameOfEntry } from "./words";

type Filter = NonNullable<PlanWindow["colorFilter"]>;

const FILTERS: readonly Filter[] = [
	"none",
	"dimmed",
	"redshift",
	"warm",
	"sunset",
	"sepia",
	"vintage",
	"dusk",
	"cool",
	"bw",
	"ice",
	"moonlight",
	"neon",
	"pastel",
];
const UNCHANGED = { value: "", words: "Unchanged" };
const KINDS = [
	{ value: "clock", words: "At a time" },
	{ value: "sunrise", words: "At sunrise" },
	{ value: "sunset", words: "At sunset" },
];

interface TimeProps {
	label: string;
	value: string;
	onChange: (value: string) => void;
	fault: string | undefined;
}

function TimeField({ label, value, onChange, fault }: TimeProps): JSX.Element {
	const time = readTime(value);
	const [text, setText] = useState(
		time.kind === "clock" ? clockOf(time.minute) : String(time.minute),
	);
	const choose = (kind: PlanTime["kind"]) => {
		const minute = kind === "clock" ? 1_320 : 0;
		setText(kind === "clock" ? clockOf(minute) : "0");
		onChange(writeTime({ kind, minute }));
	};
	const type = (next: string) => {
		setText(next);
		if (time.kind === "clock") onChange(next === "" ? value : next);
		else onChange(writeTime({ kind: time.kind, minute: Math.trunc(Number(next)) || 0 }));
	};
	return (
		<div class="pair">
			<Select
				label={label}
				value={time.kind}
				options={KINDS}
				onChange={(kind) => choose(kind as PlanTime["kind"])}
				fault={fault}
			/>
			<Field
				label={time.kind === "clock" ? `${label}: time` : `${label}: minutes after it`}
				name={label}
				type={time.kind === "clock" ? "time" : "number"}
				value={text}
				onInput={type}
				{...(time.kind === "clock" ? {} : { help: "Before it: below 0." })}
			/>
		</div>
	);
}

/** undefined: no longer there. */
type Change = { [Member in keyof PlanWindow]?: PlanWindow[Member] | undefined };

function changed(window: PlanWindow, change: Change): PlanWindow {
	const members = Object.entries({ ...window, ...change });
	return Object.fromEntries(
		members.filter(([, value]) => value !== undefined),
	) as unknown as PlanWindow;
}

interface PartProps {
	window: PlanWindow;
	set: (change: Change) => void;
	fault: (member: string) => string | undefined;
}

function Days({ window, set, fault }: PartProps): JSX.Element {
	const days = window.weekdays ?? [];
	return (
		<fieldset class="field">
			<legend class="field-head">Days</legend>
			<div class="weekdays">
				{WEEKDAYS.map((day) => (
					<button
						key={day}
						type="button"
						class="weekday"
						aria-pressed={days.includes(day)}
						onClick={() =>
							set({
								weekdays: WEEKDAYS.filter((other) => days.includes(other) !== (other === day)),
							})
						}
					>
						{shortDay(day)}
					</button>
				))}
			</div>
			<Fault label="Days" fault={fault("weekdays")} />
		</fieldset>
	);
}

function numberOf(text: string): number | undefined {
	return text === "" ? undefined : Number(text);
}

function Numbers({ window, set, fault }: PartProps): JSX.Element {
	return (
		<div class="pair">
			<Field
				label="Brightness, percent"
				name="brightness"
				type="number"
				value={window.brightness === undefined ? "" : String(window.brightness)}
				onInput={(text) => set({ brightness: numberOf(text) })}
				fault={fault("brightness")}
				help="Empty: unchanged."
			/>
			<Field
				label="Seconds per entry"
				name="interval"
				type="number"
				value={window.interval === undefined ? "" : String(window.interval)}
				onInput={(text) => set({ interval: numberOf(text) })}
				fault={fault("interval")}
				help="Empty: unchanged."
			/>
		</div>
	);
}

/** Fields of a window: an empty one changes nothing. */
function Effects({
	window,
	set,
	fault,
	entries,
}: PartProps & { entries: readonly Entry[] }): JSX.Element {
	return (
		<>
			<Select
				label="Light"
				value={window.dark === undefined ? "" : String(window.dark)}
				options={[
					UNCHANGED,
					{ value: "true", words: "Dark" },
					{ value: "false", words: "Not dark by an earlier window" },
				]}
				onChange={(value) => set({ dark: value === "" ? undefined : value === "true" })}
				fault={fault("dark")}
			/>
			<Numbers window={window} set={set} fault={fault} />
			<Select
				label="Colours"
				value={window.colorFilter ?? ""}
				options={[
					UNCHANGED,
					...FILTERS.map((value) => ({ value, words: value === "none" ? "as they are" : value })),
				]}
				onChange={(value) => set({ colorFilter: value === "" ? undefined : (value as Filter) })}
				fault={fault("colorFilter")}
			/>
			<Select
				label="Show only"
				value={window.installationId ?? ""}
				options={[
					UNCHANGED,
					...entries.map((entry) => ({ value: entry.installationId, words: nameOfEntry(entry) })),
				]}
				onChange={(value) => set({ installationId: value === "" ? undefined : value })}
				fault={fault("installationId")}
			/>
		</>
	);
}

interface WindowDialogProps {
	window: PlanWindow;
	/** Its index in the plan. */
	index: number;
	entries: readonly Entry[];
	/** Throws a Problem. */
	onSave: (window: PlanWindow) => Promise<void>;
	onClose: () => void;
}

/** Edits a window of a plan. */
export function WindowDialog(props: WindowDialogProps): JSX.Element {
	const [window, setWindow] = useState(props.window);
	const [problem, setProblem] = useState<Problem>();
	const [isBusy, setIsBusy] = useState(false);
	const place = `windows/${props.index}`;
	const fault = (member: string) => problem?.faults.get(`${place}/${member}`);
	const set = (change: Change) => setWindow((now) => changed(now, change));
	const save = async () => {
		setIsBusy(true);
		try {
			await props.onSave(window);
			props.onClose();
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			setProblem(error);
		}
		setIsBusy(false);
	};
	const all = [...(problem?.faults.keys() ?? [])];
	const isElsewhere = problem && !all.some((key) => key.startsWith(`${place}/`));
	return (
		<Dialog title="Window of the plan" onClose={props.onClose}>
			<Days window={window} set={set} fault={fault} />
			<TimeField
				label="From"
				value={window.from}
				onChange={(from) => set({ from })}
				fault={fault("from")}
			/>
			<TimeField
				label="Until"
				value={window.to}
				onChange={(to) => set({ to })}
				fault={fault("to")}
			/>
			<Effects window={window} set={set} fault={fault} entries={props.entries} />
			<Fault
				label="The window"
				fault={isElsewhere ? (problem.faults.get(place) ?? problem.message) : undefined}
			/>
			<div class="row">
				<Button kind="primary" isBusy={isBusy} onClick={() => void save()}>
					Save
				</Button>
				<Button onClick={props.onClose}>Cancel</Button>
			</div>
		</Dialog>
	);
}
