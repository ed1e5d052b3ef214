import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { post, Problem } from "../api/client";
import { panelNews } from "../api/live";
import { Button } from "../components/button";
import { Choice } from "../components/choice";
import { Check } from "../components/check";
import { Field } from "../components/field";
import { Range } from "../components/slider";
import { toast } from "../components/toast";
import { toBase64 } from "./canvas";
import { usePrepared, type Chosen } from "./chosen";
import { entryName, freeName, HEIGHT, WIDTH, type Fit } from "./picture";
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

/** Question how to fit a picture of another size. */
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

/** Choices for showing a picture. */
interface Way {
	kind: "temporary" | "rotation";
	duration: Duration;
	name: string;
	isQuiet: boolean;
}

interface WayProps {
	way: Way;
	onWay: (way: Way) => void;
	/** Names that entries have already. */
	taken: readonly string[];
	fault: string | undefined;
}

function WayFields({ way, onWay, taken, fault }: WayProps): JSX.Element {
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
						help={
							taken.includes(way.name)
								? "The entry of that name gets this picture in place of its own."
								: "A new entry gets this name."
						}
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

/** Describes the result of a push: it is on its way only to a panel that is online, and lit. */
function said(device: Device, way: Way): string {
	const news = panelNews(device.id).value;
	const what = way.kind === "temporary" ? "The picture" : way.name;
	if (way.kind === "rotation" && way.isQuiet) return `${what} is in the rotation`;
	if (device.isDisabled) return `${what} is kept: the device is disabled`;
	if (news?.isOnline !== true) return `${what} waits until the panel is back`;
	if (news.kind === "asleep" || news.kind === "night")
		return `${what} is kept: the panel sleeps until ${device.sleep.end}`;
	if (news.kind === "dark") return `${what} is kept: the panel's brightness is 0`;
	return news.connection === "polling"
		? `${what} is shown when the panel asks next`
		: `${what} is on its way`;
}

async function send(device: Device, blob: Blob, way: Way): Promise<void> {
	const image = await toBase64(blob);
	const body =
		way.kind === "temporary"
			? { image, duration: way.duration }
			: { image, installationId: way.name, background: way.isQuiet };
	await post("/web/devices/{deviceId}/push", body, { deviceId: device.id });
	toast(said(device, way));
}

/** Picture that the panel of the page shows meanwhile. */
export interface Look {
	url: string;
	words: string;
}

interface ReviewProps {
	device: Device;
	chosen: Chosen;
	/** Number of pictures that were chosen with it, and wait. */
	more: number;
	isOneOfMany: boolean;
	taken: readonly string[];
	onLook: (look: Look | undefined) => void;
	/** name: of the entry that it is now; undefined: it is none. */
	onDone: (name?: string) => void;
}

function ReviewActions(props: {
	way: Way;
	more: number;
	isBusy: boolean;
	isDisabled: boolean;
	onPush: () => void;
	onCancel: () => void;
}): JSX.Element {
	const { way, more, isBusy, isDisabled, onPush, onCancel } = props;
	return (
		<div class="row push-actions">
			<Button kind="primary" isBusy={isBusy} isDisabled={isDisabled} onClick={onPush}>
				{way.kind === "rotation" && way.isQuiet ? "Add it" : "Show it"}
			</Button>
			<Button onClick={onCancel}>{more > 0 ? "Skip it" : "Cancel"}</Button>
			{more > 0 && <span class="quiet">{more === 1 ? "1 more waits" : `${more} more wait`}</span>}
		</div>
	);
}

/** Asks how to show the chosen picture; the panel of the page shows it that way meanwhile. */
function Review(props: ReviewProps): JSX.Element {
	const { device, chosen, more, taken, onLook, onDone } = props;
	const [fit, setFit] = useState<Fit>("crop");
	const [at, setAt] = useState(0.5);
	const [way, setWay] = useState<Way>(() => ({
		kind: props.isOneOfMany ? "rotation" : "temporary",
		duration: 15,
		name: freeName(entryName(chosen.name), taken),
		isQuiet: false,
	}));
	const [isBusy, setBusy] = useState(false);
	const [problem, setProblem] = useState<Problem>();
	const prepared = usePrepared(chosen, fit, at);
	const { url } = prepared;
	useEffect(() => {
		if (url !== undefined) onLook({ url, words: `How ${chosen.name} will look` });
	}, [url]);
	useEffect(() => () => onLook(undefined), []);
	const push = async () => {
		if (!prepared.blob) return;
		setBusy(true);
		try {
			await send(device, prepared.blob, way);
			onDone(way.kind === "rotation" ? way.name : undefined);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			setProblem(error);
			setBusy(false);
		}
	};
	const change = (next: Way) => {
		setProblem(undefined);
		setWay(next);
	};
	const nameFault = problem?.faults.get("installationId");
	const fault = prepared.fault ?? (nameFault ? undefined : problem?.message);
	return (
		<div class="review stack">
			{!chosen.isReady && (
				<FitQuestion chosen={chosen} fit={fit} onFit={setFit} at={at} onAt={setAt} />
			)}
			<WayFields way={way} onWay={change} taken={taken} fault={nameFault} />
			{fault && (
				<p class="notice bad" role="alert">
					{fault}
				</p>
			)}
			<ReviewActions
				way={way}
				more={more}
				isBusy={isBusy}
				isDisabled={!prepared.blob || prepared.fault !== undefined}
				onPush={() => void push()}
				onCancel={() => onDone()}
			/>
		</div>
	);
}

/** Lets users choose a file who do not drop or paste one. */
function Chooser({ onFiles }: { onFiles: (files: readonly File[]) => void }): JSX.Element {
	const input = useRef<HTMLInputElement>(null);
	return (
		<div class="chooser stack">
			<p class="words">
				Drop pictures here or on the panel, paste one, or choose files. Panels are {WIDTH}x{HEIGHT};
				others are scaled or cropped first.
			</p>
			<div class="row">
				<Button kind="primary" onClick={() => input.current?.click()}>
					Choose pictures
				</Button>
				<input
					ref={input}
					class="only-read"
					type="file"
					accept="image/*"
					multiple
					tabIndex={-1}
					aria-label="Picture"
					onChange={(event) => {
						const files = [...(event.currentTarget.files ?? [])];
						event.currentTarget.value = "";
						onFiles(files);
					}}
				/>
			</div>
		</div>
	);
}

export interface PushProps {
	device: Device;
	/** Chosen pictures, in order. */
	chosen: readonly Chosen[];
	isOneOfMany: boolean;
	/** Why what was dropped, pasted or chosen is no picture. */
	fault: string | undefined;
	taken: readonly string[];
	onLook: (look: Look | undefined) => void;
	onFiles: (files: readonly File[]) => void;
	onDone: (name?: string) => void;
}

export function Push(props: PushProps): JSX.Element {
	const [first, ...rest] = props.chosen;
	return (
		<div class="stack">
			{props.fault !== undefined && (
				<p class="notice bad" role="alert">
					{props.fault}
				</p>
			)}
			{first ? (
				<Review {...props} key={first.number} chosen={first} more={rest.length} />
			) : (
				<Chooser onFiles={props.onFiles} />
			)}
		</div>
	);
}
