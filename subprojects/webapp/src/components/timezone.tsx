import type { JSX } from "preact";
import { Combobox } from "./combobox";

export function browserTimezone(): string {
	return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** "14:05, GMT+1" where the browser knows the zone. */
function timeIn(zone: string): string {
	try {
		const parts = new Intl.DateTimeFormat("en-GB", {
			timeZone: zone,
			hour: "2-digit",
			minute: "2-digit",
			timeZoneName: "shortOffset",
		}).formatToParts(new Date());
		const part = (type: string) => parts.find((other) => other.type === type)?.value ?? "";
		return `${part("hour")}:${part("minute")}, ${part("timeZoneName")}`;
	} catch {
		return "";
	}
}

let zones: readonly string[] | undefined;

function zoneList(): readonly string[] {
	zones ??= ["UTC", ...Intl.supportedValuesOf("timeZone")];
	return zones;
}

interface TimezoneProps {
	value: string;
	onChoose: (zone: string) => void;
	fault?: string | undefined;
	said?: string | undefined;
}

export function Timezone({ value, onChoose, fault, said }: TimezoneProps): JSX.Element {
	return (
		<Combobox
			label="Time zone"
			value={value}
			options={zoneList}
			about={timeIn}
			onChoose={onChoose}
			fault={fault}
			said={said}
			help={`It is ${timeIn(value)} there.`}
		/>
	);
}
