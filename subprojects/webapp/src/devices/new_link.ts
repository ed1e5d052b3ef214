import { post, type Schemas } from "../api/client";
import { confirm } from "../components/dialog";
import { isolated } from "../components/isolated";
import type { Device } from "./store";

type NewDevice = Schemas["NewDevice"];

/** Creates a new key if the user wants that; undefined: not. */
export async function renewKey(device: Device): Promise<NewDevice | undefined> {
	const isSure = await confirm({
		title: `Create a new key for ${isolated(device.name)}?`,
		text: "The old key stops working at once. The panel stays dark until you enter its new address.",
		action: "Create a new key",
	});
	if (!isSure) return undefined;
	return post("/web/devices/{deviceId}/key", undefined, { deviceId: device.id });
}

let made: NewDevice | undefined;

/** Hands a device's address, which is shown only once, to the page that flashes it. */
export function handOver(next: NewDevice): void {
	made = next;
}

/** Takes the address of the device that was handed over, once; undefined: none. */
export function takeHandedOver(deviceId: string): NewDevice | undefined {
	const taken = made?.device.id === deviceId ? made : undefined;
	made = undefined;
	return taken;
}
