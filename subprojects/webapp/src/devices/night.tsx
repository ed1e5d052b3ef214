import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { patch, type Schemas } from "../api/client";
import { Fault } from "../components/fault";
import { Range } from "../components/slider";
import { useSaver, type Saver } from "./saver";
import type { Device, Entry, RotationResource } from "./store";
import { nameOfEntry } from "./words";

type NightChange = Schemas["NightChange"];

interface NightProps {
	device: Device;
	rotation: RotationResource;
	entries: readonly Entry[];
}

function useNight<N extends keyof NightChange>(
	name: N,
	{ device, rotation }: NightProps,
): Saver<NonNullable<NightChange[N]> | null> {
	return useSaver(name, async (value) => {
		const body = { [name]: value } as NightChange;
		await patch("/web/devices/{deviceId}/night", body, { deviceId: device.id });
		await rotation.refresh();
	});
}

function NightEntry({ value, ...props }: NightProps & { value: string | null }): JSX.Element {
	const id = useId();
	const { save, said, fault, chosen } = useNight("installationId", props);
	return (
		<div class="field">
			<div class="field-head">
				<label for={id}>While the panel sleeps, show</label>
				<span class="said" role="status">
					{said}
				</span>
			</div>
			<select
				id={id}
				value={(chosen === undefined ? value : chosen) ?? ""}
				onChange={({ currentTarget }) => save(currentTarget.value || null)}
			>
				<option value="">Nothing (dark)</option>
				{props.entries.map((entry) => (
					<option key={entry.installationId} value={entry.installationId}>
						{nameOfEntry(entry)}
					</option>
				))}
			</select>
			<Fault label="The entry" fault={fault} />
		</div>
	);
}

function NightBrightness({ value, ...props }: NightProps & { value: number }): JSX.Element {
	const id = useId();
	const { save, said, fault, chosen } = useNight("brightness", props);
	const now = chosen ?? value;
	return (
		<div class="field">
			<div class="field-head">
				<label for={id}>Brightness at night</label>
				<span class="said" role="status">
					{said}
				</span>
			</div>
			<div class="slider">
				<Range id={id} value={now} onInput={(next) => save(Math.max(1, next))} />
				<output for={id}>{now} %</output>
			</div>
			<Fault label="Brightness" fault={fault} />
		</div>
	);
}

/** The entry that a device shows alone while it sleeps. */
export function Night(props: NightProps): JSX.Element | null {
	const { device, rotation } = props;
	const night = rotation.value.value?.night;
	if (!night) return null;
	const { start, end, enabled } = device.sleep;
	const window = start === end ? "all day" : `from ${start} to ${end}`;
	return (
		<section class="night stack" aria-labelledby="night-title">
			<h2 id="night-title">At night</h2>
			<div class="night-fields">
				<NightEntry {...props} value={night.installationId} />
				{night.installationId !== null && <NightBrightness {...props} value={night.brightness} />}
			</div>
			<p class="quiet">
				{enabled ? `The panel sleeps ${window}. Pictures pushed meanwhile wait.` : "Sleep is off."}{" "}
				<a href={`devices/${device.id}/settings`} data-page>
					{enabled ? "Change the hours" : "Set the hours"}
				</a>
			</p>
		</section>
	);
}
