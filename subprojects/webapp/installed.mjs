// What makes the pages installable: icons, drawn here, and the web manifest.
import { crc32, deflateSync } from "node:zlib";

export const ICON_SIZES = [192, 512];
const BACK = [0x11, 0x11, 0x11];
const DOT = [0xff, 0xaa, 0x33];
/** Centres of the dots in a square of 16, as in the icon of shell.html. */
const DOTS = [
	[4, 11],
	[8, 11],
	[12, 11],
	[8, 5],
	[12, 5],
];
const RADIUS = 1.5;

/** A chunk of a PNG file. */
function chunk(name, data) {
	const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
	const whole = Buffer.alloc(body.length + 8);
	whole.writeUInt32BE(data.length, 0);
	body.copy(whole, 4);
	whole.writeUInt32BE(crc32(body), body.length + 4);
	return whole;
}

/** Part of a pixel that the nearest dot covers, 0 to 1. */
function covered(x, y, scale) {
	const [right, down] = [(x + 0.5) / scale, (y + 0.5) / scale];
	const nearest = Math.min(...DOTS.map(([cx, cy]) => Math.hypot(right - cx, down - cy)));
	return Math.min(1, Math.max(0, (RADIUS - nearest) * scale + 0.5));
}

/** The icon as PNG. It fills its square: what matters lies in the circle that every mask leaves. */
export function icon(size) {
	const rows = Buffer.alloc(size * (1 + 3 * size));
	for (let y = 0; y < size; y++)
		for (let x = 0; x < size; x++) {
			const share = covered(x, y, size / 16);
			for (let c = 0; c < 3; c++)
				rows[y * (1 + 3 * size) + 1 + 3 * x + c] = Math.round(BACK[c] + (DOT[c] - BACK[c]) * share);
		}
	const head = Buffer.alloc(13);
	head.writeUInt32BE(size, 0);
	head.writeUInt32BE(size, 4);
	head.set([8, 2, 0, 0, 0], 8); // 8 bits each of red, green and blue
	return Buffer.concat([
		Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
		chunk("IHDR", head),
		chunk("IDAT", deflateSync(rows, { level: 9 })),
		chunk("IEND", Buffer.alloc(0)),
	]);
}

/** The web manifest. Its URLs are relative to it, so that it works below any path of a proxy. */
export function manifest(icons) {
	return JSON.stringify({
		name: "displayd",
		short_name: "displayd",
		description: "Pictures for small LED displays",
		start_url: "./",
		scope: "./",
		display: "standalone",
		background_color: "#111111",
		theme_color: "#111111",
		icons: icons.flatMap(({ size, src }) =>
			["any", "maskable"].map((purpose) => ({
				src,
				sizes: `${size}x${size}`,
				type: "image/png",
				purpose,
			})),
		),
		share_target: {
			action: "share",
			method: "POST",
			enctype: "multipart/form-data",
			params: { files: [{ name: "picture", accept: ["image/*"] }] },
		},
	});
}
