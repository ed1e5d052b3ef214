import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post, Problem } from "../api/client";
import { Button } from "../components/button";
import { isolated } from "../components/isolated";
import { Select } from "../components/select";
import { toast } from "../components/toast";
import { useDevices, type Device, type Entry, type RotationResource } from "./store";
import { nameOfEntry } from "./words";

interface PlaceProps {
	device: Device;
	entry: Entry;
	rotation: RotationResource;
}

/** Copies the entry; the answer or the reason is shown as a toast. */
async function copy({ device, entry, rotation }: PlaceProps, target: Device): Promise<void> {
	const { installationId } = entry;
	const body = target.id === device.id ? {} : { device: target.id };
	const place = { deviceId: device.id, installationId };
	try {
		await post("/web/devices/{deviceId}/rotation/{installationId}/copy", body, place);
		if (target.id === device.id) await rotation.refresh();
		else toast(`${isolated(nameOfEntry(entry))} is on ${isolated(target.name)}, too`);
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		toast(error.message);
	}
}

async function move({ device, entry, rotation }: PlaceProps, to: "top" | "bottom"): Promise<void> {
	const place = { deviceId: device.id, installationId: entry.installationId };
	try {
		await post("/web/devices/{deviceId}/rotation/{installationId}/move", { to }, place);
		await rotation.refresh();
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		toast(error.message);
	}
}

/** Moves the entry to an end of its rotation, and copies it, to another device if there is one. */
export function EntryPlace(props: PlaceProps & { name: string }): JSX.Element {
	const { device, name } = props;
	const others = useDevices().value.value?.filter(({ id }) => id !== device.id) ?? [];
	const [chosen, setChosen] = useState<string>();
	const target = others.find(({ id }) => id === chosen) ?? others[0];
	const of = <span class="only-read"> {name}</span>;
	return (
		<div class="entry-place stack">
			<div class="row">
				<Button onClick={() => void move(props, "top")}>Move{of} to the top</Button>
				<Button onClick={() => void move(props, "bottom")}>Move{of} to the bottom</Button>
				<Button onClick={() => void copy(props, device)}>Duplicate{of}</Button>
			</div>
			{target && (
				<div class="row end-aligned">
					<Select
						label="Copy to"
						value={target.id}
						options={others.map((other) => ({ value: other.id, words: other.name }))}
						onChange={setChosen}
					/>
					<Button onClick={() => void copy(props, target)}>Copy{of}</Button>
				</div>
			)}
		</div>
	);
}
