import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, put } from "../api/client";
import { useResource } from "../api/resource";
import { useDevices } from "../devices/store";
import { RenderState } from "../forms/render_state";
import { Setup } from "../forms/setup";
import type { Settings } from "../forms/fields";
import { Heading } from "../frame/page";
import type { Parameters } from "../frame/routes";
import { Missing } from "./missing";

/** /devices/ID/apps/INSTALLATION: the settings of an app in a rotation, and how it runs. */
export function InstallationPage({ parameters }: { parameters: Parameters }): JSX.Element {
	const { id: deviceId = "", installation: installationId = "" } = parameters;
	const place = { deviceId, installationId };
	const [isSaved, setSaved] = useState(false);
	const devices = useDevices();
	const entry = useResource(
		() => get("/web/devices/{deviceId}/rotation/{installationId}/settings", {}, place),
		[`rotation:${deviceId}`, "apps"],
	);
	const list = devices.value.value;
	const device = list?.find(({ id }) => id === deviceId);
	const problem = entry.problem.value ?? devices.problem.value;
	const stored = entry.value.value;
	if (problem?.status === 404 || (list && !device)) return <Missing />;
	if (!stored || !device)
		return problem ? <p class="notice bad">{problem.message}</p> : <div aria-busy="true" />;
	const save = async (settings: Settings) => {
		const path = "/web/devices/{deviceId}/rotation/{installationId}/settings";
		await put(path, { settings }, place);
		await entry.refresh();
		setSaved(true);
	};
	return (
		<div class="stack">
			<p class="place">
				<a href="devices" data-page>
					Devices
				</a>{" "}
				/{" "}
				<a href={`devices/${deviceId}`} data-page>
					{device.name}
				</a>
			</p>
			<Heading title={stored.app.name} />
			<Setup
				target={{ appId: stored.app.id, deviceId, installationId }}
				appName={stored.app.name}
				timezone={device.timezone}
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
		</div>
	);
}
