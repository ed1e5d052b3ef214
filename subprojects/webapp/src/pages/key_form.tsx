import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, type Schemas } from "../api/client";
import { useResource } from "../api/resource";
import { Check } from "../components/check";
import { Choice } from "../components/choice";
import { Field } from "../components/field";
import { Form } from "../components/form";
import { Ending } from "./key_set_up";

type Key = Schemas["Key"];
type Wish = Schemas["KeyCreation"];
type Scope = Key["scope"];

export const scopes: readonly { value: Scope; words: string; about: string }[] = [
	{
		value: "push",
		words: "Show pictures",
		about: "Pushes and ends pictures. Cannot read anything.",
	},
	{
		value: "devices",
		words: "Show pictures and manage devices",
		about: "Reads and changes devices and their rotations.",
	},
	{ value: "all", words: "Everything", about: "Also submits and deploys apps." },
];

/** Returns the local date of the last day of a key that ends at this moment. */
function lastDay(endsAt: string | null): string {
	if (endsAt === null) return "";
	const before = new Date(Date.parse(endsAt) - 1);
	const pad = (number: number) => String(number).padStart(2, "0");
	return `${before.getFullYear()}-${pad(before.getMonth() + 1)}-${pad(before.getDate())}`;
}

/** Returns the moment at which a local day is over; undefined: it is no day. */
function endOf(day: string): string | undefined {
	const end = new Date(`${day}T00:00`);
	if (Number.isNaN(end.getTime())) return undefined;
	end.setDate(end.getDate() + 1);
	return end.toISOString();
}

interface DevicesProps {
	chosen: readonly string[] | null;
	onChange: (chosen: readonly string[] | null) => void;
	fault: string | undefined;
}

function Devices({ chosen, onChange, fault }: DevicesProps): JSX.Element {
	const devices = useResource(() => get("/web/devices"), ["devices"]).value.value ?? [];
	return (
		<>
			<Choice
				label="Devices"
				value={chosen ? "chosen" : "all"}
				options={[
					{ value: "all", words: "All, including new devices" },
					{ value: "chosen", words: "Selected devices" },
				]}
				onChange={(value) => onChange(value === "all" ? null : [])}
				fault={fault !== undefined && chosen?.length === 0 ? "Choose at least one." : fault}
			/>
			{chosen && (
				<fieldset class="field">
					<legend class="only-read">Devices the key can use</legend>
					<div class="choices">
						{devices.map(({ id, name }) => (
							<Check
								key={id}
								label={name}
								isOn={chosen.includes(id)}
								onChange={(isOn) =>
									onChange(isOn ? [...chosen, id] : chosen.filter((other) => other !== id))
								}
							/>
						))}
					</div>
				</fieldset>
			)}
		</>
	);
}

interface KeyFormProps {
	/** The key to change; undefined: a new one. */
	of?: Key;
	action: string;
	beside?: JSX.Element;
	/** isKept: what the key has set up stays, even if it may not have it any more. */
	onSubmit: (wish: Wish, isKept: boolean) => Promise<void>;
}

/** Form for the name and the scope of a key. */
export function KeyForm({ of, action, beside, onSubmit }: KeyFormProps): JSX.Element {
	const [name, setName] = useState(of?.name ?? "");
	const [scope, setScope] = useState<Scope>(of?.scope ?? "all");
	const [chosen, setChosen] = useState<readonly string[] | null>(of?.deviceIds ?? null);
	const [day, setDay] = useState(lastDay(of?.endsAt ?? null));
	const [isKept, setKept] = useState(false);
	const isLimited = scope !== "all" || chosen !== null;
	const end = day === "" ? {} : { endsAt: endOf(day) ?? day };
	return (
		<Form
			action={action}
			onSubmit={() =>
				onSubmit(
					{ name, scope, ...(chosen ? { deviceIds: [...chosen] } : {}), ...end },
					isKept && isLimited,
				)
			}
			names={["name", "scope", "deviceIds", "endsAt"]}
			beside={beside}
		>
			{(faults) => (
				<>
					<Field
						label={of ? "Name" : "Name of a new key"}
						name="name"
						value={name}
						onInput={setName}
						fault={faults.get("name")}
						help="The program or computer that uses the key."
						maxLength={100}
						isRequired
					/>
					<Choice
						label="Permissions"
						value={scope}
						options={scopes}
						onChange={setScope}
						fault={faults.get("scope")}
					/>
					<Devices chosen={chosen} onChange={setChosen} fault={faults.get("deviceIds")} />
					{of && of.setUp.length > 0 && isLimited && (
						<Ending of={of.setUp} isKept={isKept} onKeep={setKept} />
					)}
					<Field
						label="Expires after"
						name="endsAt"
						type="date"
						value={day}
						onInput={setDay}
						fault={faults.get("endsAt")}
						help="Leave empty for a key that never expires."
					/>
				</>
			)}
		</Form>
	);
}
