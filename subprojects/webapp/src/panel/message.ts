/** Text message of the server to a panel; unknown members are ignored. */
export interface Message {
	dwellS?: number;
	brightness?: number;
	immediate?: boolean;
}

function numberIn(value: unknown, low: number, high: number): number | undefined {
	if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
	return Math.min(Math.max(Math.trunc(value), low), high);
}

/** Parses a message; undefined: it is no JSON object. */
export function parseMessage(text: string): Message | undefined {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return undefined;
	}
	if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
	const fields = value as Record<string, unknown>;
	const message: Message = {};
	const dwellS = numberIn(fields["dwell_secs"], 1, 3600);
	const brightness = numberIn(fields["brightness"], 0, 100);
	if (dwellS !== undefined) message.dwellS = dwellS;
	if (brightness !== undefined) message.brightness = brightness;
	if (fields["immediate"] === true) message.immediate = true;
	return message;
}
