import { effect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { get, Problem, revisionOf, type Schemas } from "../api/client";
import { onChanged, panelNews } from "../api/live";
import { useResource, type Resource } from "../api/resource";
import { start } from "../api/session";
import { base } from "../frame/place";

export type Device = Schemas["Device"];
export type DeviceUpdate = Schemas["DeviceUpdate"];
export type Entry = Schemas["RotationEntry"];
export type RotationResource = Resource<Schemas["Rotation"]>;

/** Devices of one account that the previous page knew: the next page begins with them. */
let known: { accountId: string; devices: Device[] } | undefined;

function isSame(one: unknown, other: unknown): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns the list with this device updated. */
export function withDevice(devices: readonly Device[], device: Device): Device[] {
	return devices.map((other) =>
		other.id === device.id && !isSame(other, device) ? device : other,
	);
}

/** Delay before reloading a device: the server stores a new panel's report a little later. */
const TOLD_MS = 3_000;

export interface Devices extends Resource<Device[]> {
	/** Takes the server's answer to a change. */
	update: (device: Device) => void;
}

/** The account's devices, oldest first, kept current. */
export function useDevices(): Devices {
	const accountId = start.value?.account?.id ?? "";
	const resource = useResource(
		() => get("/web/devices"),
		["devices"],
		known?.accountId === accountId ? known.devices : undefined,
	);
	if (resource.value.value) known = { accountId, devices: resource.value.value };
	const [newest] = useState(() => new Map<string, number>());
	const update = (device: Device) => {
		const revision = revisionOf(device) ?? Infinity;
		// The answer is older than one received before.
		if (revision < (newest.get(device.id) ?? 0)) return;
		if (revision !== Infinity) newest.set(device.id, revision);
		const list = resource.value.peek();
		if (list) resource.set(withDevice(list, device));
	};
	const reload = (deviceId: string) => {
		if (!resource.value.peek()?.some(({ id }) => id === deviceId)) return;
		get("/web/devices/{deviceId}", {}, { deviceId }).then(update, (error: unknown) => {
			if (!(error instanceof Problem)) throw error;
			if (error.status === 404) void resource.refresh();
		});
	};
	useEffect(
		() =>
			onChanged((topic) => {
				const [kind, deviceId] = topic?.split(":") ?? [];
				if (kind === "device" && deviceId !== undefined) reload(deviceId);
			}),
		[],
	);
	useEffect(
		() =>
			effect(() => {
				for (const device of resource.value.value ?? []) {
					if (device.connectedAt !== null || !panelNews(device.id).value?.isOnline) continue;
					setTimeout(reload, TOLD_MS, device.id);
					update({ ...device, connectedAt: new Date().toISOString() });
				}
			}),
		[],
	);
	return { ...resource, update };
}

/** URL of a picture of a device. */
export function pictureUrl(deviceId: string, hash: string): string {
	return new URL(`web/devices/${encodeURIComponent(deviceId)}/pictures/${hash}`, base).href;
}
