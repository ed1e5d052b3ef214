import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { post, type Schemas } from "../api/client";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { isolated } from "../components/isolated";
import { browserTimezone, Timezone } from "../components/timezone";
import { LinkCard } from "../devices/link_card";
import { Heading } from "../frame/page";
import { go } from "../frame/place";

type NewDevice = Schemas["NewDevice"];

interface NewDeviceFormProps {
	onMade: (made: NewDevice) => void;
	/** Beside the button. */
	beside?: ComponentChildren;
	/** Asks only for the name: the time zone is the browser's. */
	isShort?: boolean;
}

export function NewDeviceForm({ onMade, beside, isShort }: NewDeviceFormProps): JSX.Element {
	const [name, setName] = useState("");
	const [timezone, setTimezone] = useState(browserTimezone);
	const [serial, setSerial] = useState("");
	const submit = async () => {
		const more = serial === "" ? {} : { serialNumber: serial };
		onMade(await post("/web/devices", { name, timezone, ...more }));
	};
	return (
		<div class="form-width">
			<Form
				action="Add device"
				onSubmit={submit}
				names={isShort ? ["name"] : ["name", "timezone", "serialNumber"]}
				beside={beside}
			>
				{(faults) => (
					<>
						<Field
							label="Name"
							name="name"
							value={name}
							onInput={setName}
							fault={faults.get("name")}
							help="For example, the room."
							maxLength={25}
							isRequired
						/>
						{!isShort && (
							<Timezone value={timezone} onChoose={setTimezone} fault={faults.get("timezone")} />
						)}
						{!isShort && (
							<details open={faults.has("serialNumber")}>
								<summary>Add a serial number</summary>
								<Field
									label="Serial number"
									name="serialNumber"
									value={serial}
									onInput={setSerial}
									fault={faults.get("serialNumber")}
									help="Your programs can use it in place of the device's ID."
									maxLength={32}
									isVerbatim
								/>
							</details>
						)}
					</>
				)}
			</Form>
		</div>
	);
}

/** /devices/new: a name, then what to type into the panel. */
export function NewDevicePage(): JSX.Element {
	const [made, setMade] = useState<NewDevice>();
	if (!made)
		return (
			<div class="stack wide">
				<Heading title="Add a device" />
				<NewDeviceForm
					onMade={setMade}
					beside={
						<a href="devices" data-page>
							Cancel
						</a>
					}
				/>
				<p>
					<a href="devices/import" data-page>
						Import from a tronbyt server
					</a>
				</p>
			</div>
		);
	return (
		<div class="stack wide">
			<Heading title={`Connect ${isolated(made.device.name)}`} />
			<LinkCard {...made} onDone={() => go(`devices/${made.device.id}`)} />
		</div>
	);
}
