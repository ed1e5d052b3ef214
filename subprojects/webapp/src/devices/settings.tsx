import plainSettings from "plain-settings";
import type { ComponentChildren, JSX } from "preact";
import { patch } from "../api/client";
import { Button } from "../components/button";
import { Check } from "../components/check";
import { Choice } from "../components/choice";
import { Fault } from "../components/fault";
import { Field } from "../components/field";
import { Select } from "../components/select";
import { Slider } from "../components/slider";
import { Timezone } from "../components/timezone";
import { BOARD_NAMES, isWide } from "./boards";
import { languages } from "./languages";
import { LeaderSetting } from "./leader_setting";
import { Note } from "./note";
import { PlaceSetting } from "./place_setting";
import { PlanSetting } from "./plan_setting";
import { PlainSettings } from "./plain";
import { useSaver, useUnsaved, type Saver } from "./saver";
import type { Device, DeviceUpdate, Entry } from "./store";

interface SettingsProps {
	device: Device;
	onDevice: (device: Device) => void;
}

async function saveDevice({ device, onDevice }: SettingsProps, body: DeviceUpdate): Promise<void> {
	onDevice(await patch("/web/devices/{deviceId}", body, { deviceId: device.id }));
}

type Name = keyof DeviceUpdate;
/** Saves one setting whenever it changes, and shows beside it "Saved" or the fault. */
function useSetting(name: Name, props: SettingsProps): Saver<DeviceUpdate[Name]> {
	return useSaver(name, (value: DeviceUpdate[Name]) => saveDevice(props, { [name]: value }));
}

interface TextProps extends SettingsProps {
	name: "name" | "sleepStart" | "sleepEnd" | "scheduleInterval" | "dimStart";
	label: string;
	value: string | number;
	type?: "text" | "time" | "number";
	help?: string;
	maxLength?: number;
}

/** Saved on leaving the field. */
function TextSetting({ name, value, type = "text", ...props }: TextProps): JSX.Element {
	const saver = useSetting(name, props);
	const [text, setText, sent] = useUnsaved(saver.said, String(value));
	const leave = () => {
		if (text === undefined) return;
		if (text === String(value)) {
			setText(undefined);
			saver.keep();
			return;
		}
		sent.current = text;
		saver.save(type === "number" && text !== "" ? Number(text) : text);
	};
	return (
		<Field
			label={props.label}
			name={name}
			type={type}
			value={text ?? String(value)}
			onInput={setText}
			onLeave={leave}
			fault={saver.fault}
			said={saver.said}
			{...(props.help === undefined ? {} : { help: props.help })}
			{...(props.maxLength === undefined ? {} : { maxLength: props.maxLength })}
		/>
	);
}

interface SliderSettingProps extends SettingsProps {
	name: "brightness" | "volume" | "dimBrightness";
	label: string;
	help: string;
}

function SliderSetting({ name, label, help, ...props }: SliderSettingProps): JSX.Element {
	const { save, said, fault, chosen } = useSetting(name, props);
	const value = typeof chosen === "number" ? chosen : props.device[name];
	return (
		<Slider label={label} value={value} onInput={save} help={help} said={said} fault={fault} />
	);
}

interface CheckSettingProps extends SettingsProps {
	name: "autoDim" | "sleepEnabled" | "dimEnabled" | "allowsOwnKey";
	label: string;
	value: boolean;
}

function CheckSetting({ name, label, value, ...props }: CheckSettingProps): JSX.Element {
	const { save, said, fault, chosen } = useSetting(name, props);
	return (
		<div class="field">
			<div class="field-head">
				<Check label={label} isOn={typeof chosen === "boolean" ? chosen : value} onChange={save} />
				<span class="said" role="status">
					{said}
				</span>
			</div>
			<Fault label={label} fault={fault} />
		</div>
	);
}

function TimezoneSetting(props: SettingsProps): JSX.Element {
	const { save, said, fault, chosen } = useSetting("timezone", props);
	const value = typeof chosen === "string" ? chosen : props.device.timezone;
	return <Timezone value={value} onChoose={save} said={said} fault={fault} />;
}

function DevicePlace(props: SettingsProps): JSX.Element {
	const { place, timezone } = props.device;
	return (
		<PlaceSetting
			stored={place}
			timezone={timezone}
			saver={useSetting("place", props)}
			zoneSaver={useSetting("timezone", props)}
		/>
	);
}

function LanguageSetting(props: SettingsProps): JSX.Element {
	const { save, said, fault, chosen } = useSetting("locale", props);
	const value = typeof chosen === "string" ? chosen : props.device.locale;
	return (
		<Select
			label="Language"
			value={value}
			options={languages(value)}
			onChange={save}
			said={said}
			fault={fault}
			help="For apps that support several languages."
		/>
	);
}

function BoardNameSetting(props: SettingsProps): JSX.Element {
	const { save, said, fault, chosen } = useSetting("board", props);
	const value = typeof chosen === "string" ? chosen : props.device.board;
	return (
		<Select
			label="Board"
			value={value ?? ""}
			options={value ? BOARD_NAMES : [{ value: "", words: "Not chosen" }, ...BOARD_NAMES]}
			onChange={save}
			said={said}
			fault={fault}
			help="Panels do not report their board."
		/>
	);
}

const SIZES = [
	{ value: "64x32", words: "64x32" },
	{ value: "128x64", words: "128x64" },
];

function SizeSetting(props: SettingsProps): JSX.Element {
	const { save, said, fault, chosen } = useSetting("size", props);
	const { board, size } = props.device;
	const proposed = isWide(board) ? "128x64" : "64x32";
	const differs = board !== null && board !== "other" && proposed !== size;
	return (
		<div class="stack">
			<Select
				label="Pixels"
				value={typeof chosen === "string" ? chosen : size}
				options={SIZES}
				onChange={save}
				said={said}
				fault={fault}
				help="Apps that support 128x64 are drawn for it. All other pictures are doubled."
			/>
			{differs && (
				<div class="row">
					<span class="quiet">Panels of this board usually have {proposed}.</span>
					<Button onClick={() => save(proposed)}>Use {proposed}</Button>
				</div>
			)}
		</div>
	);
}

function NoteSetting(props: SettingsProps): JSX.Element {
	return <Note stored={props.device.note} saver={useSetting("note", props)} />;
}

type Limit = Device["pictureLimitBytes"];

/** Described by their effect: users know their panel's board by whether long animations work. */
const BOARDS: readonly { value: `${Limit}`; words: string; about: string }[] = [
	{ value: "460000", words: "Large", about: "450 KB per picture: most panels" },
	{ value: "220000", words: "Medium", about: "215 KB per picture" },
	{ value: "60000", words: "Small", about: "59 KB per picture: boards with little memory" },
];

function BoardSetting(props: SettingsProps): JSX.Element {
	const { save, said, fault, chosen } = useSetting("pictureLimitBytes", props);
	const value = typeof chosen === "number" ? chosen : props.device.pictureLimitBytes;
	return (
		<Choice
			label="Memory per picture"
			value={`${value}`}
			options={BOARDS}
			onChange={(next) => save(Number(next))}
			said={said}
			fault={fault}
			help="Choose a smaller size if long animations do not show. They are then cut to fit."
			isBoxed
		/>
	);
}

function Group({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
	return (
		<fieldset class="stack group">
			<legend>{title}</legend>
			{children}
		</fieldset>
	);
}

/** Windows of the plan that are settings of the device. */
function Night(props: SettingsProps): JSX.Element {
	const { device } = props;
	return (
		<>
			<CheckSetting
				{...props}
				name="sleepEnabled"
				value={device.sleep.enabled}
				label="Sleep at night"
			/>
			<div class="pair">
				<TextSetting
					{...props}
					name="sleepStart"
					label="From"
					type="time"
					value={device.sleep.start}
				/>
				<TextSetting
					{...props}
					name="sleepEnd"
					label="Until"
					type="time"
					value={device.sleep.end}
				/>
			</div>
			<p class="quiet">Pictures pushed meanwhile wait until the panel wakes.</p>
			<CheckSetting
				{...props}
				name="autoDim"
				value={device.autoDim}
				label="Dim to 30 % from 21:00 to 07:00"
			/>
			<CheckSetting
				{...props}
				name="dimEnabled"
				value={device.dimEnabled}
				label="Dim before sleep, until the end of the night"
			/>
			<TextSetting
				{...props}
				name="dimStart"
				label="Dim from"
				type="time"
				value={device.dimStart}
			/>
			<SliderSetting
				{...props}
				name="dimBrightness"
				label="Maximum brightness while dimmed"
				help="0 is dark."
			/>
		</>
	);
}

/** All settings of a device; each applies as it is changed. */
export function Settings({
	entries,
	...props
}: SettingsProps & { entries: readonly Entry[] }): JSX.Element {
	const { device } = props;
	return (
		<div class="settings">
			<Group title="Light and sound">
				<SliderSetting {...props} name="brightness" label="Brightness" help="0 is dark." />
				<SliderSetting {...props} name="volume" label="Volume" help="For panels with a speaker." />
			</Group>
			<Group title="Device">
				<TextSetting {...props} name="name" label="Name" value={device.name} maxLength={25} />
				<NoteSetting {...props} />
				<LeaderSetting device={device} />
				<TimezoneSetting {...props} />
				<DevicePlace {...props} />
				<BoardNameSetting {...props} />
				<SizeSetting {...props} />
				<TextSetting
					{...props}
					name="scheduleInterval"
					label="Seconds per entry"
					type="number"
					value={device.scheduleInterval}
					help="How long each entry of the rotation is shown: 15 or more."
				/>
			</Group>
			<Group title="Programs">
				<CheckSetting
					{...props}
					name="allowsOwnKey"
					value={device.allowsOwnKey}
					label="Programs may push, list and remove entries with the key of this device's address (API /v0)"
				/>
			</Group>
			<Group title="Apps">
				<LanguageSetting {...props} />
				<BoardSetting {...props} />
			</Group>
			<Group title="Plan">
				<PlanSetting device={device} entries={entries}>
					<Night {...props} />
				</PlanSetting>
			</Group>
			{plainSettings.DeviceUpdate.length > 0 && (
				<Group title="More settings">
					<PlainSettings
						settings={plainSettings.DeviceUpdate}
						values={device}
						send={(body) => saveDevice(props, body)}
					/>
				</Group>
			)}
		</div>
	);
}
