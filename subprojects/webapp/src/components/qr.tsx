import "../main"; // what it shares with the first script stays in that one

import { generate } from "lean-qr/nano";
import type { JSX } from "preact";

const QUIET_ZONE = 4;

/** A text as a QR code, drawn in the browser; always dark on light, as cameras want it. */
export function QrCode({ text, label }: { text: string; label: string }): JSX.Element {
	const code = generate(text);
	const size = code.size + 2 * QUIET_ZONE;
	let path = "";
	for (let y = 0; y < code.size; y++)
		for (let x = 0; x < code.size; x++)
			if (code.get(x, y)) path += `M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z`;
	return (
		<svg
			class="qr"
			viewBox={`0 0 ${size} ${size}`}
			shape-rendering="crispEdges"
			role="img"
			aria-label={label}
		>
			<rect width={size} height={size} fill="#fff" />
			<path d={path} fill="#000" />
		</svg>
	);
}
