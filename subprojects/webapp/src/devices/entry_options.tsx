import plainSettings from "plain-settings";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { patch, type Schemas } from "../api/client";
import { Check } from "../components/check";
import { Fault } from "../components/fault";
import { Field } from "../components/field";
import { EntryPlace } from "./entry_place";
import { Note } from "./note";
import { PlainSettings } from "./plain";
import { RecurrenceOption } from "./recurrence_option";
import { useSaver, useUnsaved, type Saver } from "./saver";
import { shortDay, WEEKDAYS, type Weekday } from "./schedule";
import type { Device, Entry, RotationResource } from "./store";

type EntryChange = Schemas["EntryChange"];
type Name = keyof EntryChange;
type Hours = NonNullable<Entry["hours"]>;

interface OptionProps {
	device: Device;
	entry: Entry;
	rotation: RotationResource;
}

const SECONDS_MIN = 5;
const SECONDS_MAX = 86_400;
const USUAL_HOURS: Hours = { start: "07:00", end: "22:00" };

async function saveEntry(props: OptionProps, body: EntryChange): Promise<void> {
	const { device, entry, rotation } = props;
	const place = { deviceId: device.id, installationId: entry.installationId };
	await patch("/web/devices/{deviceId}/rotation/{installationId}", body, place);
	await rotation.refresh();
}

function useOption<N extends Name>(name: N, props: OptionProps): Saver<Entry[N]> {
	return useSaver(name, (value: Entry[N]) => saveEntry(props, { [name]: value }));
}

interface SwitchProps extends OptionProps {
	name: "isEnabled" | "isPinned";
	label: string;
}

function Switch({ name, label, ...props }: SwitchProps): JSX.Element {
	const { save, said, fault, chosen } = useOption(name, props);
	return (
		<div class="field">
			<div class="field-head">
				<Check label={label} isOn={chosen ?? props.entry[name]} onChange={save} />
				<span class="said" role="status">
					{said}
				</span>
			</div>
			<Fault label={label} fault={fault} />
		</div>
	);
}

/** Empty: the name of its app, or its ID. */
function NameOption(props: OptionProps): JSX.Element {
	const { entry } = props;
	const saver = useOption("name", props);
	const stored = entry.name ?? "";
	const [text, setText, sent] = useUnsaved(saver.said, stored);
	const leave = () => {
		const name = text?.trim();
		if (name === undefined) return;
		sent.current = text;
		if (name !== stored) saver.save(name === "" ? null : name);
		else {
			setText(undefined);
			saver.keep();
		}
	};
	return (
		<Field
			label="Name"
			name="name"
			value={text ?? stored}
			onInput={setText}
			onLeave={leave}
			help={`Default: ${entry.appName ?? entry.installationId}.`}
			fault={saver.fault}
			said={saver.said}
			maxLength={64}
		/>
	);
}

function NoteOption(props: OptionProps): JSX.Element {
	return <Note stored={props.entry.note} saver={useOption("note", props)} />;
}

/** Empty: the device's display time. */
function DisplayTime(props: OptionProps): JSX.Element {
	const { device, entry } = props;
	const saver = useOption("displaySeconds", props);
	const stored = entry.displaySeconds === null ? "" : String(entry.displaySeconds);
	const [text, setText, sent] = useUnsaved(saver.said, stored);
	const leave = () => {
		if (text === undefined) return;
		const seconds = Number(text);
		sent.current = text;
		if (text === stored) {
			setText(undefined);
			saver.keep();
		} else if (text === "") saver.save(null);
		else if (!Number.isInteger(seconds) || seconds < SECONDS_MIN || seconds > SECONDS_MAX) {
			saver.refuse("Enter 5 to 86400 seconds, or leave it empty.");
			return;
		} else saver.save(seconds);
		saver.refuse(undefined);
	};
	return (
		<Field
			label="Seconds on the panel"
			name="displaySeconds"
			type="number"
			value={text ?? stored}
			onInput={setText}
			onLeave={leave}
			help={`Default: ${device.scheduleInterval}, as set for the device.`}
			fault={saver.fault}
			said={saver.said}
		/>
	);
}

interface ClockProps {
	label: string;
	value: string;
	onChange: (value: string) => void;
}

/** Calls onChange when the field is left with a valid time. */
function ClockField({ label, value, onChange }: ClockProps): JSX.Element {
	const [text, setText] = useState<string>();
	const leave = () => {
		if (text !== undefined && text !== "" && text !== value) onChange(text);
		setText(undefined);
	};
	return (
		<Field
			label={label}
			name={label}
			type="time"
			value={text ?? value}
			onInput={setText}
			onLeave={leave}
		/>
	);
}

function HoursOption(props: OptionProps): JSX.Element {
	const { save, said, fault, chosen } = useOption("hours", props);
	const hours = chosen === undefined ? props.entry.hours : chosen;
	return (
		<div class="field">
			<div class="field-head">
				<Check
					label="Only at certain hours"
					isOn={hours !== null}
					onChange={(isOn) => save(isOn ? USUAL_HOURS : null)}
				/>
				<span class="said" role="status">
					{said}
				</span>
			</div>
			{hours && (
				<div class="pair">
					<ClockField
						label="From"
						value={hours.start}
						onChange={(start) => save({ ...hours, start })}
					/>
					<ClockField label="Until" value={hours.end} onChange={(end) => save({ ...hours, end })} />
				</div>
			)}
			<Fault label="Hours" fault={fault} />
		</div>
	);
}

function WeekdaysOption(props: OptionProps): JSX.Element {
	const { save, said, fault, refuse, chosen } = useOption("weekdays", props);
	const days: readonly Weekday[] = chosen ?? props.entry.weekdays;
	const toggle = (day: Weekday) => {
		const next = WEEKDAYS.filter((other) => days.includes(other) !== (other === day));
		refuse(
			next.length === 0 ? "Choose at least one day. To hide the entry, switch it off." : undefined,
		);
		if (next.length > 0) save(next);
	};
	return (
		<fieldset class="field">
			<legend class="field-head">
				Days
				<span class="said" role="status">
					{said}
				</span>
			</legend>
			<div class="weekdays">
				{WEEKDAYS.map((day) => (
					<button
						key={day}
						type="button"
						class="weekday"
						aria-pressed={days.includes(day)}
						onClick={() => toggle(day)}
					>
						{shortDay(day)}
					</button>
				))}
			</div>
			<Fault label="Days" fault={fault} isAlert />
		</fieldset>
	);
}

/** Options for when and for how long an entry is shown; each applies as it is changed. */
export function EntryOptions(props: OptionProps & { id: string; name: string }): JSX.Element {
	const { device, entry, id, name } = props;
	const ruleSaver = useOption("recurrenceRule", props);
	const startSaver = useOption("recurrenceStart", props);
	return (
		<div class="entry-options" id={id} role="group" aria-label={`When ${name} is shown`}>
			<div class="entry-switches">
				<Switch {...props} name="isEnabled" label="In the rotation" />
				<Switch {...props} name="isPinned" label="Pinned: show only this" />
			</div>
			<HoursOption {...props} />
			<WeekdaysOption {...props} />
			<RecurrenceOption
				rule={entry.recurrenceRule}
				start={entry.recurrenceStart}
				ruleSaver={ruleSaver}
				startSaver={startSaver}
			/>
			<NameOption {...props} />
			<DisplayTime {...props} />
			<NoteOption {...props} />
			<EntryPlace {...props} />
			<PlainSettings
				settings={plainSettings.EntryChange}
				values={entry}
				send={(body) => saveEntry(props, body)}
			/>
			<p class="quiet entry-zone">Hours and days are in the time zone {device.timezone}.</p>
		</div>
	);
}
