import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post, Problem, type Schemas } from "../api/client";
import { Button } from "../components/button";
import { confirm } from "../components/dialog";
import { isolated } from "../components/isolated";
import { toast } from "../components/toast";
import type { Device } from "./store";

type Firmware = Schemas["Firmware"];
type Progress = Schemas["FirmwareProgress"];

interface Props {
	device: Device;
	firmware: Firmware;
	onFirmware: (firmware: Firmware) => void;
}

/** Whether the page asks again how an update goes on. */
export function isUnderWay(update: Progress | null | undefined): boolean {
	return update?.state === "offered" || update?.state === "fetching";
}

function words({ state, version }: Progress): string {
	const name = `the update to ${isolated(version)}`;
	switch (state) {
		case "offered":
			return `The panel is told to fetch ${name}.`;
		case "fetching":
			return `The panel fetches ${name}, and then restarts.`;
		case "done":
			return `The panel has made ${name}.`;
		case "failed":
			return `The panel did not come back with ${name} within five minutes.`;
	}
}

/** "1.6.6 is available, the panel has 1.5.2", and a button. */
function Offer({ device, firmware, onFirmware }: Props): JSX.Element {
	const [isBusy, setBusy] = useState(false);
	const [fault, setFault] = useState<string>();
	const available = isolated(firmware.available ?? "");
	const version = isolated(firmware.version ?? "");
	const ask = async (allowDowngrade: boolean) => {
		const body = allowDowngrade ? { allowDowngrade } : {};
		const path = "/web/devices/{deviceId}/firmware/update";
		onFirmware(await post(path, body, { deviceId: device.id }));
		toast("Update started");
	};
	const downgrade = async () => {
		const isSure = await confirm({
			title: `Install ${available}, although the panel has ${version}?`,
			text: "This is an older version. The panel may lose settings.",
			action: "Install the older version",
		});
		if (isSure) await ask(true);
	};
	const start = async () => {
		setBusy(true);
		setFault(undefined);
		try {
			await ask(false).catch((error: unknown) => {
				if (!(error instanceof Problem) || error.code !== "firmware_not_newer") throw error;
				return downgrade();
			});
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			setFault(error.message);
		} finally {
			setBusy(false);
		}
	};
	return (
		<>
			<p>
				{available} is available; the panel has {version}.
			</p>
			<div class="row">
				<Button isBusy={isBusy} onClick={() => void start()}>
					Update the firmware
				</Button>
				<a href="devices/firmware" data-page>
					Update all panels
				</a>
			</div>
			{fault !== undefined && (
				<p class="notice bad" role="alert">
					{fault}
				</p>
			)}
		</>
	);
}

/** How the last update of the firmware goes on, and what is available. */
export function Update(props: Props): JSX.Element | null {
	const { board, available, update, version } = props.firmware;
	if (board === null && version !== null)
		return (
			<p class="quiet">
				To update the firmware here, choose the board of the panel in its settings.
			</p>
		);
	const isCurrent =
		available === null || version === null || version.replace(/^v/i, "") === available;
	if (isCurrent && !update) return null;
	return (
		<fieldset class="stack group">
			<legend>Firmware update</legend>
			{update && <p role="status">{words(update)}</p>}
			{!isCurrent && !isUnderWay(update) && <Offer {...props} />}
		</fieldset>
	);
}
