import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { postTold, Problem, remove } from "../api/client";
import { panelNews } from "../api/live";
import { BottomBar } from "../components/bottom_bar";
import { Button } from "../components/button";
import { Choice } from "../components/choice";
import { Check } from "../components/check";
import { Field } from "../components/field";
import { Range } from "../components/slider";
import { toast } from "../components/toast";
import { toBase64 } from "./canvas";
import { isReady, usePrepared, type Chosen } from "./chosen";
import { sizeOf, type Size } from "../panel/size";
import { entryName, freeName, type Fit } from "./picture";
import { Message } from "./message";
import { saidOf } from "./shown";
import type { Device } from "./store";

const DURATIONS_S = [5, 10, 15, 30, 35, 40, 45] as const;
/** "held": until a user ends it. */
type Duration = (typeof DURATIONS_S)[number] | "held";

/** Lifetimes of an entry in seconds, with labels; 0: it stays. */
const ENDS = [
	[0, "never"],
	[3600, "after an hour"],
	[24 * 3600, "after a day"],
	[7 * 24 * 3600, "after a week"],
	[30 * 24 * 3600, "after 30 days"],
] as const;

interface FitQuestionProps {
	chosen: Chosen;
	size: Size;
	fit: Fit;
	onFit: (fit: Fit) => void;
	at: number;
	onAt: (at: number) => void;
}

/** Question how to fit a picture of another size. */
function FitQuestion({ chosen, size, fit, onFit, at, onAt }: FitQuestionProps): JSX.Element {
	const id = useId();
	const { width, height } = chosen;
	const isLikePanel = width * size.height === height * size.width;
	return (
		<div class="stack">
			<p>
				This {chosen.isAnimated ? "animation" : "picture"} is {width}x{height}. The panel is{" "}
				{size.width}x{size.height}.{isLikePanel ? " It will be scaled." : " Scale it or crop it?"}
			</p>
			{chosen.isAnimated && !chosen.canMove && (
				<p class="notice">
					This browser cannot scale animations, so only the first frame would be shown. To keep the
					animation, make the file {size.width}x{size.height} and choose it again.
				</p>
			)}
			{!isLikePanel && (
				<Choice
					label="Fit"
					isLabelRead
					isBoxed
					value={fit}
					onChange={onFit}
					options={[
						{ value: "scale", words: "Scale", about: "Whole picture, with black bars" },
						{ value: "crop", words: "Crop", about: "Fills the panel and cuts the edges" },
					]}
				/>
			)}
			{!isLikePanel && fit === "crop" && (
				<div class="field">
					<label for={id}>
						{width * size.height > height * size.width ? "Left to right" : "Top to bottom"}
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
	/** Seconds after which the entry is removed; 0: it stays. */
	expiresIn: number;
	/** Whether it is shown although the panel sleeps. */
	isWaking: boolean;
}

interface WayProps {
	way: Way;
	onWay: (way: Way) => void;
	/** Names of existing entries. */
	taken: readonly string[];
	fault: string | undefined;
}

interface PartProps extends WayProps {
	id: string;
	change: (part: Partial<Way>) => void;
}

function DurationField({ way, id, change }: PartProps): JSX.Element {
	return (
		<div class="field">
			<label for={id}>Duration</label>
			<select
				id={id}
				value={way.duration}
				onChange={(event) => {
					const { value } = event.currentTarget;
					change({ duration: value === "held" ? value : (Number(value) as Duration) });
				}}
			>
				{DURATIONS_S.map((seconds) => (
					<option key={seconds} value={seconds}>
						{seconds} seconds
					</option>
				))}
				<option value="held">until you end it</option>
			</select>
		</div>
	);
}

function EntryFields({ way, taken, fault, id, change }: PartProps): JSX.Element {
	return (
		<>
			<Field
				label="Name"
				name="installationId"
				value={way.name}
				onInput={(name) => change({ name })}
				help={
					taken.includes(way.name)
						? "Replaces the picture of the entry with this name."
						: "Name of the new entry."
				}
				fault={fault}
				maxLength={64}
				isRequired
			/>
			<Check
				label="Do not interrupt the current picture"
				isOn={way.isQuiet}
				onChange={(isQuiet) => change({ isQuiet })}
			/>
			<div class="field">
				<label for={id}>Remove it</label>
				<select
					id={id}
					value={way.expiresIn}
					onChange={(event) => change({ expiresIn: Number(event.currentTarget.value) })}
				>
					{ENDS.map(([seconds, words]) => (
						<option key={seconds} value={seconds}>
							{words}
						</option>
					))}
				</select>
			</div>
		</>
	);
}

function WayFields(props: WayProps): JSX.Element {
	const { way, onWay } = props;
	const id = useId();
	const change = (part: Partial<Way>) => onWay({ ...way, ...part });
	return (
		<div class="stack">
			<Choice
				label="Where to show it"
				isLabelRead
				isBoxed
				value={way.kind}
				onChange={(kind) => change({ kind })}
				options={[
					{ value: "temporary", words: "For a while", about: "Then back to the rotation" },
					{ value: "rotation", words: "In the rotation", about: "Stays until you remove it" },
				]}
			/>
			{way.kind === "temporary" ? (
				<DurationField {...props} id={id} change={change} />
			) : (
				<EntryFields {...props} id={id} change={change} />
			)}
			{!(way.kind === "rotation" && way.isQuiet) && (
				<Check
					label="Show it even if the panel sleeps"
					isOn={way.isWaking}
					onChange={(isWaking) => change({ isWaking })}
				/>
			)}
		</div>
	);
}

/** Pushes a picture and reports what comes of it. */
export async function send(device: Device, blob: Blob, way: Way): Promise<void> {
	const image = await toBase64(blob);
	const wake = way.isWaking && !(way.kind === "rotation" && way.isQuiet);
	const body =
		way.kind === "rotation"
			? {
					image,
					installationId: way.name,
					background: way.isQuiet,
					wake,
					...(way.expiresIn > 0 && { expiresIn: way.expiresIn }),
				}
			: way.duration === "held"
				? { image, wake, hold: true }
				: { image, wake, duration: way.duration };
	const shown = await postTold("/web/devices/{deviceId}/push", body, "Displayd-Shown", {
		deviceId: device.id,
	});
	const isEntry = way.kind === "rotation";
	const what = isEntry ? way.name : "The picture";
	toast(saidOf(device, what, { isEntry, isQuiet: way.isQuiet }, shown ?? "now"));
}

/** A button that ends a push that is on the panel or waits for it. */
function End({ device, isKept }: { device: Device; isKept: boolean }): JSX.Element | null {
	const [isBusy, setBusy] = useState(false);
	const kind = panelNews(device.id).value?.kind;
	if (!isKept && kind !== "temporary" && kind !== "push") return null;
	const end = async () => {
		setBusy(true);
		try {
			await remove("/web/devices/{deviceId}/temporary", { deviceId: device.id });
			toast("Back to the rotation");
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			toast(error.message);
		} finally {
			setBusy(false);
		}
	};
	return (
		<div class="row">
			<Button isBusy={isBusy} onClick={() => void end()}>
				End the pushed picture
			</Button>
		</div>
	);
}

/** Picture that the panel on the page shows meanwhile. */
export interface Look {
	url: string;
	words: string;
}

interface ReviewProps {
	device: Device;
	chosen: Chosen;
	/** Number of further chosen pictures that wait. */
	more: number;
	isOneOfMany: boolean;
	taken: readonly string[];
	onLook: (next: (now: Look | undefined) => Look | undefined) => void;
	/** name: of the new entry; undefined: no entry was made. */
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
		<BottomBar label="Show the picture">
			<Button kind="primary" isBusy={isBusy} isDisabled={isDisabled} onClick={onPush}>
				{way.kind === "rotation" && way.isQuiet ? "Add" : "Show"}
			</Button>
			<Button onClick={onCancel}>{more > 0 ? "Skip" : "Cancel"}</Button>
			{more > 0 && (
				<span class="quiet">{more === 1 ? "1 more to come" : `${more} more to come`}</span>
			)}
		</BottomBar>
	);
}

/** Lets the panel of the page show the picture as long as the component has it. */
function useLook(url: string | undefined, words: string, onLook: ReviewProps["onLook"]): void {
	useEffect(() => {
		if (url === undefined) return undefined;
		const mine = { url, words };
		onLook(() => mine);
		// The next picture may be set before this one is removed.
		return () => onLook((now) => (now === mine ? undefined : now));
	}, [url]);
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
		expiresIn: 0,
		isWaking: false,
	}));
	const [isBusy, setBusy] = useState(false);
	const [problem, setProblem] = useState<Problem>();
	const size = sizeOf(device.size);
	const prepared = usePrepared(chosen, fit, at, size);
	useLook(prepared.url, `Preview of ${chosen.name}`, onLook);
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
			{!isReady(chosen, size) && (
				<FitQuestion chosen={chosen} size={size} fit={fit} onFit={setFit} at={at} onAt={setAt} />
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

/** Lets users choose a file, as an alternative to drop and paste. */
function Chooser({
	size,
	onFiles,
}: {
	size: Size;
	onFiles: (files: readonly File[]) => void;
}): JSX.Element {
	const input = useRef<HTMLInputElement>(null);
	return (
		<div class="chooser stack">
			<p class="words">
				Drop pictures here or on the panel, paste one, or choose files. The panel is {size.width}x
				{size.height}; pictures of other sizes are scaled or cropped.
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
	/** Why the dropped, pasted or chosen file is no picture. */
	fault: string | undefined;
	taken: readonly string[];
	/** A temporary picture is shown, or waits for the panel. */
	isKept: boolean;
	onLook: (next: (now: Look | undefined) => Look | undefined) => void;
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
				<>
					<Message device={props.device} />
					<Chooser size={sizeOf(props.device.size)} onFiles={props.onFiles} />
					<End device={props.device} isKept={props.isKept} />
				</>
			)}
		</div>
	);
}
