/** Words for the boards. */
export const BOARD_NAMES: readonly { value: string; words: string }[] = [
	{ value: "tidbyt_gen1", words: "Tidbyt, first generation" },
	{ value: "tidbyt_gen2", words: "Tidbyt, second generation" },
	{ value: "tronbyt_s3", words: "Tronbyt S3" },
	{ value: "tronbyt_s3_wide", words: "Tronbyt S3, wide" },
	{ value: "matrixportal_s3", words: "MatrixPortal S3" },
	{ value: "matrixportal_s3_waveshare", words: "MatrixPortal S3, Waveshare panel" },
	{ value: "waveshare_s3", words: "Waveshare S3" },
	{ value: "pixoticker", words: "Pixoticker" },
	{ value: "raspberrypi", words: "Raspberry Pi" },
	{ value: "raspberrypi_wide", words: "Raspberry Pi, wide" },
	{ value: "other", words: "Another board" },
];

/** Panels that are no boards. */
const OTHERS = [
	{ value: "browser", words: "A browser or tablet" },
	{ value: "terminal", words: "A terminal" },
] as const;

/** Everything that can be a panel. */
export const PANEL_NAMES: readonly { value: string; words: string }[] = [...BOARD_NAMES, ...OTHERS];

/** Whether such a panel is a board, which can be chosen in the settings. */
export function isBoard(panel: string): boolean {
	return BOARD_NAMES.some(({ value }) => value === panel);
}

/** Whether panels of the board have 128x64 pixels. */
export function isWide(board: string | null): boolean {
	return board?.endsWith("_wide") === true;
}

/** Name of a board in words. */
export function boardWords(board: string): string {
	return BOARD_NAMES.find(({ value }) => value === board)?.words ?? board;
}
