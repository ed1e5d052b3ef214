import type { PlainSetting } from "plain-settings";
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Problem } from "../api/client";
import { Check } from "../components/check";
import { Button, CopyButton } from "../components/button";
import { Choice } from "../components/choice";
import { confirm } from "../components/dialog";
import { Empty } from "../components/empty";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { Panel } from "../components/panel";
import { QrCode } from "../components/qr";
import { Slider } from "../components/slider";
import { Table } from "../components/table";
import { browserTimezone, Timezone } from "../components/timezone";
import { toast } from "../components/toast";
import { When } from "../components/when";
import { PlainSettings } from "../devices/plain";
import { exampleAnswers, exampleFields } from "../forms/example";
import type { Settings } from "../forms/fields";
import { AppForm } from "../forms/form";
import { Heading } from "../frame/page";
import morning from "../pictures/morning.webp";

function Part({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
	return (
		<section class="stack">
			<h2>{title}</h2>
			{children}
		</section>
	);
}

function Panels(): JSX.Element {
	const label = "The time and the weather";
	return (
		<div class="panel-grid">
			<Panel picture={morning} label={label} line="Weather for 15 s, then Calendar" />
			<Panel picture={morning} brightness={20} label={label} line="At 20 %" />
			<Panel label="Asleep" state="asleep" line="Asleep until 06:45" />
			<Panel picture={morning} state="offline" label={label} says="Last seen 3 h ago" />
			<Panel picture={morning} isOld label={label} line="Before: Weather, then Calendar" />
			<Panel
				state="never"
				label="Never connected"
				says="Enter the address on the panel's setup page"
			/>
			<div class="thumbnail">
				<Panel picture={morning} label={label} />
			</div>
		</div>
	);
}

function Fields(): JSX.Element {
	const [text, setText] = useState("Kitchen");
	const submit = () => {
		throw new Problem(
			400,
			"2 fields are wrong",
			new Map([["name", "Must have 1 to 25 characters."]]),
		);
	};
	return (
		<div class="form-width">
			<Form action="Save" onSubmit={async () => Promise.resolve().then(submit)} names={["name"]}>
				{(faults) => (
					<>
						<Field
							label="Name"
							name="name"
							value={text}
							onInput={setText}
							fault={faults.get("name")}
						/>
						<Field label="Saved" name="saved" value={text} onInput={setText} said="Saved" />
						<Field label="Password" name="p" type="password" value={text} onInput={setText} />
					</>
				)}
			</Form>
		</div>
	);
}

function Choices(): JSX.Element {
	const [zone, setZone] = useState(browserTimezone);
	const [share, setShare] = useState(70);
	const [fit, setFit] = useState<"scale" | "crop">("crop");
	const [isOn, setOn] = useState(true);
	return (
		<div class="form-width stack">
			<Timezone value={zone} onChoose={setZone} said="Saved" />
			<Slider label="Brightness" value={share} onInput={setShare} help="0 is dark." />
			<Choice
				label="Fit"
				isBoxed
				value={fit}
				onChange={setFit}
				options={[
					{ value: "scale", words: "Scale", about: "Whole picture, with black bars" },
					{ value: "crop", words: "Crop", about: "Fills the panel and cuts the edges" },
				]}
			/>
			<Check label="Sleep at night" isOn={isOn} onChange={setOn} />
			<div>
				<QrCode text="ws://192.0.2.7:8000/d/example/ws" label="Address" />
			</div>
		</div>
	);
}

const plainSettings: PlainSetting[] = [
	{
		name: "isLoud",
		label: "Is loud",
		about: "Whether it beeps.",
		kind: "check",
		isNullable: false,
	},
	{
		name: "seconds",
		label: "Seconds",
		about: "Length of a beep.",
		kind: "number",
		minimum: 5,
		maximum: 300,
		isNullable: true,
	},
	{ name: "pitch", label: "Pitch", about: "Percent.", kind: "slider", isNullable: false },
	{
		name: "voice",
		label: "Voice",
		about: "Who speaks.",
		kind: "choice",
		choices: ["low", "high"],
		isNullable: false,
	},
	{
		name: "quietFrom",
		label: "Quiet from",
		about: "Time of day.",
		kind: "time",
		isNullable: false,
	},
	{ name: "words", label: "Words", about: "", kind: "text", maximum: 20, isNullable: true },
];

/** Shows each kind of setting that has no designed place. */
function Plain(): JSX.Element {
	const [values, setValues] = useState<Record<string, unknown>>({
		isLoud: true,
		seconds: 30,
		pitch: 40,
		voice: "low",
		quietFrom: "22:00",
		words: null,
	});
	const send = (body: object): Promise<void> => {
		setValues({ ...values, ...body });
		return Promise.resolve();
	};
	return (
		<div class="form-width stack">
			<PlainSettings settings={plainSettings} values={values} send={send} />
		</div>
	);
}

/** Shows each type of field that an app can use. */
function Asked(): JSX.Element {
	const [fields] = useState(exampleFields);
	const [settings, setSettings] = useState<Settings>({ until: "2026-12-24T17:00:00Z" });
	return (
		<div class="form-width">
			<AppForm
				fields={fields}
				settings={settings}
				secrets={new Set(["key"])}
				timezone="Europe/Zagreb"
				answers={exampleAnswers}
				faults={new Map([["speed", "Must be a number."]])}
				onSettings={setSettings}
			/>
		</div>
	);
}

function Buttons(): JSX.Element {
	return (
		<div class="row">
			<Button kind="primary">Primary</Button>
			<Button>Plain</Button>
			<Button kind="danger">Danger</Button>
			<Button isDisabled>Disabled</Button>
			<CopyButton text="copied" what="a word" />
			<Button onClick={() => toast("Weather removed", () => undefined)}>Toast</Button>
			<Button
				onClick={() =>
					void confirm({
						title: "Remove Kitchen?",
						text: "This cannot be undone.",
						action: "Remove",
					})
				}
			>
				Dialog
			</Button>
		</div>
	);
}

/** /web/components: each component once, for those who work on them. Development builds only. */
export function ComponentsPage(): JSX.Element {
	return (
		<main class="page stack wide">
			<Heading title="Components" />
			<Part title="Panel">
				<Panels />
			</Part>
			<Part title="Buttons">
				<Buttons />
			</Part>
			<Part title="Fields">
				<Fields />
			</Part>
			<Part title="Choices">
				<Choices />
			</Part>
			<Part title="Plain settings">
				<Plain />
			</Part>
			<Part title="App settings">
				<Asked />
			</Part>
			<Part title="Table, badge, time">
				<Table
					caption="An example"
					rows={["Kitchen", "Hall"]}
					rowKey={(row) => row}
					columns={[
						{ title: "Name", cell: (row) => row },
						{ title: "State", cell: () => <span class="badge">online</span> },
						{ title: "Seen", cell: () => <When at="2026-11-20T08:15:30.123Z" /> },
					]}
				/>
			</Part>
			<Part title="Notices and empty states">
				<p class="notice">A notice.</p>
				<p class="notice bad">An error.</p>
				<Empty title="No devices yet">
					<Button kind="primary">Add a device</Button>
				</Empty>
			</Part>
		</main>
	);
}
