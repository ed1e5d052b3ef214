import type { JSX } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { post, postTold, Problem, type Schemas } from "../api/client";
import { Button } from "../components/button";
import { Form } from "../components/form";
import { Select } from "../components/select";
import { TextArea } from "../components/text_area";
import { toast } from "../components/toast";
import { Previewer } from "../forms/previewer";
import { fitted, toBase64, toBlob } from "./canvas";
import { useLook, type OnLook } from "./look";
import { freeName } from "./picture";
import { saidOf } from "./shown";
import type { Device } from "./store";
import { bodyOf, newWay, WayFields } from "./way";

const TEXT_MAX = 500;

type Font = NonNullable<Schemas["Message"]["font"]>;
type Seen = Schemas["MessagePreview"];

/** Fonts by size; all others of the API are between these. */
const FONTS: readonly { value: Font; words: string }[] = [
	{ value: "tom-thumb", words: "Tiny" },
	{ value: "tb-8", words: "Small" },
	{ value: "6x13", words: "Medium" },
	{ value: "10x20", words: "Large" },
	{ value: "terminus-24", words: "Larger" },
	{ value: "terminus-32", words: "Largest" },
];

/** A text and its looks. */
interface Draft {
	text: string;
	color: string;
	font: Font;
	/** In Base64; undefined: none. */
	icon?: string;
}

/** A new process of the server may need more than a preview's time at first. */
const TRIES = 3;
/** Time before the next try if the server is too busy to draw. */
const BUSY_MS = 1_000;

function isBusy(error: unknown): boolean {
	return error instanceof Problem && error.code === "server_busy";
}

async function look(device: Device, draft: Draft): Promise<Seen> {
	const place = { deviceId: device.id };
	for (let left = TRIES - 1; ; left -= 1) {
		try {
			const seen = await post("/web/devices/{deviceId}/message/preview", draft, place);
			if (seen.picture !== null || left === 0) return seen;
		} catch (error) {
			if (!isBusy(error) || left === 0) throw error;
			await new Promise((resolve) => setTimeout(resolve, BUSY_MS));
		}
	}
}

/** Fault of the text, while it is typed; others are said when it is sent. */
function faultIn(error: unknown): string | undefined {
	return error instanceof Problem ? error.faults.get("text") : undefined;
}

/** Shows the text in the panel's dots while it is typed: one request at a time, the newest wins. */
function useSeen(device: Device, draft: Draft, onLook: OnLook): string | undefined {
	const previewer = useMemo(
		() => new Previewer((wish: Draft) => look(device, wish), 0),
		[device.id],
	);
	useEffect(() => () => previewer.end(), [previewer]);
	const isEmpty = draft.text.trim() === "";
	useEffect(() => {
		if (!isEmpty) previewer.want(draft, true);
	}, [previewer, draft]);
	const seen = isEmpty ? undefined : previewer.answer.value;
	const url = seen?.picture ? `data:image/webp;base64,${seen.picture}` : undefined;
	const seconds = Math.ceil((seen?.durationMs ?? 0) / 1000);
	useLook(url, seconds > 0 ? `Scrolls through in ${seconds} s` : "As it will be shown", onLook);
	return isEmpty ? undefined : faultIn(previewer.error.value);
}

const ICON_PIXELS = 32;

/** Returns the picture as an icon beside a text, in Base64. */
async function iconOf(file: File): Promise<string> {
	const bitmap = await createImageBitmap(file);
	const { width, height } = bitmap;
	const scale = Math.min(1, ICON_PIXELS / Math.max(width, height));
	const size = {
		width: Math.max(1, Math.round(width * scale)),
		height: Math.max(1, Math.round(height * scale)),
	};
	const picture = { source: bitmap, width, height };
	const blob = await toBlob(fitted(picture, "scale", 0.5, size), "image/png");
	bitmap.close();
	return toBase64(blob);
}

interface IconProps {
	icon: string | undefined;
	onIcon: (icon: string | undefined) => void;
}

/** Chooses the picture beside the text. */
function Icon({ icon, onIcon }: IconProps): JSX.Element {
	const id = useId();
	const input = useRef<HTMLInputElement>(null);
	const take = (file: File | undefined) => {
		if (!file) return;
		iconOf(file).then(onIcon, () => toast(`This browser cannot read ${file.name}`));
	};
	return (
		<div class="field">
			<label for={id}>
				Icon<span class="only-read"> beside the text</span>
			</label>
			<div class="row">
				{icon !== undefined && (
					<img class="message-icon" alt="" src={`data:image/png;base64,${icon}`} />
				)}
				{icon === undefined ? (
					<Button onClick={() => input.current?.click()}>Choose an icon</Button>
				) : (
					<Button onClick={() => onIcon(undefined)}>Remove the icon</Button>
				)}
				<input
					id={id}
					ref={input}
					class="only-read"
					type="file"
					accept="image/*"
					tabIndex={-1}
					onChange={(event) => {
						take(event.currentTarget.files?.[0]);
						event.currentTarget.value = "";
					}}
				/>
			</div>
		</div>
	);
}

interface LooksProps {
	draft: Draft;
	change: (part: Partial<Draft>) => void;
}

/** Colour, size and icon of the text. */
function Looks({ draft, change }: LooksProps): JSX.Element {
	const id = useId();
	return (
		<div class="message-looks">
			<div class="field">
				<label for={id}>Colour</label>
				<input
					id={id}
					class="colour-box"
					type="color"
					value={draft.color}
					style={{ "--colour": draft.color }}
					onInput={(event) => change({ color: event.currentTarget.value })}
				/>
			</div>
			<Select
				label="Size"
				value={draft.font}
				options={FONTS}
				onChange={(font) => change({ font: font as Font })}
			/>
			<Icon
				icon={draft.icon}
				onIcon={(icon) => change(icon === undefined ? { icon: "" } : { icon })}
			/>
		</div>
	);
}

interface MessageProps {
	device: Device;
	/** Names of existing entries. */
	taken: readonly string[];
	onLook: OnLook;
}

/** Shows a text on the panel, drawn by the server. */
export function Message({ device, taken, onLook }: MessageProps): JSX.Element {
	const [draft, setDraft] = useState<Draft>({ text: "", color: "#ffffff", font: "tb-8" });
	const [way, setWay] = useState(() => newWay("once", ""));
	const seenFault = useSeen(device, draft, onLook);
	const named = way.name === "" ? { ...way, name: freeName("text", taken) } : way;
	const change = ({ icon, ...part }: Partial<Draft>) => {
		const { icon: before, ...rest } = draft;
		const next = icon ?? before;
		setDraft({ ...rest, ...part, ...(next !== undefined && next !== "" && { icon: next }) });
	};
	const submit = async () => {
		const body = { ...draft, ...bodyOf(named) };
		const isEntry = way.kind === "rotation";
		const shown = await postTold("/web/devices/{deviceId}/message", body, "Displayd-Shown", {
			deviceId: device.id,
		});
		toast(
			saidOf(
				device,
				isEntry ? named.name : "The text",
				{ isEntry, isQuiet: false },
				shown ?? "now",
			),
		);
		change({ text: "" });
		setWay({ ...way, name: "" });
	};
	return (
		<Form action="Show the text" names={["text", "installationId"]} onSubmit={submit}>
			{(faults) => (
				<>
					<TextArea
						label="Text"
						name="text"
						value={draft.text}
						onInput={(text) => change({ text })}
						help="Long texts scroll once. Emoji are supported."
						fault={faults.get("text") ?? seenFault}
						maxLength={TEXT_MAX}
						rows={2}
					/>
					<Looks draft={draft} change={change} />
					<WayFields
						device={device}
						what="text"
						way={named}
						onWay={setWay}
						taken={taken}
						fault={faults.get("installationId")}
					/>
				</>
			)}
		</Form>
	);
}
