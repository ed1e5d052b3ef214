import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { postTold, Problem, remove } from "../api/client";
import { panelNews } from "../api/live";
import { BottomBar } from "../components/bottom_bar";
import { Button } from "../components/button";
import { Choice } from "../components/choice";
import { FileButton } from "../components/file_button";
import { Range } from "../components/slider";
import { toast } from "../components/toast";
import { ADDABLE } from "./added";
import { toBase64 } from "./canvas";
import { isReady, usePrepared, type Chosen } from "./chosen";
import { sizeOf, type Size } from "../panel/size";
import { entryName, freeName, type Fit } from "./picture";
import { useLook, type OnLook } from "./look";
import { Message } from "./message";
import { Pictures } from "./pictures";
import type { PushProps } from "./push_props";
import { saidOf } from "./shown";
import type { Device } from "./store";
import { bodyOf, newWay, WayFields, type Way } from "./way";

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

/** Pushes a picture and reports what comes of it. */
export async function send(device: Device, blob: Blob, way: Way): Promise<void> {
	const image = await toBase64(blob);
	const isEntry = way.kind === "rotation";
	const body = { image, ...bodyOf(way), ...(isEntry && { background: way.isQuiet }) };
	const shown = await postTold("/web/devices/{deviceId}/push", body, "Displayd-Shown", {
		deviceId: device.id,
	});
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

interface ReviewProps {
	device: Device;
	chosen: Chosen;
	taken: readonly string[];
	onLook: OnLook;
	onDone: PushProps["onDone"];
}

function ReviewActions(props: {
	way: Way;
	isBusy: boolean;
	isDisabled: boolean;
	onPush: () => void;
	onCancel: () => void;
}): JSX.Element {
	const { way, isBusy, isDisabled, onPush, onCancel } = props;
	return (
		<BottomBar label="Show the picture">
			<Button kind="primary" isBusy={isBusy} isDisabled={isDisabled} onClick={onPush}>
				{way.kind === "rotation" && way.isQuiet ? "Add" : "Show"}
			</Button>
			<Button onClick={onCancel}>Cancel</Button>
		</BottomBar>
	);
}

/** Asks how to show the chosen picture; the panel of the page shows it that way meanwhile. */
function Review(props: ReviewProps): JSX.Element {
	const { device, chosen, taken, onLook, onDone } = props;
	const [fit, setFit] = useState<Fit>("crop");
	const [at, setAt] = useState(0.5);
	const [way, setWay] = useState(() => newWay(15, freeName(entryName(chosen.name), taken)));
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
			onDone(chosen.number, way.kind === "rotation" ? way.name : undefined);
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
			<WayFields
				device={device}
				what="picture"
				way={way}
				onWay={change}
				taken={taken}
				fault={nameFault}
			/>
			{fault && (
				<p class="notice bad" role="alert">
					{fault}
				</p>
			)}
			<ReviewActions
				way={way}
				isBusy={isBusy}
				isDisabled={!prepared.blob || prepared.fault !== undefined}
				onPush={() => void push()}
				onCancel={() => onDone(chosen.number)}
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
	return (
		<div class="chooser stack">
			<p class="words">
				Drop pictures here or on the panel, paste one, or choose files. The panel is {size.width}x
				{size.height}; pictures of other sizes are scaled or cropped. A script (.star, .ts) or the
				.zip of its folder becomes a private app in the rotation.
			</p>
			<div class="row">
				<FileButton kind="primary" accept={ADDABLE} label="Picture" onFiles={onFiles}>
					Choose files
				</FileButton>
			</div>
		</div>
	);
}

/** Asks what to show: a text, or pictures that were chosen. */
export function Push(props: PushProps): JSX.Element {
	const [first] = props.chosen;
	return (
		<div class="stack">
			{props.fault !== undefined && (
				<p class="notice bad" role="alert">
					{props.fault}
				</p>
			)}
			{first && props.isOneOfMany && <Pictures {...props} />}
			{first && !props.isOneOfMany && <Review {...props} key={first.number} chosen={first} />}
			{!first && (
				<>
					<Message device={props.device} taken={props.taken} onLook={props.onLook} />
					<Chooser size={sizeOf(props.device.size)} onFiles={props.onFiles} />
					<End device={props.device} isKept={props.isKept} />
				</>
			)}
		</div>
	);
}
