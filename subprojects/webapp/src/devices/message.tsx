import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { postTold } from "../api/client";
import { Form } from "../components/form";
import { TextArea } from "../components/text_area";
import { toast } from "../components/toast";
import { saidOf } from "./shown";
import type { Device } from "./store";

const TEXT_MAX = 500;

/** Shows a text on the panel, drawn by the server. */
export function Message({ device }: { device: Device }): JSX.Element {
	const [text, setText] = useState("");
	const [color, setColor] = useState("#ffffff");
	const id = useId();
	const submit = async () => {
		const body = { text, color };
		const shown = await postTold("/web/devices/{deviceId}/message", body, "Displayd-Shown", {
			deviceId: device.id,
		});
		toast(saidOf(device, "The text", { isEntry: false, isQuiet: false }, shown ?? "now"));
	};
	return (
		<Form
			action="Show the text"
			names={["text"]}
			onSubmit={submit}
			beside={
				<>
					<label for={id}>Colour</label>
					<input
						id={id}
						class="colour-box"
						type="color"
						value={color}
						style={{ "--colour": color }}
						onInput={(event) => setColor(event.currentTarget.value)}
					/>
				</>
			}
		>
			{(faults) => (
				<TextArea
					label="Text"
					name="text"
					value={text}
					onInput={setText}
					help="Long texts scroll once. Emoji are supported."
					fault={faults.get("text")}
					maxLength={TEXT_MAX}
					rows={2}
				/>
			)}
		</Form>
	);
}
