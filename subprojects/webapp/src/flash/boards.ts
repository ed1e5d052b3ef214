interface BoardGuide {
	/** undefined: not known. */
	chip?: "esp32" | "esp32s3";
	/** File of a release for a new board. */
	merged?: string;
	/** How the board gets into download mode. Without steps it runs no such firmware. */
	steps: readonly string[];
}

const BY_COMPUTER = [
	"Connect it to this computer by a USB cable that carries data. It has no button for this: the computer starts the download mode by itself.",
	"If that fails, try another port, or a cable from USB-A to USB-C without a hub.",
];

const BY_BUTTONS = [
	"Connect it to this computer by a USB cable that carries data.",
	"Hold the button BOOT, press RESET once, and let go of BOOT. Without a button RESET: hold BOOT while you plug in the cable.",
	"Press RESET after flashing, or unplug it and plug it in again.",
];

const GUIDES: Record<string, BoardGuide> = {
	tidbyt_gen1: { chip: "esp32", merged: "tidbyt-gen1_merged.bin", steps: BY_COMPUTER },
	tidbyt_gen2: { chip: "esp32", steps: BY_COMPUTER },
	tronbyt_s3: { chip: "esp32s3", merged: "tronbyt-S3_merged.bin", steps: BY_BUTTONS },
	tronbyt_s3_wide: { chip: "esp32s3", steps: BY_BUTTONS },
	matrixportal_s3: { chip: "esp32s3", merged: "matrixportal-s3_merged.bin", steps: BY_BUTTONS },
	matrixportal_s3_waveshare: { chip: "esp32s3", steps: BY_BUTTONS },
	waveshare_s3: { chip: "esp32s3", merged: "waveshare-s3_merged.bin", steps: BY_BUTTONS },
	pixoticker: { chip: "esp32", steps: BY_COMPUTER },
	raspberrypi: { steps: [] },
	raspberrypi_wide: { steps: [] },
};

/** How a board is flashed; of an unknown board: as most are. */
export function guideOf(board: string): BoardGuide {
	return GUIDES[board] ?? { steps: BY_BUTTONS };
}
