import type { JSX } from "preact";
import { Button } from "../components/button";
import { Fault } from "../components/fault";
import { findPlaces } from "../forms/ask";
import { readPlace, writePlace } from "../forms/fields";
import { PlacePicker } from "../forms/place";
import type { Saver } from "./saver";
import type { DeviceUpdate } from "./store";

interface PlaceSettingProps {
	/** Stored place and time zone of the device. */
	stored: string;
	timezone: string;
	saver: Saver<DeviceUpdate[keyof DeviceUpdate]>;
	zoneSaver: Saver<DeviceUpdate[keyof DeviceUpdate]>;
}

/** The place of a device, which its apps can take; its time zone stays unless the user takes that. */
export function PlaceSetting({
	stored,
	timezone,
	saver,
	zoneSaver,
}: PlaceSettingProps): JSX.Element {
	const place = readPlace(typeof saver.chosen === "string" ? saver.chosen : stored);
	const zone = place?.timezone ?? "";
	return (
		<div class="form-fields" role="group" aria-label="Place of the device">
			<PlacePicker
				label="Place"
				place={place}
				onPlace={(next) => saver.save(writePlace(next))}
				help="Apps can use it, such as for the weather. Enter the name of a town."
				fault={saver.fault}
				said={saver.said}
				isDisabled={false}
				timezone={timezone}
				find={findPlaces}
			/>
			{place && (
				<span class="row">
					{zone !== "" && zone !== timezone && (
						<Button onClick={() => zoneSaver.save(zone)}>
							Use its time zone, {zone.replaceAll("_", " ")}
						</Button>
					)}
					<Button onClick={() => saver.save("")}>Remove the place</Button>
				</span>
			)}
			<Fault label="Time zone" fault={zoneSaver.fault} />
		</div>
	);
}
