/** Panel that the browser acts as: the device, and its own key. */
export interface PanelAddress {
	device: string;
	key: string;
}

const PART = /^[A-Za-z0-9_:-]{1,64}$/;

function addressOf(device: string, key: string): PanelAddress | undefined {
	return PART.test(device) && PART.test(key) ? { device, key } : undefined;
}

/** "DEVICE/KEY", as it stands in the fragment of the page's URL and in the browser's storage. */
export function parseAddress(text: string): PanelAddress | undefined {
	const [device, key, ...more] = text.split("/");
	if (device === undefined || key === undefined || more.length > 0) return undefined;
	return addressOf(device, key);
}

export function formatAddress(address: PanelAddress): string {
	return `${address.device}/${address.key}`;
}

/** Parses a device's URL as the server prints it: .../d/DEVICE/ws?key=KEY, or .../next?key=KEY. */
export function parseDeviceUrl(text: string): PanelAddress | undefined {
	let url: URL;
	try {
		url = new URL(text.trim());
	} catch {
		return undefined;
	}
	const found = /\/d\/([^/]+)\/(?:ws|next)$/.exec(url.pathname);
	return found?.[1] ? addressOf(found[1], url.searchParams.get("key") ?? "") : undefined;
}
