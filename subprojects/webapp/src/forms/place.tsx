import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { Button } from "../components/button";
import { Fault } from "../components/fault";
import { Field } from "../components/field";
import { Finder } from "../components/finder";
import { browserTimezone, Timezone } from "../components/timezone";
import { useTyped } from "../components/typed";
import { DEVICE_PLACE, readDegrees, readPlace, writePlace, type Place } from "./fields";
import { helpOf, labelOf, type FieldProps } from "./props";

/** Decimals of coordinates, about the size of a town: an app gets no more precision than it needs. */
const DECIMALS = 2;

function coordinates({ latitude, longitude }: Place): string {
	const side = (degrees: number, positive: string, negative: string) =>
		`${Math.abs(degrees).toFixed(DECIMALS)}° ${degrees < 0 ? negative : positive}`;
	return `${side(latitude, "N", "S")}, ${side(longitude, "E", "W")}`;
}

function rounded(degrees: number): number {
	return Number(degrees.toFixed(DECIMALS));
}

function DegreesField({
	label,
	largest,
	value,
	isDisabled,
	onChange,
}: {
	label: string;
	largest: number;
	value: number | undefined;
	isDisabled: boolean;
	onChange: (degrees: number) => void;
}): JSX.Element {
	const [text, setText] = useTyped(value);
	const degrees = readDegrees(text ?? "", largest);
	return (
		<Field
			label={label}
			name={label}
			value={text ?? (value === undefined ? "" : String(value))}
			onInput={setText}
			onLeave={() => {
				if (degrees !== undefined && degrees !== value) onChange(degrees);
			}}
			fault={
				text !== undefined && text !== "" && degrees === undefined
					? `Enter a number from −${largest} to ${largest}.`
					: undefined
			}
			isDisabled={isDisabled}
			isVerbatim
		/>
	);
}

/** Fields for the coordinates of a place that is not in the list. */
function ByHand({
	place,
	timezone,
	isDisabled,
	onChange,
}: {
	place: Place | undefined;
	timezone: string;
	isDisabled: boolean;
	onChange: (place: Place) => void;
}): JSX.Element {
	const [draft = {}, setDraft] = useTyped<Partial<Place>>(place && writePlace(place));
	const known: Partial<Place> = place ?? { timezone };
	const change = (part: Partial<Place>) => {
		const { latitude, longitude, ...rest } = { ...known, ...draft, ...part };
		if (latitude === undefined || longitude === undefined) setDraft({ ...draft, ...part });
		else {
			const hasMoved = "latitude" in part || "longitude" in part;
			const name = hasMoved ? "" : (rest.name ?? "");
			onChange({ latitude, longitude, name, timezone: rest.timezone ?? timezone });
		}
	};
	const at = { ...known, ...draft };
	return (
		<>
			<div class="pair">
				<DegreesField
					label="Latitude"
					largest={90}
					value={at.latitude}
					isDisabled={isDisabled}
					onChange={(latitude) => change({ latitude })}
				/>
				<DegreesField
					label="Longitude"
					largest={180}
					value={at.longitude}
					isDisabled={isDisabled}
					onChange={(longitude) => change({ longitude })}
				/>
			</div>
			<Timezone value={at.timezone ?? timezone} onChoose={(zone) => change({ timezone: zone })} />
		</>
	);
}

function Here({ onPlace }: { onPlace: (place: Place) => void }): JSX.Element {
	const [isBusy, setBusy] = useState(false);
	const [fault, setFault] = useState<string>();
	const ask = () => {
		setBusy(true);
		setFault(undefined);
		navigator.geolocation.getCurrentPosition(
			({ coords }) => {
				setBusy(false);
				onPlace({
					name: "",
					latitude: rounded(coords.latitude),
					longitude: rounded(coords.longitude),
					timezone: browserTimezone(),
				});
			},
			() => {
				setBusy(false);
				setFault("The browser did not share its place.");
			},
			{ timeout: 20_000 },
		);
	};
	return (
		<span class="row">
			<Button isBusy={isBusy} onClick={ask}>
				Use this browser's place
			</Button>
			{fault !== undefined && <span class="fault">{fault}</span>}
		</span>
	);
}

interface PlacePickerProps {
	label: string;
	place: Place | undefined;
	onPlace: (place: Place) => void;
	help: string | undefined;
	fault: string | undefined;
	isDisabled: boolean;
	said?: string | undefined;
	timezone: string;
	find: (text: string) => Promise<readonly Place[]>;
}

/** Chooses a place by its name, or by its coordinates if it is not in the list. */
export function PlacePicker(props: PlacePickerProps): JSX.Element {
	const { place, onPlace, isDisabled } = props;
	const id = useId();
	const canLocate = isSecureContext && "geolocation" in navigator;
	return (
		<div class="form-fields">
			<Finder
				label={props.label}
				value={place ? place.name || coordinates(place) : ""}
				find={props.find}
				matchOf={(found) => ({
					key: `${found.latitude},${found.longitude},${found.name}`,
					words: found.name,
					about: found.timezone.replaceAll("_", " "),
				})}
				onChoose={onPlace}
				placeholder="A town"
				nothing="No matches. The list has towns of 15,000 people and more, and no postal codes. For other places, enter coordinates"
				help={
					place
						? `${coordinates(place)}, time of ${place.timezone.replaceAll("_", " ")}`
						: (props.help ?? "Enter the name of a town.")
				}
				fault={props.fault}
				said={props.said}
				isDisabled={isDisabled}
			/>
			<div class="form-place">
				<details id={id}>
					<summary>Enter coordinates</summary>
					<div class="form-fields">
						{canLocate && !isDisabled && <Here onPlace={onPlace} />}
						<ByHand
							place={place}
							timezone={props.timezone}
							isDisabled={isDisabled}
							onChange={onPlace}
						/>
					</div>
				</details>
			</div>
		</div>
	);
}

/** Returns the name of a stored place, or its coordinates. */
function nameOf(text: string): string | undefined {
	const place = readPlace(text);
	return place && (place.name || coordinates(place));
}

/** The choice between the device's place and another one. */
function OfDevice({
	label,
	devicePlace,
	isOn,
	isDisabled,
	onChange,
}: {
	label: string;
	devicePlace: string;
	isOn: boolean;
	isDisabled: boolean;
	onChange: (isOn: boolean) => void;
}): JSX.Element {
	const id = useId();
	const name = nameOf(devicePlace) ?? "none yet, set it in the settings of the device";
	return (
		<div class="field">
			<label class="check">
				<input
					type="checkbox"
					checked={isOn}
					disabled={isDisabled}
					aria-describedby={id}
					onChange={(event) => onChange(event.currentTarget.checked)}
				/>
				<span>
					Use the device's place<span class="only-read"> for {label}</span>
				</span>
			</label>
			<p class="quiet" id={id}>
				{label}: {name}
			</p>
		</div>
	);
}

export function PlaceField(props: FieldProps): JSX.Element {
	const { devicePlace = "" } = props.context;
	const isOfDevice = props.value === DEVICE_PLACE;
	if (!isOfDevice && devicePlace === "") return <OwnPlace {...props} />;
	return (
		<>
			<OfDevice
				label={labelOf(props.field)}
				devicePlace={devicePlace}
				isOn={isOfDevice}
				isDisabled={props.isDisabled}
				onChange={(isOn) => props.onChange(isOn ? DEVICE_PLACE : devicePlace)}
			/>
			{!isOfDevice && <OwnPlace {...props} />}
			<Fault label={labelOf(props.field)} fault={isOfDevice ? props.fault : undefined} />
		</>
	);
}

function OwnPlace(props: FieldProps): JSX.Element {
	const { field, value, onChange, context } = props;
	return (
		<PlacePicker
			label={labelOf(field)}
			place={readPlace(value)}
			onPlace={(place) => onChange(writePlace(place))}
			help={helpOf(field)}
			fault={props.fault}
			isDisabled={props.isDisabled}
			timezone={context.timezone}
			find={context.answers.places}
		/>
	);
}
