import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { post, Problem } from "../api/client";
import { panelNews } from "../api/live";
import { Button } from "../components/button";
import { Choice } from "../components/choice";
import { Check } from "../components/check";
import { Field } from "../components/field";
import { Panel } from "../components/panel";
import { Range } from "../components/slider";
import { toast } from "../components/toast";
import { toBase64 } from "./canvas";
import { usePrepared, type Chosen } from "./chosen";
import { entryName, HEIGHT, WIDTH, type Fit } from "./picture";
import type { Device } from "./store";

const DURATIONS_S = [5, 10, 15, 30, 35, 40, 45] as const;
type Duration = (typeof DURATIONS_S)[number];

interface FitQuestionProps {
	chosen: Chosen;
	fit: Fit;
	onFit: (fit: Fit) => void;
	at: number;
	onAt: (at: number) => void;
}

/** For a picture of another size. */
function FitQuestion({ chosen, fit, onFit, at, onAt }: FitQuestionProps): JSX.Element {
	const id = useId();
	const { width, height } = chosen;
	const isLikePanel = width * HEIGHT === height * WIDTH;
	return (
		<div class="stack">
			<p>
				This {chosen.isAnimated ? "animation" : "picture"} is {width}x{height}. Panels are {WIDTH}x
				{HEIGHT}.{isLikePanel ? " It is scaled." : " Scale it or crop it?"}
			</p>
			{chosen.isAnimated && !chosen.canMove && (
				<p class="notice">
					This browser cannot scale what moves, so only its first picture would be shown. To keep it
					moving, make the file {WIDTH}x{HEIGHT} and choose it again.
				</p>
			)}
			{!isLikePanel && (
				<Choice
					label="How it fits"
					isLabelRead
					isBoxed
					value={fit}
					onChange={onFit}
					options={[
						{ value: "scale", words: "Scale", about: "All of it, black beside it" },
						{ value: "crop", words: "Crop", about: "Fills the panel, edges are cut" },
					]}
				/>
			)}
			{!isLikePanel && fit === "crop" && (
				<div class="field">
					<label for={id}>
						{width * HEIGHT > height * WIDTH ? "Left to right" : "Top to bottom"}
					</label>
					<Range id={id} value={Math.round(at * 100)} onInput={(share) => onAt(share / 100)} />
				</div>
			)}
		</div>
	);
}

/** How it is to be shown. */
interface Way {
	kind: "temporary" | "rotation";
	duration: Duration;
	name: string;
	isQuiet: boolean;
}

interface WayProps {
	way: Way;
	onWay: (way: Way) => void;
	fault: string | undefined;
}

function WayFields({ way, onWay, fault }: WayProps): JSX.Element {
	const id = useId();
	const change = (part: Partial<Way>) => onWay({ ...way, ...part });
	return (
		<div class="stack">
			<Choice
				label="How it is shown"
				isLabelRead
				isBoxed
				value={way.kind}
				onChange={(kind) => change({ kind })}
				options={[
					{ value: "temporary", words: "For a while", about: "Then the rotation goes on" },
					{ value: "rotation", words: "In the rotation", about: "It stays until you remove it" },
				]}
			/>
			{way.kind === "temporary" ? (
				<div class="field">
					<label for={id}>For how long</label>
					<select
						id={id}
						value={way.duration}
						onChange={(event) =>
							change({ duration: Number(event.currentTarget.value) as Duration })
						}
					>
						{DURATIONS_S.map((seconds) => (
							<option key={seconds} value={seconds}>
								{seconds} seconds
							</option>
						))}
					</select>
				</div>
			) : (
				<>
					<Field
						label="Name"
						name="installationId"
						value={way.name}
						onInput={(name) => change({ name })}
						help="An entry of that name gets this picture."
						fault={fault}
						maxLength={64}
						isRequired
					/>
					<Check
						label="Do not interrupt what is on"
						isOn={way.isQuiet}
						onChange={(isQuiet) => change({ isQuiet })}
					/>
				</>
			)}
		</div>
	);
}

async function send(device: Device, blob: Blob, way: Way): Promise<void> {
	const image = await toBase64(blob);
	const body =
		way.kind === "temporary"
			? { image, duration: way.duration }
			: { image, installationId: way.name, background: way.isQuiet };
	await post("/web/devices/{deviceId}/push", body, { deviceId: device.id });
	const what = way.kind === "temporary" ? "The picture" : way.name;
	const isOnline = panelNews(device.id).value?.isOnline === true;
	if (way.kind === "rotation" && way.isQuiet) toast(`${what} is in the rotation`);
	else toast(isOnline ? `${what} is on its way` : `${what} waits until the panel is back`);
}

interface ReviewProps {
	device: Device;
	chosen: Chosen;
	onDone: () => void;
}

/** What was chosen, as the panel would show it, and how. */
function Review({ device, chosen, onDone }: ReviewProps): JSX.Element {
	const [fit, setFit] = useState<Fit>("crop");
	const [at, setAt] = useState(0.5);
	const [way, setWay] = useState<Way>({
		kind: "temporary",
		duration: 15,
		name: entryName(chosen.name),
		isQuiet: false,
	});
	const [isBusy, setBusy] = useState(false);
	const [problem, setProblem] = useState<Problem>();
	const prepared = usePrepared(chosen, fit, at);
	const push = async () => {
		if (!prepared.blob) return;
		setBusy(true);
		try {
			await send(device, prepared.blob, way);
			onDone();
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			setProblem(error);
			setBusy(false);
		}
	};
	const nameFault = problem?.faults.get("installationId");
	const fault = prepared.fault ?? (nameFault ? undefined : problem?.message);
	return (
		<div class="review">
			<Panel picture={prepared.url} label={`How ${chosen.name} will look`} line={chosen.name} />
			<div class="stack">
				{!chosen.isReady && (
					<FitQuestion chosen={chosen} fit={fit} onFit={setFit} at={at} onAt={setAt} />
				)}
				<WayFields way={way} onWay={setWay} fault={nameFault} />
				{fault && (
					<p class="notice bad" role="alert">
						{fault}
					</p>
				)}
				<div class="row">
					<Button
						kind="primary"
						isBusy={isBusy}
						isDisabled={!prepared.blob || prepared.fault !== undefined}
						onClick={() => void push()}
					>
						{way.kind === "rotation" && way.isQuiet ? "Add it" : "Show it"}
					</Button>
					<Button onClick={onDone}>Cancel</Button>
				</div>
			</div>
		</div>
	);
}

/** Where a file is chosen, for those who do not drop or paste. */
function Chooser({ onFile }: { onFile: (file: File) => void }): JSX.Element {
	const input = useRef<HTMLInputElement>(null);
	return (
		<div class="chooser stack">
			<p class="words">
				Drop a picture here or on the panel, paste one, or choose a file. Panels are {WIDTH}x
				{HEIGHT}; others are scaled or cropped first.
			</p>
			<div class="row">
				<Button kind="primary" onClick={() => input.current?.click()}>
					Choose a picture
				</Button>
				<input
					ref={input}
					class="only-read"
					type="file"
					accept="image/*"
					tabIndex={-1}
					aria-label="Picture"
					onChange={(event) => {
						const file = event.currentTarget.files?.[0];
						event.currentTarget.value = "";
						if (file) onFile(file);
					}}
				/>
			</div>
		</div>
	);
}

export interface PushProps {
	device: Device;
	chosen: Chosen | undefined;
	/** Why what was dropped, pasted or chosen is no picture. */
	fault: string | undefined;
	onFile: (file: File) => void;
	onDone: () => void;
}

export function Push({ device, chosen, fault, onFile, onDone }: PushProps): JSX.Element {
	if (chosen) return <Review key={chosen.name} device={device} chosen={chosen} onDone={onDone} />;
	return (
		<div class="stack">
			{fault !== undefined && (
				<p class="notice bad" role="alert">
					{fault}
				</p>
			)}
			<Chooser onFile={onFile} />
		</div>
	);
}
