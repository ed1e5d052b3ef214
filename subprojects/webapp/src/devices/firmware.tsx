import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, patch, Problem, type Schemas } from "../api/client";
import { Check } from "../components/check";
import { Fault } from "../components/fault";
import { Field } from "../components/field";
import { Select } from "../components/select";
import { useSaver, useUnsaved } from "./saver";
import type { Device } from "./store";
import { isUnderWay, Update } from "./update";

type Firmware = Schemas["Firmware"];
type Wish = Schemas["FirmwareUpdate"];

interface Props {
	device: Device;
	firmware: Firmware;
	onFirmware: (firmware: Firmware) => void;
}

type FlagName =
	| "swapColors"
	| "skipDisplayVersion"
	| "skipBootAnimation"
	| "apMode"
	| "preferIPv6"
	| "disableTouch";

const FLAGS: readonly [FlagName, string][] = [
	["swapColors", "Swap green and blue"],
	["skipDisplayVersion", "Start without showing the version"],
	["skipBootAnimation", "Start without an animation"],
	["apMode", "Open a Wi-Fi network for setup if it finds none"],
	["preferIPv6", "Prefer IPv6"],
	["disableTouch", "Ignore the touch button"],
];

type TextName = "hostname" | "syslogAddr" | "sntpServer";

const TEXTS: readonly [TextName, string, string, number][] = [
	["hostname", "Host name", "1 to 32 letters, digits and dashes.", 32],
	["syslogAddr", "Log server", "HOST:PORT; empty for none.", 128],
	["sntpServer", "Time server", "Empty for the built-in one.", 128],
];

const POWER_SAVE = [
	{ value: "0", words: "Off" },
	{ value: "1", words: "Some" },
	{ value: "2", words: "Most" },
];

/** Interval at which the page asks whether the panel has confirmed a change. */
const CONFIRM_MS = 2_000;

function useWish<K extends keyof Wish>(
	name: K,
	{ device, onFirmware }: Props,
): ReturnType<typeof useSaver<Wish[K]>> {
	return useSaver(name, async (value: Wish[K]) => {
		const body = { [name]: value } as Wish;
		onFirmware(await patch("/web/devices/{deviceId}/firmware", body, { deviceId: device.id }));
	});
}

/** The value that was changed here, otherwise the one that the panel reported. */
function shown<K extends keyof Schemas["FirmwareSettings"]>(
	firmware: Firmware,
	name: K,
): Schemas["FirmwareSettings"][K] {
	const { change } = firmware;
	if (change?.state === "waiting" && change.settings[name] !== undefined)
		return change.settings[name];
	return firmware.settings[name];
}

function state(firmware: Firmware, name: keyof Wish): string | undefined {
	const { change } = firmware;
	if (!change || !(name in change.settings)) return undefined;
	return change.state === "waiting" ? "Waiting for the panel" : "Not confirmed by the panel";
}

function Flag({ name, label, ...props }: Props & { name: FlagName; label: string }): JSX.Element {
	const { save, fault, said, chosen } = useWish(name, props);
	return (
		<div class="field">
			<div class="field-head">
				<Check
					label={label}
					isOn={chosen ?? shown(props.firmware, name) ?? false}
					onChange={save}
				/>
				<span class="said" role="status">
					{state(props.firmware, name) ?? said}
				</span>
			</div>
			<Fault label={label} fault={fault} />
		</div>
	);
}

/** Saved on leaving the field. */
function Text({
	text: [name, label, help, maxLength],
	...props
}: Props & { text: (typeof TEXTS)[number] }): JSX.Element {
	const saver = useWish(name, props);
	const stored = shown(props.firmware, name) ?? "";
	const [text, setText, sent] = useUnsaved(saver.said, stored);
	const leave = () => {
		if (text === undefined) return;
		if (text === stored) {
			setText(undefined);
			saver.keep();
			return;
		}
		sent.current = text;
		saver.save(text);
	};
	return (
		<Field
			label={label}
			name={name}
			type="text"
			value={text ?? stored}
			onInput={setText}
			onLeave={leave}
			fault={saver.fault}
			said={state(props.firmware, name) ?? saver.said}
			help={help}
			maxLength={maxLength}
		/>
	);
}

function PowerSave(props: Props): JSX.Element {
	const { save, fault, said, chosen } = useWish("wifiPowerSave", props);
	return (
		<Select
			label="Wi-Fi power saving"
			value={`${chosen ?? shown(props.firmware, "wifiPowerSave") ?? 0}`}
			options={POWER_SAVE}
			onChange={(value) => save(Number(value))}
			said={state(props.firmware, "wifiPowerSave") ?? said}
			fault={fault}
		/>
	);
}

/** Settings of the panel's firmware, of those that it has reported. */
export function FirmwareSettings({ device }: { device: Device }): JSX.Element | null {
	const [firmware, setFirmware] = useState<Firmware>();
	const isWaiting = firmware?.change?.state === "waiting" || isUnderWay(firmware?.update);
	const reported = device.panel?.toldAt;
	useEffect(() => {
		const look = () => {
			get("/web/devices/{deviceId}/firmware", {}, { deviceId: device.id }).then(
				setFirmware,
				(error: unknown) => {
					if (!(error instanceof Problem)) throw error;
				},
			);
		};
		look();
		if (!isWaiting) return undefined;
		const timer = setInterval(look, CONFIRM_MS);
		return () => clearInterval(timer);
	}, [device.id, device.board, reported, isWaiting]);
	if (!firmware) return null;
	const { settings } = firmware;
	const props = { device, firmware, onFirmware: setFirmware };
	const texts = TEXTS.filter(([name]) => settings[name] !== undefined);
	const flags = FLAGS.filter(([name]) => settings[name] !== undefined);
	const update = <Update key="update" {...props} />;
	if (flags.length === 0) return update;
	return (
		<>
			{update}
			<fieldset class="stack group">
				<legend>Firmware settings</legend>
				{settings.imageUrl !== undefined && (
					<p class="quiet">
						The panel uses <code>{settings.imageUrl}</code>
					</p>
				)}
				{texts.map((text) => (
					<Text key={text[0]} text={text} {...props} />
				))}
				{settings.wifiPowerSave !== undefined && <PowerSave {...props} />}
				{flags.map(([name, label]) => (
					<Flag key={name} name={name} label={label} {...props} />
				))}
				<p class="quiet">
					The panel keeps these settings, and applies some of them when it restarts.
				</p>
			</fieldset>
		</>
	);
}
