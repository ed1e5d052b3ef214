import type { PlainSetting } from "plain-settings";
import type { JSX } from "preact";
import { Check } from "../components/check";
import { Below } from "../components/fault";
import { Field } from "../components/field";
import { Select } from "../components/select";
import { Slider } from "../components/slider";
import { boundsOf, faultOf, textOf, valueOf, type Value } from "./plain_value";
import { useSaver, useUnsaved, type Saver } from "./saver";

interface FieldProps {
	setting: PlainSetting;
	stored: Value;
	saver: Saver<Value>;
}

function CheckField({ setting, stored, saver }: FieldProps): JSX.Element {
	const { save, said, fault, chosen } = saver;
	const { label, about, name } = setting;
	return (
		<div class="field">
			<div class="field-head">
				<Check label={label} isOn={(chosen ?? stored) === true} onChange={save} />
				<span class="said" role="status">
					{said}
				</span>
			</div>
			<Below label={label} id={`plain-${name}`} fault={fault} help={about} />
		</div>
	);
}

/** A number, a time of day or a text: saved on leaving the field. */
function TypedField({ setting, stored, saver }: FieldProps): JSX.Element {
	const { name, label, kind, about, maximum } = setting;
	const shown = textOf(stored);
	const [text, setText, sent] = useUnsaved(saver.said, shown);
	const leave = () => {
		if (text === undefined) return;
		if (text === shown) {
			setText(undefined);
			saver.keep();
			return;
		}
		const fault = faultOf(setting, text);
		saver.refuse(fault);
		if (fault !== undefined) return;
		sent.current = text;
		saver.save(valueOf(setting, text));
	};
	return (
		<Field
			label={label}
			name={name}
			type={kind === "number" || kind === "time" ? kind : "text"}
			value={text ?? shown}
			onInput={setText}
			onLeave={leave}
			help={[about, boundsOf(setting)].filter((words) => words !== "").join(" ")}
			fault={saver.fault}
			said={saver.said}
			{...(kind === "text" && maximum !== undefined ? { maxLength: maximum } : {})}
		/>
	);
}

interface PlainSettingProps {
	setting: PlainSetting;
	stored: Value;
	send: (body: Record<string, Value>) => Promise<void>;
}

function Plain({ setting, stored, send }: PlainSettingProps): JSX.Element {
	const { name, label, kind, about, choices = [] } = setting;
	const saver = useSaver(name, (value: Value) => send({ [name]: value }));
	const { save, said, fault, chosen } = saver;
	const now = chosen === undefined ? stored : chosen;
	if (kind === "check") return <CheckField setting={setting} stored={stored} saver={saver} />;
	if (kind === "slider")
		return (
			<Slider
				label={label}
				value={Number(now)}
				onInput={save}
				help={about}
				said={said}
				fault={fault}
			/>
		);
	if (kind !== "choice") return <TypedField setting={setting} stored={stored} saver={saver} />;
	return (
		<Select
			label={label}
			value={textOf(now)}
			options={choices.map((choice) => ({ value: String(choice), words: String(choice) }))}
			onChange={(text) => save(choices.find((choice) => String(choice) === text) ?? text)}
			said={said}
			fault={fault}
			help={about}
		/>
	);
}

interface PlainProps {
	settings: readonly PlainSetting[];
	/** The server's answer, with a member for each setting. */
	values: object;
	send: (body: Record<string, Value>) => Promise<void>;
}

/** Labelled fields of settings that have no designed place; each applies as it is changed. */
export function PlainSettings({ settings, values, send }: PlainProps): JSX.Element {
	const stored = values as Record<string, Value>;
	return (
		<>
			{settings.map((setting) => (
				<Plain
					key={setting.name}
					setting={setting}
					stored={stored[setting.name] ?? null}
					send={send}
				/>
			))}
		</>
	);
}
