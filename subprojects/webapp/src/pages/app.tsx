import { RowActions, type Action } from "../components/actions";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, Problem, remove, type Schemas } from "../api/client";
import { useResource, type Resource } from "../api/resource";
import { Empty } from "../components/empty";
import { isolated } from "../components/isolated";
import { toast } from "../components/toast";
import { Broken, Origin, pathOf, Tags } from "../forms/app_about";
import { AppPicture } from "../forms/app_picture";
import { AppSource } from "../forms/app_source";
import { Hosts } from "../forms/render_state";
import { removed, removeLater, settleRemoval } from "../devices/removals";
import { Heading } from "../frame/page";
import type { Parameters } from "../frame/routes";
import { Missing } from "./missing";

type CatalogueApp = Schemas["CatalogueApp"];
type Device = Schemas["AppDevice"];

/** The limit of a rotation. */
const ENTRIES_MAX = 100;

function times(count: number): string {
	return count === 1 ? "Installed" : `Installed ${count} times`;
}

interface LineProps {
	app: CatalogueApp;
	device: Device;
	onDone: () => Promise<void>;
}

/** Removes it from the page now, and from the device when it is too late for undo. */
function removeFrom({ app, device, onDone }: LineProps, installationId: string): void {
	const key = `${device.id}/${installationId}`;
	const undo = removeLater(key, (isLeaving) => {
		const place = { deviceId: device.id, installationId };
		const options = { keepalive: isLeaving };
		void remove("/web/devices/{deviceId}/rotation/{installationId}", place, options)
			.catch((error: unknown) => {
				if (!(error instanceof Problem)) throw error;
				if (error.status !== 404) toast(error.message);
			})
			.then(onDone)
			.finally(() => settleRemoval(key));
	});
	toast(`${isolated(app.name)} removed from ${isolated(device.name)}`, undo);
}

function DeviceLine(props: LineProps): JSX.Element {
	const { app, device } = props;
	const here = device.installations.filter((id) => !removed.value.has(`${device.id}/${id}`));
	const entries = device.entryCount - device.installations.length + here.length;
	const last = here.at(-1);
	const install: Action = {
		words: here.length === 0 ? "Install" : "Install again",
		of: `on ${device.name}`,
		to: `apps/${pathOf(app)}/install/${device.id}`,
	};
	const onDevice: Action[] =
		last === undefined
			? []
			: [
					{ words: "Set up", of: `on ${device.name}`, to: `devices/${device.id}/apps/${last}` },
					{
						words: "Remove",
						of: `from ${device.name}`,
						onClick: () => removeFrom(props, last),
					},
				];
	const actions = entries < ENTRIES_MAX ? [install, ...onDevice] : onDevice;
	return (
		<li class="device-line">
			<span class="two-lines">
				<a href={`devices/${device.id}`} data-page>
					{device.name}
				</a>
				<span class="quiet">
					{here.length > 0
						? times(here.length)
						: entries < ENTRIES_MAX
							? `${entries} of ${ENTRIES_MAX} entries in the rotation`
							: "The rotation is full: remove an entry first"}
				</span>
			</span>
			<RowActions name={device.name} actions={actions} />
		</li>
	);
}

function Devices({
	app,
	devices,
}: {
	app: CatalogueApp;
	devices: Resource<Device[]>;
}): JSX.Element | null {
	const rows = devices.value.value;
	if (!rows) return null;
	if (rows.length === 0)
		return (
			<Empty title="No devices yet">
				<p>
					<a href="devices" data-page>
						Add a device
					</a>{" "}
					to install this app on it.
				</p>
			</Empty>
		);
	return (
		<ul class="device-lines">
			{rows.map((device) => (
				<DeviceLine key={device.id} app={app} device={device} onDone={() => devices.refresh()} />
			))}
		</ul>
	);
}

function About({ app }: { app: CatalogueApp }): JSX.Element {
	return (
		<>
			{app.description !== "" && <p class="words said-text">{app.description}</p>}
			<p class="quiet">
				<Origin app={app} />
				{app.isPrivate && ", only you can install it"}
			</p>
			<Tags app={app} />
			{!app.isOwn && (
				<p>
					<a href={`apps?q=${encodeURIComponent(app.author)}`} data-page>
						Other apps by {isolated(app.author)}
					</a>
				</p>
			)}
			<Broken app={app} />
			<Hosts hosts={app.hosts} />
			{app.isOwn && (
				<p>
					<a href={`studio/${app.collection === undefined ? app.slug : app.id}`} data-page>
						Open in the studio
					</a>
				</p>
			)}
		</>
	);
}

/** /apps/SLUG: what an app is, and where to install it. */
export function AppPage({ parameters }: { parameters: Parameters }): JSX.Element {
	const slug = parameters["id"] ?? "";
	const app = useResource(
		() => get("/web/apps/{appId}", {}, { appId: slug }),
		["apps", `app:${slug}`],
	);
	const [rotations, setRotations] = useState<string[]>([]);
	const devices = useResource(
		() => get("/web/apps/{appId}/devices", {}, { appId: slug }),
		["devices", `app:${slug}`, ...rotations],
	);
	const rows = devices.value.value;
	useEffect(() => setRotations(rows?.map(({ id }) => `rotation:${id}`) ?? []), [rows]);
	const shown = app.value.value;
	if (app.problem.value?.status === 404) return <Missing />;
	if (!shown)
		return app.problem.value ? (
			<p class="notice bad">{app.problem.value.message}</p>
		) : (
			<div aria-busy="true" />
		);
	return (
		<div class="stack wide">
			<div class="stack">
				<p class="place">
					<a href="apps" data-page>
						Apps
					</a>
				</p>
				<div class="app-head">
					<AppPicture app={shown} />
					<div class="stack">
						<Heading title={shown.name} />
						<About app={shown} />
					</div>
				</div>
			</div>
			<section class="stack" aria-labelledby="install">
				<h2 id="install">Install on</h2>
				<Devices app={shown} devices={devices} />
			</section>
			<AppSource app={shown} />
		</div>
	);
}
