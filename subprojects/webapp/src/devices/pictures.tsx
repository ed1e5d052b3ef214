import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post } from "../api/client";
import { BottomBar } from "../components/bottom_bar";
import { Button } from "../components/button";
import { Check } from "../components/check";
import { Choice } from "../components/choice";
import { isolated } from "../components/isolated";
import { Panel } from "../components/panel";
import { toast } from "../components/toast";
import { sizeOf, type Size } from "../panel/size";
import { toBase64 } from "./canvas";
import { isReady, prepare, usePrepared, type Chosen } from "./chosen";
import { BYTES_MAX, entryName, freeName, type Fit } from "./picture";
import type { PushProps } from "./push_props";
import { EndField } from "./way";

/** One of the pictures, as the panel will show it. */
function Tile(props: {
	chosen: Chosen;
	fit: Fit;
	size: Size;
	onRemove: () => void;
	isBusy: boolean;
}): JSX.Element {
	const { chosen, fit, size } = props;
	const { url, fault } = usePrepared(chosen, fit, 0.5, size);
	return (
		<li class="stack">
			<Panel size={size} picture={url} label={chosen.name} />
			<p class="pictures-name">{chosen.name}</p>
			{fault !== undefined && <p class="fault">{fault}</p>}
			<Button isDisabled={props.isBusy} onClick={props.onRemove}>
				Leave out<span class="only-read"> {chosen.name}</span>
			</Button>
		</li>
	);
}

interface Adding {
	fit: Fit;
	expiresIn: number;
	isQuiet: boolean;
}

/** Adds one as an entry. Throws a Problem, or an Error with a message for people. */
async function add(
	{ device }: PushProps,
	chosen: Chosen,
	name: string,
	how: Adding,
): Promise<void> {
	const blob = await prepare(chosen, how.fit, 0.5, sizeOf(device.size));
	if (blob.size > BYTES_MAX) throw new Error("It is too large for a panel: leave it out.");
	const body = {
		image: await toBase64(blob),
		installationId: name,
		background: how.isQuiet,
		...(how.expiresIn > 0 && { expiresIn: how.expiresIn }),
	};
	await post("/web/devices/{deviceId}/push", body, { deviceId: device.id });
}

interface Work {
	isBusy: boolean;
	fault: string | undefined;
	addAll: () => Promise<void>;
}

/** Adds all of them, one after the other; each goes from the list once it is stored. */
function useAdding(props: PushProps, how: Adding): Work {
	const [isBusy, setBusy] = useState(false);
	const [fault, setFault] = useState<string>();
	const addAll = async () => {
		const names = [...props.taken];
		setBusy(true);
		setFault(undefined);
		try {
			for (const chosen of props.chosen) {
				const name = freeName(entryName(chosen.name), names);
				await add(props, chosen, name, how).catch((error: unknown) => {
					const words = error instanceof Error ? error.message : String(error);
					throw new Error(`${isolated(chosen.name)}: ${words}`, { cause: error });
				});
				names.push(name);
				props.onDone(chosen.number, name);
			}
			const { length } = props.chosen;
			toast(
				length === 1 ? "1 picture is in the rotation" : `${length} pictures are in the rotation`,
			);
		} catch (error) {
			if (!(error instanceof Error)) throw error;
			setFault(error.message);
		} finally {
			setBusy(false);
		}
	};
	return { isBusy, fault, addAll };
}

/** Several pictures that become entries of the rotation in one go. */
export function Pictures(props: PushProps): JSX.Element {
	const { chosen } = props;
	const size = sizeOf(props.device.size);
	const [how, setHow] = useState<Adding>({ fit: "crop", expiresIn: 0, isQuiet: true });
	const { isBusy, fault, addAll } = useAdding(props, how);
	const change = (part: Partial<Adding>) => setHow({ ...how, ...part });
	return (
		<div class="review stack">
			<ul class="pictures">
				{chosen.map((one) => (
					<Tile
						key={one.number}
						chosen={one}
						fit={how.fit}
						size={size}
						isBusy={isBusy}
						onRemove={() => props.onDone(one.number)}
					/>
				))}
			</ul>
			{chosen.some((one) => !isReady(one, size)) && (
				<Choice
					label={`Fit, for a panel of ${size.width}x${size.height}`}
					isBoxed
					value={how.fit}
					onChange={(fit) => change({ fit })}
					options={[
						{ value: "scale", words: "Scale", about: "Whole picture, with black bars" },
						{ value: "crop", words: "Crop", about: "Fills the panel and cuts the edges" },
					]}
				/>
			)}
			<EndField value={how.expiresIn} onChange={(expiresIn) => change({ expiresIn })} />
			<Check
				label="Do not interrupt the current picture"
				isOn={how.isQuiet}
				onChange={(isQuiet) => change({ isQuiet })}
			/>
			{fault !== undefined && (
				<p class="notice bad" role="alert">
					{fault}
				</p>
			)}
			<BottomBar label="Add the pictures">
				<Button kind="primary" isBusy={isBusy} onClick={() => void addAll()}>
					{chosen.length === 1 ? "Add the picture" : `Add ${chosen.length} pictures`}
				</Button>
				<Button
					isDisabled={isBusy}
					onClick={() => chosen.forEach(({ number }) => props.onDone(number))}
				>
					Cancel
				</Button>
			</BottomBar>
		</div>
	);
}
