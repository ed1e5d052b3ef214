import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, post, Problem } from "../api/client";
import { Button } from "../components/button";
import { Check } from "../components/check";
import { Dialog } from "../components/dialog";
import { Select } from "../components/select";
import { Slider } from "../components/slider";
import { toBase64 } from "./canvas";
import { sizeOf } from "../panel/size";
import { choose, usePrepared, type Chosen } from "./chosen";
import type { Device, Entry } from "./store";
import { nameOfEntry } from "./words";

/** What a change of several devices answers for each. */
interface Answers {
	devices: readonly { device: string; status: number; detail?: string | null | undefined }[];
}

/** Most devices that a request names. */
const CHOSEN_MAX = 100;

/** Says what became of a change of several devices. */
function outcomeOf(answers: Answers, devices: readonly Device[]): string {
	const failed = answers.devices.filter(({ status }) => status !== 200);
	const done = answers.devices.length - failed.length;
	const reasons = failed.map(({ device, detail }) => {
		const name = devices.find(({ id }) => id === device)?.name ?? device;
		return `${name}: ${detail ?? "failed"}.`;
	});
	return [`Done on ${done} of ${answers.devices.length} devices.`, ...reasons].join(" ");
}

interface PartProps {
	devices: readonly Device[];
	chosen: readonly string[];
	onOutcome: (words: string) => void;
}

/** A change that is under way: its function, and whether it runs. */
function useChange(
	{ devices, onOutcome }: PartProps,
	ask: () => Promise<Answers>,
): [() => void, boolean] {
	const [isBusy, setBusy] = useState(false);
	const run = async () => {
		setBusy(true);
		try {
			onOutcome(outcomeOf(await ask(), devices));
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			onOutcome(error.message);
		} finally {
			setBusy(false);
		}
	};
	return [() => void run(), isBusy];
}

function Brightness(props: PartProps): JSX.Element {
	const { devices, chosen } = props;
	const [value, setValue] = useState(devices[0]?.brightness ?? 60);
	const [run, isBusy] = useChange(props, () =>
		post("/web/brightness", { devices: [...chosen], brightness: value }),
	);
	return (
		<div class="stack">
			<Slider label="Brightness" value={value} onInput={setValue} />
			<div class="row">
				<Button isBusy={isBusy} isDisabled={chosen.length === 0} onClick={run}>
					Set the brightness
				</Button>
			</div>
		</div>
	);
}

/** Reads the entries of the first chosen device. */
function useEntries(deviceId: string | undefined): readonly Entry[] {
	const [entries, setEntries] = useState<readonly Entry[]>([]);
	useEffect(() => {
		let isOver = false;
		setEntries([]);
		if (deviceId === undefined) return undefined;
		get("/web/devices/{deviceId}/rotation", {}, { deviceId }).then(
			(found) => isOver || setEntries(found.entries),
			(error: unknown) => {
				if (!(error instanceof Problem)) throw error;
			},
		);
		return () => {
			isOver = true;
		};
	}, [deviceId]);
	return entries;
}

function Pin(props: PartProps): JSX.Element {
	const { devices, chosen } = props;
	const entries = useEntries(chosen[0]);
	const first = devices.find(({ id }) => id === chosen[0]);
	const [picked, setPicked] = useState("");
	const entry = entries.find(({ installationId }) => installationId === picked);
	const [run, isBusy] = useChange(props, () => {
		const what =
			entry === undefined
				? { installationId: null }
				: entry.appId === null
					? { installationId: entry.installationId }
					: { app: entry.appId };
		return post("/web/pin", { devices: [...chosen], ...what });
	});
	return (
		<div class="stack">
			<Select
				label="Pinned"
				value={entry ? picked : ""}
				onChange={setPicked}
				help={first && `Entries of ${first.name}. Others show theirs of the same app or name.`}
				options={[
					{ value: "", words: "Nothing: show the rotation" },
					...entries.map((one) => ({ value: one.installationId, words: nameOfEntry(one) })),
				]}
			/>
			<div class="row">
				<Button isBusy={isBusy} isDisabled={chosen.length === 0} onClick={run}>
					{entry ? "Pin it" : "Unpin"}
				</Button>
			</div>
		</div>
	);
}

function PushChosen({ picture, ...props }: PartProps & { picture: Chosen }): JSX.Element {
	const { devices, chosen } = props;
	const isWide = devices.some(({ id, size }) => size === "128x64" && chosen.includes(id));
	const prepared = usePrepared(picture, "crop", 0.5, sizeOf(isWide ? "128x64" : "64x32"));
	const [run, isBusy] = useChange(props, async () => {
		const image = await toBase64(prepared.blob ?? picture.blob);
		return post("/web/push", { devices: [...chosen], image, duration: 15, fit: true });
	});
	return (
		<>
			{prepared.url && <img class="together-picture" src={prepared.url} alt={picture.name} />}
			{prepared.fault && <p class="notice bad">{prepared.fault}</p>}
			<div class="row">
				<Button
					isBusy={isBusy}
					isDisabled={chosen.length === 0 || !prepared.blob || prepared.fault !== undefined}
					onClick={run}
				>
					Show it for 15 seconds
				</Button>
			</div>
		</>
	);
}

function Picture(props: PartProps): JSX.Element {
	const [picture, setPicture] = useState<Chosen | string>();
	return (
		<div class="stack">
			<label class="field">
				<span>Picture</span>
				<input
					type="file"
					accept="image/*"
					onChange={(event) => {
						const [file] = event.currentTarget.files ?? [];
						if (file) void choose(file).then(setPicture);
					}}
				/>
			</label>
			{typeof picture === "string" && <p class="notice bad">{picture}</p>}
			{typeof picture === "object" && (
				<PushChosen key={picture.number} {...props} picture={picture} />
			)}
		</div>
	);
}

/** Copies an entry to each device but its own. */
async function copyToAll(entry: Entry, from: string, chosen: readonly string[]): Promise<Answers> {
	const place = { deviceId: from, installationId: entry.installationId };
	const path = "/web/devices/{deviceId}/rotation/{installationId}/copy";
	const devices: { device: string; status: number; detail?: string }[] = [];
	for (const device of chosen.filter((id) => id !== from)) {
		try {
			await post(path, { device }, place);
			devices.push({ device, status: 200 });
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			devices.push({ device, status: error.status, detail: error.message.replace(/\.$/, "") });
		}
	}
	return { devices };
}

function CopyTo(props: PartProps): JSX.Element {
	const { devices, chosen } = props;
	const [from, setFrom] = useState(devices[0]?.id ?? "");
	const entries = useEntries(from === "" ? undefined : from);
	const [picked, setPicked] = useState<string>();
	const entry = entries.find(({ installationId }) => installationId === picked) ?? entries[0];
	const isNone = chosen.every((id) => id === from);
	const [run, isBusy] = useChange(props, () =>
		entry ? copyToAll(entry, from, chosen) : Promise.resolve({ devices: [] }),
	);
	return (
		<div class="stack">
			<Select
				label="Copy from"
				value={from}
				onChange={setFrom}
				options={devices.map(({ id, name }) => ({ value: id, words: name }))}
			/>
			{entry ? (
				<Select
					label="Entry"
					value={entry.installationId}
					onChange={setPicked}
					options={entries.map((one) => ({ value: one.installationId, words: nameOfEntry(one) }))}
				/>
			) : (
				<p class="quiet">Its rotation is empty.</p>
			)}
			<div class="row">
				<Button isBusy={isBusy} isDisabled={!entry || isNone} onClick={run}>
					Copy it to the chosen devices
				</Button>
			</div>
		</div>
	);
}

/** Changes several devices at once: brightness, the pinned entry, a pushed picture, a copied entry. */
export function Together({
	devices,
	first,
	onClose,
}: {
	devices: readonly Device[];
	/** IDs of those that are chosen first. Default: all. */
	first?: readonly string[];
	onClose: () => void;
}): JSX.Element {
	const [chosen, setChosen] = useState<readonly string[]>(() =>
		(first ?? devices.map(({ id }) => id)).slice(0, CHOSEN_MAX),
	);
	const [outcome, setOutcome] = useState<string>();
	const toggle = (id: string, isOn: boolean) =>
		setChosen(
			devices.map((one) => one.id).filter((one) => (one === id ? isOn : chosen.includes(one))),
		);
	const part = { devices, chosen: chosen.slice(0, CHOSEN_MAX), onOutcome: setOutcome };
	return (
		<Dialog title="Several devices at once" onClose={onClose}>
			<fieldset class="together-devices">
				<legend>Devices</legend>
				{devices.map(({ id, name }) => (
					<Check
						key={id}
						label={name}
						isOn={chosen.includes(id)}
						onChange={(isOn) => toggle(id, isOn)}
					/>
				))}
			</fieldset>
			{chosen.length > CHOSEN_MAX && (
				<p class="notice">At most {CHOSEN_MAX} devices at once: the others are left out.</p>
			)}
			<Brightness {...part} />
			<Pin {...part} />
			<Picture {...part} />
			<CopyTo {...part} />
			<p role="status">{outcome}</p>
			<div class="row end">
				<Button onClick={onClose}>Close</Button>
			</div>
		</Dialog>
	);
}
