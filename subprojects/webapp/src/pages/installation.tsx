import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, put } from "../api/client";
import { useResource } from "../api/resource";
import { useDevices, type Device, type Entry } from "../devices/store";
import { RenderState } from "../forms/render_state";
import { Reading, Setup } from "../forms/setup";
import type { Settings } from "../forms/fields";
import { Heading } from "../frame/page";
import type { Parameters } from "../frame/routes";
import { Missing } from "./missing";

/** Name of the entry's app, while its form is read. */
function calledOf(rotation: readonly Entry[] | undefined, installationId: string): string {
	const entry = rotation?.find((other) => other.installationId === installationId);
	return entry?.appName ?? "Settings of an app";
}

function Place({ device }: { device: Device }): JSX.Element {
	return (
		<p class="place">
			<a href="devices" data-page>
				Devices
			</a>{" "}
			/{" "}
			<a href={`devices/${device.id}`} data-page>
				{device.name}
			</a>
		</p>
	);
}

/** /devices/ID/apps/INSTALLATION: the settings of an app in a rotation, and how it runs. */
export function InstallationPage({ parameters }: { parameters: Parameters }): JSX.Element {
	const { id: deviceId = "", installation: installationId = "" } = parameters;
	const place = { deviceId, installationId };
	const [isSaved, setSaved] = useState(false);
	const devices = useDevices();
	const rotation = useResource(
		() => get("/web/devices/{deviceId}/rotation", {}, { deviceId }),
		[`rotation:${deviceId}`],
	);
	const entry = useResource(
		() => get("/web/devices/{deviceId}/rotation/{installationId}/settings", {}, place),
		[`rotation:${deviceId}`, "apps"],
	);
	const list = devices.value.value;
	const device = list?.find(({ id }) => id === deviceId);
	const problem = entry.problem.value ?? devices.problem.value;
	const stored = entry.value.value;
	if (problem?.status === 404 || (list && !device)) return <Missing />;
	if (!device)
		return problem ? <p class="notice bad">{problem.message}</p> : <div aria-busy="true" />;
	const save = async (settings: Settings) => {
		const path = "/web/devices/{deviceId}/rotation/{installationId}/settings";
		await put(path, { settings }, place);
		await entry.refresh();
		setSaved(true);
	};
	return (
		<div class="stack">
			<Place device={device} />
			<Heading
				title={stored?.app.name ?? calledOf(rotation.value.value?.entries, installationId)}
			/>
			{stored ? (
				<Setup
					target={{ appId: stored.app.id, deviceId, installationId }}
					appName={stored.app.name}
					timezone={device.timezone}
					devicePlace={device.place}
					form={stored}
					settings={stored.settings}
					secrets={stored.secrets}
					action="Save"
					isReady={false}
					onSave={save}
					beside={
						<span class="said" role="status">
							{isSaved && "Saved"}
						</span>
					}
				>
					<RenderState deviceId={deviceId} installationId={installationId} />
				</Setup>
			) : (
				<Reading problem={problem} />
			)}
		</div>
	);
}
