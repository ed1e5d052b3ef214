import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Button } from "../components/button";
import { Panel } from "../components/panel";
import { Range } from "../components/slider";
import { fitted, toBase64, toBlob } from "../devices/canvas";
import { SMALL } from "../panel/size";
import { helpOf, labelOf, type FieldProps } from "./props";
import { Around } from "./simple";

const FILE_MAX = 50_000_000;
/** Starts of picture files in Base64, to find the type of a picture in the settings. */
const KINDS: readonly [start: string, type: string][] = [
	["iVBOR", "image/png"],
	["/9j/", "image/jpeg"],
	["R0lGO", "image/gif"],
	["UklGR", "image/webp"],
];

/** Returns a URL for a picture of the settings. */
function urlOf(value: string): string | undefined {
	const [, type] = KINDS.find(([start]) => value.startsWith(start)) ?? [];
	return type === undefined ? undefined : `data:${type};base64,${value}`;
}

/** Crops a photo to the size of a panel, in Base64, as apps expect. */
async function cropped(bitmap: ImageBitmap, at: number): Promise<string> {
	const picture = { source: bitmap, width: bitmap.width, height: bitmap.height };
	return toBase64(await toBlob(fitted(picture, "crop", at), "image/png"));
}

interface Photo {
	bitmap: ImageBitmap;
	/** Position of the kept part, 0 to 1. */
	at: number;
}

/** Slider to choose the part of the photo that is kept. */
function Cut({ photo, onAt }: { photo: Photo; onAt: (at: number) => void }): JSX.Element | null {
	const id = useId();
	const { width, height } = photo.bitmap;
	if (width * SMALL.height === height * SMALL.width) return null;
	return (
		<div class="field">
			<label for={id}>
				{width * SMALL.height > height * SMALL.width ? "Left to right" : "Top to bottom"}
			</label>
			<Range id={id} value={Math.round(photo.at * 100)} onInput={(share) => onAt(share / 100)} />
		</div>
	);
}

/** A photo, cropped to the panel's shape; the part can be moved until the page is left. */
export function PhotoField({ field, value, onChange, fault, isDisabled }: FieldProps): JSX.Element {
	const id = useId();
	const [photo, setPhoto] = useState<Photo>();
	const [refusal, setRefusal] = useState<string>();
	const place = useRef<HTMLInputElement>(null);
	const url = urlOf(value);
	const show = async (next: Photo) => {
		setPhoto(next);
		onChange(await cropped(next.bitmap, next.at));
	};
	const take = async (file: File) => {
		setRefusal(undefined);
		try {
			if (file.size > FILE_MAX) throw new Error("too large");
			await show({ bitmap: await createImageBitmap(file), at: 0.5 });
		} catch {
			setRefusal(`This browser cannot read ${file.name}. Choose another picture.`);
		}
	};
	const clear = () => {
		place.current?.focus(); // the button is removed
		setPhoto(undefined);
		onChange(undefined);
	};
	return (
		<Around id={id} label={labelOf(field)} help={helpOf(field)} fault={refusal ?? fault} isGroup>
			<div class="form-photo">
				{url !== undefined && <Panel picture={url} label="The cropped photo" />}
				<span class="row">
					<label class="button form-file">
						{url === undefined ? "Choose a photo" : "Choose another"}
						<input
							type="file"
							ref={place}
							accept="image/*"
							disabled={isDisabled}
							onChange={(event) => {
								const file = event.currentTarget.files?.[0];
								if (file) void take(file);
								event.currentTarget.value = "";
							}}
						/>
					</label>
					{value !== "" && (
						<Button isDisabled={isDisabled} onClick={clear}>
							Remove<span class="only-read"> the photo</span>
						</Button>
					)}
				</span>
			</div>
			{photo && url !== undefined && (
				<Cut photo={photo} onAt={(at) => void show({ ...photo, at })} />
			)}
		</Around>
	);
}
