import type { JSX } from "preact";
import { useEffect, useId } from "preact/hooks";
import { patch, post, Problem } from "../api/client";
import { panelNews } from "../api/live";
import { Button } from "../components/button";
import { Range } from "../components/slider";
import { toast } from "../components/toast";
import { useSaver } from "./saver";
import type { Device } from "./store";

interface ControlsProps {
	device: Device;
	onDevice: (device: Device) => void;
}

async function attempt(what: () => Promise<unknown>): Promise<void> {
	try {
		await what();
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		toast(error.message);
	}
}

function Brightness({ device, onDevice }: ControlsProps): JSX.Element {
	const id = useId();
	const { save, chosen, fault } = useSaver("brightness", async (brightness: number) =>
		onDevice(await patch("/web/devices/{deviceId}", { brightness }, { deviceId: device.id })),
	);
	const value = chosen ?? device.brightness;
	useEffect(() => {
		if (fault !== undefined) toast(fault);
	}, [fault]);
	return (
		<div class="field slider">
			<label class="only-read" for={id}>
				Brightness of {device.name}
			</label>
			<Range id={id} value={value} onInput={save} />
			<output for={id}>{value} %</output>
		</div>
	);
}

/** Shows the next entry of the rotation. */
export function nextEntry(device: Device): Promise<void> {
	const place = { deviceId: device.id };
	return attempt(() => post("/web/devices/{deviceId}/next", undefined, place));
}

/** Makes a panel dark, or wakes it. */
export function turnLight(device: Device, isAsleep: boolean): Promise<void> {
	const place = { deviceId: device.id };
	return attempt(() =>
		isAsleep
			? post("/web/devices/{deviceId}/wake", undefined, place)
			: post("/web/devices/{deviceId}/sleep", undefined, place),
	);
}

/** The controls of every day: next, dark or awake, brightness. */
export function Controls(props: ControlsProps): JSX.Element {
	const { device } = props;
	const news = panelNews(device.id).value;
	const isAsleep = news?.kind === "asleep" || news?.kind === "night";
	const isAway = device.isDisabled || news?.isOnline !== true;
	return (
		<div class="device-controls" role="group" aria-label={`Controls of ${device.name}`}>
			<div class="device-buttons">
				<Button
					label={`Next on ${device.name}`}
					isDisabled={isAway || isAsleep}
					onClick={() => void nextEntry(device)}
				>
					Next
				</Button>
				<Button
					label={isAsleep ? `Wake ${device.name}` : `Dark on ${device.name}`}
					isDisabled={isAway}
					onClick={() => void turnLight(device, isAsleep)}
				>
					{isAsleep ? "Wake" : "Dark"}
				</Button>
			</div>
			<Brightness {...props} />
		</div>
	);
}
