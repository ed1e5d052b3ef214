import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../api/client";
import { Button } from "../components/button";
import { Choice } from "../components/choice";
import { Empty } from "../components/empty";
import { Panel } from "../components/panel";
import { toast } from "../components/toast";
import { choose, isReady, preparedFor, usePrepared, type Chosen } from "../devices/chosen";
import type { Fit } from "../devices/picture";
import { send } from "../devices/push";
import { useDevices, type Device } from "../devices/store";
import { newWay } from "../devices/way";
import { Heading } from "../frame/page";
import { go } from "../frame/place";
import { SMALL, sizeOf } from "../panel/size";
import { findShared, forgetShared } from "../share/kept";

type Duration = "15" | "held";

/** Finds what was shared; a text says why there is no picture. */
function useShared(): Chosen | string | undefined {
	const [shared, setShared] = useState<Chosen | string>();
	useEffect(() => {
		const find = async () => {
			const file = await findShared();
			setShared(file ? await choose(file) : "");
		};
		void find();
	}, []);
	return shared;
}

function Nothing({ fault }: { fault: string }): JSX.Element {
	return (
		<Empty title="No picture">
			<p class="words">
				{fault || "Share a picture from your gallery with displayd, and it stands here."}
			</p>
			<p>
				<a href="account" data-page>
					Install displayd as an app
				</a>{" "}
				to share pictures with it.
			</p>
		</Empty>
	);
}

interface TargetsProps {
	chosen: Chosen;
	fit: Fit;
	duration: Duration;
}

/** A button for each device, which shows the picture there. */
function Targets({ chosen, fit, duration }: TargetsProps): JSX.Element | null {
	const devices = useDevices().value.value;
	const [busy, setBusy] = useState<string>();
	if (!devices) return null;
	const show = async (device: Device) => {
		setBusy(device.id);
		try {
			const blob = await preparedFor(chosen, fit, 0.5, sizeOf(device.size));
			await send(device, blob, newWay(duration === "held" ? "held" : 15, ""));
			await forgetShared();
			go(`devices/${device.id}`, { replaces: true });
		} catch (error) {
			setBusy(undefined);
			if (!(error instanceof Error)) throw error;
			toast(
				error instanceof Problem ? error.message : `The picture was not shown: ${error.message}`,
			);
		}
	};
	if (devices.length === 0)
		return (
			<p class="words">
				You have no device yet.{" "}
				<a href="devices/new" data-page>
					Add one
				</a>
				, and share the picture again.
			</p>
		);
	return (
		<div class="row">
			{devices.map((device) => (
				<Button
					key={device.id}
					kind="primary"
					isBusy={busy === device.id}
					isDisabled={busy !== undefined}
					onClick={() => void show(device)}
				>
					Show on {device.name}
				</Button>
			))}
		</div>
	);
}

function Shared({ chosen }: { chosen: Chosen }): JSX.Element {
	const [fit, setFit] = useState<Fit>("crop");
	const [duration, setDuration] = useState<Duration>("15");
	const prepared = usePrepared(chosen, fit, 0.5, SMALL);
	const discard = async () => {
		await forgetShared();
		go("devices", { replaces: true });
	};
	return (
		<>
			<Panel picture={prepared.url} label={`Preview of ${chosen.name}`} />
			{prepared.fault && <p class="notice bad">{prepared.fault}</p>}
			<Targets chosen={chosen} fit={fit} duration={duration} />
			{!isReady(chosen, SMALL) && (
				<Choice
					label="Fit"
					value={fit}
					onChange={setFit}
					options={[
						{ value: "crop", words: "Fill the panel" },
						{ value: "scale", words: "Whole picture" },
					]}
				/>
			)}
			<Choice
				label="Duration"
				value={duration}
				onChange={setDuration}
				options={[
					{ value: "15", words: "15 seconds" },
					{ value: "held", words: "Until you end it" },
				]}
			/>
			<div class="row">
				<Button onClick={() => void discard()}>Discard</Button>
			</div>
		</>
	);
}

/** /share: a picture that another app has shared. Nothing is sent before a device is chosen. */
export function SharePage(): JSX.Element {
	const shared = useShared();
	return (
		<div class="stack form-width">
			<Heading title="Show a picture" />
			{shared !== undefined &&
				(typeof shared === "string" ? <Nothing fault={shared} /> : <Shared chosen={shared} />)}
		</div>
	);
}
