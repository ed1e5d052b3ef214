import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { SMALL, type Size } from "../panel/size";

/** State of a panel: it shows its picture, sleeps, is offline, or has never connected. */
export type PanelState = "on" | "asleep" | "offline" | "never";

interface PanelProps {
	/** URL of a picture, which is shown in the panel's size; none: all dots are dark. */
	picture?: string | undefined;
	/** Default: that of the picture. */
	size?: Size | undefined;
	/** 0 to 100. */
	brightness?: number;
	state?: PanelState;
	/** Description of the picture for screen readers. */
	label: string;
	/** Text on a panel that shows no picture; the label has it, too. */
	says?: string | undefined;
	/** Whether the shown state may be outdated. */
	isOld?: boolean;
	/** The line of text below. */
	line?: ComponentChildren;
}

/** Returns the factor for CSS: light is proportional to the brightness, sRGB values about to its
 * square root. */
export function lightOf(brightness: number): number {
	return brightness <= 0 ? 0 : Math.max(0.12, Math.pow(brightness / 100, 1 / 2.2));
}

const REDUCED = "(prefers-reduced-motion: reduce)";

function useReducedMotion(): boolean {
	const [isReduced, setReduced] = useState(() => matchMedia(REDUCED).matches);
	useEffect(() => {
		const query = matchMedia(REDUCED);
		const update = () => setReduced(query.matches);
		query.addEventListener("change", update);
		return () => query.removeEventListener("change", update);
	}, []);
	return isReduced;
}

/** The first frame of the picture, standing still. */
function Still({ kind, picture, size, onSize, label }: LayerProps): JSX.Element {
	const canvas = useRef<HTMLCanvasElement>(null);
	useEffect(() => {
		const image = new Image();
		image.onload = () => {
			const context = canvas.current?.getContext("2d");
			onSize?.({ width: image.naturalWidth, height: image.naturalHeight });
			if (!context) return;
			context.clearRect(0, 0, size.width, size.height);
			context.imageSmoothingEnabled = false;
			context.drawImage(image, 0, 0, size.width, size.height);
		};
		image.src = picture;
		return () => {
			image.onload = null;
		};
	}, [picture, size]);
	const words =
		label === undefined ? { "aria-hidden": true } : { role: "img" as const, "aria-label": label };
	return <canvas ref={canvas} class={`panel-${kind}`} {...size} {...words} />;
}

interface LayerProps {
	kind: "picture" | "bloom" | "glow";
	picture: string;
	size: Size;
	/** Called with the size of a picture that was loaded. */
	onSize?: (size: Size) => void;
	/** None for the layers that are only glow. */
	label?: string;
}

/** The picture, or its glow. */
function Layer({ moves, ...layer }: LayerProps & { moves: boolean }): JSX.Element {
	if (!moves) return <Still {...layer} />;
	const { kind, picture, size, onSize, label } = layer;
	return (
		<img
			class={`panel-${kind}`}
			src={picture}
			alt={label ?? ""}
			aria-hidden={label === undefined}
			{...size}
			onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
				onSize?.({ width, height })
			}
		/>
	);
}

function Moon(): JSX.Element {
	return (
		<svg class="panel-moon" viewBox="0 0 16 16" aria-hidden="true">
			<path d="M10.5 1.2a7 7 0 1 0 4.3 9.9A6 6 0 0 1 10.5 1.2z" />
		</svg>
	);
}

/** A panel as seen on a desk. All pictures of these pages are drawn with it, in every size. */
export function Panel(props: PanelProps): JSX.Element {
	const { picture, brightness = 100, state = "on", label, says, line } = props;
	const [ownSize, setOwnSize] = useState(SMALL);
	const size = props.size ?? ownSize;
	const onSize = (seen: Size) =>
		setOwnSize((now) => (now.width === seen.width && now.height === seen.height ? now : seen));
	const [isPointedAt, setPointedAt] = useState(false);
	const isReduced = useReducedMotion();
	const shows =
		picture !== undefined && (state === "offline" || (state === "on" && brightness > 0));
	const isLit = shows && state === "on";
	const moves = state === "on" && (!isReduced || isPointedAt);
	return (
		<figure
			class="panel"
			data-state={state}
			data-old={props.isOld === true}
			data-wide={size.width > SMALL.width}
			style={{
				"--light": String(lightOf(brightness)),
				"--columns": String(size.width),
				"--rows": String(size.height),
			}}
		>
			<div
				class="panel-case"
				onPointerEnter={() => setPointedAt(true)}
				onPointerLeave={() => setPointedAt(false)}
			>
				{isLit && <Layer kind="glow" picture={picture} size={size} moves={moves} />}
				<div class="panel-face">
					{shows && (
						<Layer
							kind="picture"
							picture={picture}
							size={size}
							onSize={onSize}
							label={label}
							moves={moves}
						/>
					)}
					{isLit && <Layer kind="bloom" picture={picture} size={size} moves={moves} />}
					{!shows && <span class="only-read">{label}</span>}
					{state === "asleep" && (
						<div class="panel-says">
							<Moon />
						</div>
					)}
					{says !== undefined && (
						<div class="panel-says" aria-hidden="true">
							{says}
						</div>
					)}
				</div>
			</div>
			{line !== undefined && <figcaption class="panel-line">{line}</figcaption>}
		</figure>
	);
}
