import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { postTold, Problem, remove } from "../api/client";
import { Button } from "../components/button";
import { isolated } from "../components/isolated";
import { Select } from "../components/select";
import { toast } from "../components/toast";
import { saidOf } from "../devices/shown";
import { useDevices, type Device } from "../devices/store";

const SHOWN_S = 5 * 60;
/** An entry expires after this time at the earliest. */
const LEAST_S = 60;
const NAME_MAX = 64;

/** Device that shows the draft, and the end of that time (of Date.now()). */
interface Showing {
	device: Device;
	until: number;
}

function problemOf(error: unknown): string {
	if (error instanceof Problem) return error.message;
	throw error;
}

/** The name of the entry, which a later picture of the same draft replaces. */
function nameOf(slug: string): string {
	return `Draft of ${slug}`.slice(0, NAME_MAX);
}

function placeOf(slug: string, { device }: Showing) {
	return { deviceId: device.id, installationId: nameOf(slug) };
}

/** Returns how the picture is shown. It stays on the panel until its entry expires. */
function show(slug: string, image: string, { device, until }: Showing) {
	const expiresIn = Math.max(LEAST_S, Math.round((until - Date.now()) / 1000));
	const body = { image, installationId: nameOf(slug), hold: true, expiresIn };
	const place = { deviceId: device.id };
	return postTold("/web/devices/{deviceId}/push", body, "Displayd-Shown", place);
}

/** Sends each later picture, too, as long as an entry may still end in time. */
function useFollowing(slug: string, picture: string | null | undefined, showing?: Showing): void {
	const [last, setLast] = useState<{ showing: Showing; picture: string }>();
	useEffect(() => {
		if (!showing || !picture || (last?.showing === showing && last.picture === picture)) return;
		setLast({ showing, picture });
		// The first picture was sent by the button.
		if (last?.showing !== showing || showing.until - Date.now() < LEAST_S * 1000) return;
		show(slug, picture, showing).catch((error: unknown) => toast(problemOf(error)));
	}, [picture, showing]);
}

function Shown({
	slug,
	showing,
	onEnd,
}: {
	slug: string;
	showing: Showing;
	onEnd: () => void;
}): JSX.Element {
	useEffect(() => {
		const timer = setTimeout(onEnd, showing.until - Date.now());
		return () => clearTimeout(timer);
	}, [showing]);
	const end = () => {
		remove("/web/devices/{deviceId}/rotation/{installationId}", placeOf(slug, showing))
			.catch((error: unknown) => {
				const words = problemOf(error);
				if ((error as Problem).status !== 404) toast(words);
			})
			.finally(onEnd);
	};
	const time = new Date(showing.until).toLocaleTimeString("en-GB", { timeStyle: "short" });
	return (
		<div class="row between">
			<p>
				Shown on {isolated(showing.device.name)} until {time}, with each change.
			</p>
			<Button onClick={end}>Stop</Button>
		</div>
	);
}

/** Shows the picture of a draft on a device of the author for five minutes. */
export function ShowOn({
	slug,
	picture,
}: {
	slug: string;
	/** In base64; none: there is nothing to show. */
	picture: string | null | undefined;
}): JSX.Element | null {
	const devices = useDevices().value.value ?? [];
	const [chosen, setChosen] = useState<string>();
	const [showing, setShowing] = useState<Showing>();
	const [isBusy, setBusy] = useState(false);
	useFollowing(slug, picture, showing);
	const device = devices.find(({ id }) => id === chosen) ?? devices[0];
	if (showing) return <Shown slug={slug} showing={showing} onEnd={() => setShowing(undefined)} />;
	if (!device) return null;
	const begin = async (image: string) => {
		setBusy(true);
		const wanted = { device, until: Date.now() + SHOWN_S * 1000 };
		try {
			const shown = await show(slug, image, wanted);
			toast(saidOf(device, "The draft", { isEntry: true, isQuiet: false }, shown ?? "now"));
			setShowing(wanted);
		} catch (error) {
			toast(problemOf(error));
		}
		setBusy(false);
	};
	return (
		<div class="show-on">
			{devices.length > 1 && (
				<Select
					label="Device"
					value={device.id}
					options={devices.map(({ id, name }) => ({ value: id, words: name }))}
					onChange={setChosen}
				/>
			)}
			<Button
				isBusy={isBusy}
				isDisabled={!picture}
				onClick={() => {
					if (picture) void begin(picture);
				}}
			>
				Show on {isolated(device.name)} for 5 minutes
			</Button>
		</div>
	);
}
