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

/** Board and address of a panel to connect, as a phone gets them. */
export interface Told {
	board: string;
	address: PanelAddress;
}

/** "BOARD/DEVICE/KEY", as it stands in the fragment of the guide for a phone. */
export function parseTold(text: string): Told | undefined {
	const [, board, rest] = /^([a-z0-9_]{1,40})\/(.+)$/.exec(text) ?? [];
	const address = rest === undefined ? undefined : parseAddress(rest);
	return board !== undefined && address ? { board, address } : undefined;
}

export function formatTold({ board, address }: Told): string {
	return `${board}/${formatAddress(address)}`;
}

export function formatAddress(address: PanelAddress): string {
	return `${address.device}/${address.key}`;
}

function urlOf(text: string): URL | undefined {
	try {
		return new URL(text.trim());
	} catch {
		return undefined;
	}
}

const DEVICE_PATH = /^(.*\/)d\/([^/]+)\/(?:ws|next)$/;

/** Parses a device's URL as the server prints it: .../d/DEVICE/ws?key=KEY, or .../next?key=KEY. */
export function parseDeviceUrl(text: string): PanelAddress | undefined {
	const url = urlOf(text);
	const device = url && DEVICE_PATH.exec(url.pathname)?.[2];
	return device ? addressOf(device, url.searchParams.get("key") ?? "") : undefined;
}

/** Returns the site of a device's URL, with the path of a proxy: other machines open the pages below it. */
export function siteOf(text: string): URL | undefined {
	const url = urlOf(text);
	const path = url && DEVICE_PATH.exec(url.pathname)?.[1];
	const scheme = url && /^(?:ws|http)(s?):$/.exec(url.protocol);
	return path && scheme ? new URL(`http${scheme[1] ?? ""}://${url.host}${path}`) : undefined;
}
