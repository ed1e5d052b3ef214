import "../main"; // what it shares with the first script stays in that one
import "../style/flash.css";

import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { get, Problem, type Schemas } from "../api/client";
import { useResource } from "../api/resource";
import { Button, CopyButton } from "../components/button";
import { Field } from "../components/field";
import { Fault } from "../components/fault";
import { isolated } from "../components/isolated";
import { Select } from "../components/select";
import { toast } from "../components/toast";
import { BOARD_NAMES } from "../devices/boards";
import { useAddressGuard } from "../devices/link_card";
import { renewKey, takeHandedOver } from "../devices/new_link";
import { Arrival, OwnProgram, PortalSteps, Step } from "../devices/portal";
import { useDevices, type Device } from "../devices/store";
import { guideOf } from "../flash/boards";
import { type FieldName, type Values } from "../flash/image";
import { serialFault } from "../flash/serial";
import { useFlashing, type Firmware, type Flashing, type Source } from "../flash/state";
import { Heading } from "../frame/page";
import type { Parameters } from "../frame/routes";
import { Missing } from "./missing";

function Board({
	board,
	onBoard,
}: {
	board: string;
	onBoard: (board: string) => void;
}): JSX.Element {
	const { steps } = guideOf(board);
	return (
		<>
			<Select
				label="Board"
				value={board}
				options={[
					...(board === "" ? [{ value: "", words: "Choose the board" }] : []),
					...BOARD_NAMES,
				]}
				onChange={onBoard}
			/>
			{board !== "" && steps.length > 0 && (
				<ul class="bullets">
					{steps.map((step) => (
						<li key={step}>{step}</li>
					))}
				</ul>
			)}
			{board !== "" && steps.length === 0 && <OwnProgram board={board} />}
		</>
	);
}

const FILE = "file";

interface ImageChoiceProps {
	board: string;
	images: readonly Firmware[];
	source: Source | undefined;
	fault: string | undefined;
	onSource: (source: Source | undefined) => void;
}

function ImageFile({ board, source, onSource }: ImageChoiceProps): JSX.Element {
	const id = useId();
	const merged = guideOf(board).merged ?? "a merged image";
	return (
		<div class="field">
			<label for={id}>File of a release</label>
			<input
				id={id}
				type="file"
				accept=".bin,application/octet-stream"
				aria-describedby={`${id}-help`}
				onChange={({ currentTarget }) => onSource(currentTarget.files?.[0])}
			/>
			<p class="quiet" id={`${id}-help`}>
				For a new board {merged}, which has the boot loader, too. The file stays in this browser.
				{source instanceof File && ` Chosen: ${isolated(source.name)}`}
			</p>
		</div>
	);
}

/** Chooses an image of the server for the board, or a file. */
function ImageChoice(props: ImageChoiceProps): JSX.Element {
	const { images, source, fault, onSource } = props;
	const isFile = images.length === 0 || source === undefined || source instanceof File;
	return (
		<>
			{images.length > 0 && (
				<Select
					label="Image"
					value={isFile ? FILE : source.id}
					options={[
						...images.map(({ id, version }) => ({ value: id, words: `Firmware ${version}` })),
						{ value: FILE, words: "A file of a release" },
					]}
					onChange={(value) => onSource(images.find(({ id }) => id === value))}
					help={
						isFile
							? undefined
							: "For a board that has such firmware already. A new board needs a merged image: choose a file."
					}
				/>
			)}
			{images.length === 0 && (
				<p class="quiet">
					This server has no image for this board. Choose a file of a release, or enter the address
					on the setup page of the panel, as below.
				</p>
			)}
			{isFile && <ImageFile {...props} />}
			<Fault label="The image" fault={fault} isAlert />
		</>
	);
}

interface WifiProps {
	device: Device;
	values: Values;
	faults: Flashing["faults"];
	onValue: (name: FieldName, value: string) => void;
	onLink: (made: Schemas["NewDevice"]) => void;
	isKnown: boolean;
}

async function makeKey({ device, onLink }: WifiProps): Promise<void> {
	try {
		const made = await renewKey(device);
		if (made) onLink(made);
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		toast(error.message);
	}
}

function Wifi(props: WifiProps): JSX.Element {
	const { values, faults, onValue, isKnown } = props;
	const field = (name: FieldName) => ({
		name: `flash-${name}`,
		value: values[name],
		onInput: (value: string) => onValue(name, value),
		fault: faults[name],
		autoComplete: "off" as const,
		isVerbatim: true,
	});
	return (
		<>
			<Field label="Name of your 2.4 GHz Wi-Fi" {...field("ssid")} />
			<Field
				label="Password of the Wi-Fi"
				type="password"
				{...field("password")}
				help="It is put into the image in this browser: it is neither sent nor stored. Empty for a network without one."
			/>
			<Field
				label="Address of the device"
				{...field("url")}
				help={
					isKnown
						? "It contains the device's key, which is shown only once."
						: "It was shown once, when you added the device. If you do not have it any more, create a new key."
				}
			/>
			{!isKnown && (
				<div class="row">
					<Button onClick={() => void makeKey(props)}>Create a new key</Button>
				</div>
			)}
		</>
	);
}

function Progress({ share }: { share: number }): JSX.Element {
	const percent = Math.floor(100 * share);
	return (
		<div class="flash-progress">
			<progress max={1} value={share} aria-label="Written" />
			<span>{share === 0 ? "Connecting" : `${percent} %`}</span>
		</div>
	);
}

/** The two acts, and what came of them. */
function Acts({ device, flashing }: { device: Device; flashing: Flashing }): JSX.Element {
	const { share, fault, done, isBusy } = flashing;
	const without = serialFault();
	return (
		<>
			{without !== undefined && (
				<p class="notice">{without} Download the file here, and flash it with esptool.</p>
			)}
			<div class="row">
				{without === undefined && (
					<Button kind="primary" isBusy={isBusy} onClick={flashing.flash}>
						Flash the board
					</Button>
				)}
				<Button
					kind={without === undefined ? "plain" : "primary"}
					isBusy={isBusy}
					onClick={flashing.download}
				>
					Download the file
				</Button>
			</div>
			{share !== undefined && <Progress share={share} />}
			{fault !== undefined && (
				<p class="notice bad" role="alert">
					{fault}
				</p>
			)}
			<div role="status" class="stack">
				{done?.kind === "flashed" && <p>The board is flashed and restarts.</p>}
				{done?.kind === "saved" && (
					<>
						<p>
							Flash the file with this command. It contains your Wi-Fi password: delete it
							afterwards.
						</p>
						<div class="secret">
							<code>{done.command}</code>
							<CopyButton text={done.command} what="the command" />
						</div>
					</>
				)}
			</div>
			{done && <Arrival device={device} />}
		</>
	);
}

const NOTHING: Values = { ssid: "", password: "", url: "" };

/** What a user chooses and types here: nothing of it is kept. */
function useChoices(
	device: Device,
	all: readonly Firmware[] | undefined,
): {
	board: string;
	setBoard: (board: string) => void;
	images: readonly Firmware[];
	source: Source | undefined;
	setSource: (source: Source | undefined) => void;
	values: Values;
	setValue: (name: FieldName, value: string) => void;
	made: Schemas["NewDevice"] | undefined;
	setMade: (made: Schemas["NewDevice"]) => void;
} {
	const [made, setHanded] = useState(() => takeHandedOver(device.id));
	const [board, setBoard] = useState<string>(made?.device.board ?? device.board ?? "");
	// null: a file, which is not chosen yet.
	const [chosen, setChosen] = useState<Source | null>();
	const [values, setValues] = useState({ ...NOTHING, url: made?.link.webSocketUrl ?? "" });
	const images = (all ?? []).filter((image) => image.board === board);
	const setValue = (name: FieldName, value: string) => setValues({ ...values, [name]: value });
	return {
		board,
		setBoard: (next) => {
			setBoard(next);
			setChosen(undefined);
		},
		images,
		source: chosen === undefined ? images[0] : (chosen ?? undefined),
		setSource: (source) => setChosen(source ?? null),
		values,
		setValue,
		made,
		setMade: (next) => {
			setHanded(next);
			setValue("url", next.link.webSocketUrl);
		},
	};
}

function Flash({ device }: { device: Device }): JSX.Element {
	const all = useResource(() => get("/web/firmware"), ["admin"]).value.value;
	const choices = useChoices(device, all);
	const { board, source, values, made } = choices;
	const flashing = useFlashing(device, board, source, values);
	useAddressGuard(made !== undefined && flashing.done === undefined);
	const canFlash = board !== "" && guideOf(board).steps.length > 0;
	return (
		<>
			<ol class="steps">
				<Step>
					<Board board={board} onBoard={choices.setBoard} />
				</Step>
				{canFlash && (
					<>
						<Step>
							<ImageChoice
								key={board}
								board={board}
								images={choices.images}
								source={source}
								fault={flashing.faults.image}
								onSource={(next) => {
									choices.setSource(next);
									flashing.mend("image");
								}}
							/>
						</Step>
						<Step>
							<Wifi
								device={device}
								values={values}
								faults={flashing.faults}
								isKnown={made !== undefined}
								onValue={(name, value) => {
									choices.setValue(name, value);
									flashing.mend(name);
								}}
								onLink={choices.setMade}
							/>
						</Step>
						<Step>
							<Acts device={device} flashing={flashing} />
						</Step>
					</>
				)}
			</ol>
			<details open={board !== "" && all !== undefined && choices.images.length === 0}>
				<summary>A board that has such firmware already: enter the address by its Wi-Fi</summary>
				<PortalSteps address={made?.link.webSocketUrl} />
				{!flashing.done && <Arrival device={device} />}
			</details>
		</>
	);
}

/** /devices/ID/flash: firmware for a board, with Wi-Fi and address put in by this browser. */
export function FlashPage({ parameters }: { parameters: Parameters }): JSX.Element | null {
	const { value, problem } = useDevices();
	const devices = value.value;
	if (!devices) return problem.value ? <p class="notice bad">{problem.value.message}</p> : null;
	const device = devices.find(({ id }) => id === parameters["id"]);
	if (!device) return <Missing />;
	return (
		<div class="stack wide flash">
			<a class="back" href={`devices/${device.id}/connect`} data-page>
				{device.name}
			</a>
			<Heading title={`Flash a board for ${isolated(device.name)}`} />
			<p class="words">
				Puts firmware with your Wi-Fi and the address of this device on a board. What was on the
				board is overwritten.
			</p>
			<Flash device={device} />
		</div>
	);
}
