import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, post, Problem, remove } from "../api/client";
import { useResource } from "../api/resource";
import type { Action } from "../components/actions";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { isolated } from "../components/isolated";
import { Select } from "../components/select";
import { toast } from "../components/toast";
import { removeLater, settleRemoval } from "./removals";
import type { Device, Entry, RotationResource } from "./store";
import { nameOfEntry } from "./words";

/** An entry, and the rotation that it belongs to. */
export interface EntryProps {
	device: Device;
	entry: Entry;
	rotation: RotationResource;
}

export function say(error: unknown): void {
	if (!(error instanceof Problem)) throw error;
	toast(error.message);
}

/** There is no event for a failed render: the page looks again after this time. */
const RETRIED_MS = 3_000;

function placeOf(device: Device, { installationId }: Entry): Record<string, string> {
	return { deviceId: device.id, installationId };
}

async function showNow(device: Device, entry: Entry): Promise<void> {
	const { installationId } = entry;
	try {
		const place = { deviceId: device.id, installationId };
		await post("/web/devices/{deviceId}/rotation/{installationId}/show", undefined, place);
	} catch (error) {
		say(error);
	}
}

function removeEntry(device: Device, entry: Entry, rotation: RotationResource): void {
	const place = { deviceId: device.id, installationId: entry.installationId };
	const key = `${device.id}/${entry.installationId}`;
	const undo = removeLater(key, (isLeaving) => {
		const options = { keepalive: isLeaving };
		void remove("/web/devices/{deviceId}/rotation/{installationId}", place, options)
			.catch((error: unknown) => {
				if (!(error instanceof Problem) || error.status !== 404) say(error);
			})
			.then(() => rotation.refresh())
			.finally(() => settleRemoval(key));
	});
	toast(`${isolated(nameOfEntry(entry))} removed`, undo);
}

async function duplicate({ device, entry, rotation }: EntryProps): Promise<void> {
	try {
		const place = placeOf(device, entry);
		await post("/web/devices/{deviceId}/rotation/{installationId}/copy", {}, place);
		toast(`${isolated(nameOfEntry(entry))} duplicated`);
	} catch (error) {
		say(error);
	}
	await rotation.refresh();
}

async function move({ device, entry, rotation }: EntryProps, to: "top" | "bottom"): Promise<void> {
	try {
		const place = placeOf(device, entry);
		await post("/web/devices/{deviceId}/rotation/{installationId}/move", { to }, place);
	} catch (error) {
		say(error);
	}
	await rotation.refresh();
}

/** Renders a failing app at once; what comes of it is there a little later. */
async function retry({ device, entry, rotation }: EntryProps): Promise<void> {
	try {
		const place = placeOf(device, entry);
		await post("/web/devices/{deviceId}/rotation/{installationId}/retry", undefined, place);
		toast(`${isolated(nameOfEntry(entry))} is tried again`);
		setTimeout(() => void rotation.refresh(), RETRIED_MS);
	} catch (error) {
		say(error);
	}
}

/** Chooses the device that gets a copy of an entry. */
export function CopyDialog({
	device,
	entry,
	onClose,
}: {
	device: Device;
	entry: Entry;
	onClose: () => void;
}): JSX.Element {
	const all = useResource(() => get("/web/devices"), ["devices"]);
	const others = (all.value.value ?? []).filter(({ id }) => id !== device.id);
	const [chosen, setChosen] = useState<string>();
	const [fault, setFault] = useState<string>();
	const [isBusy, setBusy] = useState(false);
	const target = others.find(({ id }) => id === chosen) ?? others[0];
	const copy = async () => {
		if (!target || isBusy) return;
		setBusy(true);
		try {
			const place = placeOf(device, entry);
			const body = { device: target.id };
			await post("/web/devices/{deviceId}/rotation/{installationId}/copy", body, place);
			toast(`${isolated(nameOfEntry(entry))} copied to ${isolated(target.name)}`);
			onClose();
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			setFault(error.message);
		} finally {
			setBusy(false);
		}
	};
	return (
		<Dialog title={`Copy ${isolated(nameOfEntry(entry))}`} onClose={onClose}>
			{all.value.value && others.length === 0 && <p>You have no other device.</p>}
			{others.length > 0 && (
				<Select
					label="To the device"
					value={target?.id ?? ""}
					options={others.map(({ id, name }) => ({ value: id, words: name }))}
					onChange={setChosen}
					help="With its settings and its times."
					fault={fault}
				/>
			)}
			<div class="row end">
				<Button onClick={onClose}>Cancel</Button>
				<Button kind="primary" isBusy={isBusy} isDisabled={!target} onClick={() => void copy()}>
					Copy
				</Button>
			</div>
		</Dialog>
	);
}

interface Options {
	/** Whether its options are shown. */
	isOpen: boolean;
	toggle: () => void;
	copy: () => void;
}

/** What can be done with an entry. */
export function actionsOf(props: EntryProps, options: Options): Action[] {
	const { device, entry, rotation } = props;
	const entries = rotation.value.value?.entries ?? [];
	const isAt = (at: number) => entries.at(at)?.installationId === entry.installationId;
	const name = nameOfEntry(entry);
	const page = `devices/${device.id}/apps/${encodeURIComponent(entry.installationId)}`;
	const isFailing = entry.problem !== null && !entry.isAppDisabled;
	return [
		...(isFailing ? [{ words: "Try now", onClick: () => void retry(props) }] : []),
		{
			words: "Show now",
			isDisabled: entry.picture === null,
			onClick: () => void showNow(device, entry),
		},
		{
			words: "Options",
			of: `of ${name}`,
			isOn: options.isOpen,
			onClick: options.toggle,
		},
		...(entry.kind === "app" ? [{ words: "Set up", to: page }] : []),
		{ words: "Duplicate", onClick: () => void duplicate(props) },
		{ words: "Copy to a device", of: `: ${name}`, onClick: options.copy },
		{
			words: "Move to the top",
			of: `: ${name}`,
			isDisabled: isAt(0),
			onClick: () => void move(props, "top"),
		},
		{
			words: "Move to the bottom",
			of: `: ${name}`,
			isDisabled: isAt(-1),
			onClick: () => void move(props, "bottom"),
		},
		{ words: "Remove", onClick: () => removeEntry(device, entry, rotation) },
	];
}
