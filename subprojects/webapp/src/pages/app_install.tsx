import type { JSX } from "preact";
import { get, post, type Schemas } from "../api/client";
import { useResource } from "../api/resource";
import { isolated } from "../components/isolated";
import { toast } from "../components/toast";
import { arrived } from "../devices/arrival";
import { useDevices, type Device } from "../devices/store";
import { pathOf } from "../forms/app_about";
import { Reading, Setup } from "../forms/setup";
import { settingsAt, type Settings } from "../forms/fields";
import { Heading } from "../frame/page";
import { go } from "../frame/place";
import type { Parameters } from "../frame/routes";
import { Missing } from "./missing";

type CatalogueApp = Schemas["CatalogueApp"];

async function install(app: CatalogueApp, device: Device, settings: Settings): Promise<void> {
	const body = { app: app.id, settings };
	const made = await post("/web/devices/{deviceId}/apps", body, { deviceId: device.id });
	arrived.value = `${device.id}/${made.id}`;
	toast(`${isolated(app.name)} added to the rotation of ${isolated(device.name)}`);
	go(`devices/${device.id}`);
}

/** /apps/SLUG/install/DEVICE: the form with a preview, and the button that installs. */
export function InstallPage({ parameters }: { parameters: Parameters }): JSX.Element {
	const { id: slug = "", device: deviceId = "" } = parameters;
	const devices = useDevices();
	const topics = ["apps", `app:${slug}`];
	const app = useResource(() => get("/web/apps/{appId}", {}, { appId: slug }), topics);
	const form = useResource(
		() => get("/web/apps/{appId}/schema", { deviceId }, { appId: slug }),
		topics,
	);
	const shown = app.value.value;
	const list = devices.value.value;
	const device = list?.find(({ id }) => id === deviceId);
	const problem = app.problem.value ?? form.problem.value ?? devices.problem.value;
	if (problem?.status === 404 || (list && !device)) return <Missing />;
	if (!shown || !device)
		return problem ? <p class="notice bad">{problem.message}</p> : <div aria-busy="true" />;
	return (
		<div class="stack">
			<p class="place">
				<a href={`devices/${device.id}`} data-page>
					{device.name}
				</a>{" "}
				/{" "}
				<a href={`devices/${device.id}/add`} data-page>
					Add an app
				</a>{" "}
				/{" "}
				<a href={`apps/${pathOf(shown)}`} data-page>
					{shown.name}
				</a>
			</p>
			<Heading title={`${isolated(shown.name)} on ${isolated(device.name)}`} />
			{form.value.value ? (
				<Setup
					target={{ appId: shown.id, deviceId }}
					appName={shown.name}
					timezone={device.timezone}
					devicePlace={device.place}
					form={form.value.value}
					settings={settingsAt(device.place, form.value.value.fields)}
					secrets={[]}
					action="Install"
					isReady
					note="The preview uses your settings. The app may contact its hosts on the internet for it."
					onPreview={() => {
						// Retries a form that needed the network: its answer is cached by now.
						if (form.value.value?.problem) void form.refresh();
					}}
					onSave={(settings) => install(shown, device, settings)}
				/>
			) : (
				<Reading problem={problem} />
			)}
		</div>
	);
}
