import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, Problem, put, remove, type Schemas } from "../api/client";
import { Check } from "../components/check";
import { Select } from "../components/select";
import { useSaver } from "./saver";
import { useDevices, type Device } from "./store";

type Following = Schemas["Following"];

/** The leader and the followers of a device, read again when the device changes. */
function useFollowing(device: Device): [Following | undefined, (next: Following) => void] {
	const [following, setFollowing] = useState<Following>();
	useEffect(() => {
		get("/web/devices/{deviceId}/leader", {}, { deviceId: device.id }).then(
			setFollowing,
			(error: unknown) => {
				if (!(error instanceof Problem)) throw error;
			},
		);
	}, [device.id, device.leader]);
	return [following, setFollowing];
}

/** The device whose rotation the panel shows, if not its own; and the devices that show this one's. */
export function LeaderSetting({ device }: { device: Device }): JSX.Element | null {
	const all = useDevices().value.value ?? [];
	const [following, setFollowing] = useFollowing(device);
	const saver = useSaver("leader", async (next: Following) => {
		const place = { deviceId: device.id };
		const { leader, ownBrightness, ownSleep } = next;
		if (leader === null) await remove("/web/devices/{deviceId}/leader", place);
		else await put("/web/devices/{deviceId}/leader", { leader, ownBrightness, ownSleep }, place);
		setFollowing(next);
	});
	const others = all.filter(({ id, leader }) => id !== device.id && leader === null);
	if (!following || (others.length === 0 && following.leader === null)) return null;
	const shown = saver.chosen ?? following;
	const names = all.filter(({ id }) => following.followers.includes(id)).map(({ name }) => name);
	if (following.followers.length > 0)
		return (
			<p class="quiet">
				{names.length === 0
					? `${following.followers.length} devices show the same as this one.`
					: `These show the same: ${names.join(", ")}.`}
			</p>
		);
	const choose = (leader: string) => {
		if (leader === "")
			saver.save({ ...shown, leader: null, ownBrightness: false, ownSleep: false });
		else saver.save({ ...shown, leader });
	};
	return (
		<>
			<Select
				label="Shows the same as"
				value={shown.leader ?? ""}
				options={[
					{ value: "", words: "No other device: its own rotation" },
					...others.map(({ id, name }) => ({ value: id, words: name })),
				]}
				onChange={choose}
				said={saver.said}
				fault={saver.fault}
				help="Its own entries stay. A push to this device is shown on it alone."
			/>
			{shown.leader !== null && (
				<>
					<Check
						label="Keep its own brightness"
						isOn={shown.ownBrightness}
						onChange={(ownBrightness) => saver.save({ ...shown, ownBrightness })}
					/>
					<Check
						label="Keep its own sleep"
						isOn={shown.ownSleep}
						onChange={(ownSleep) => saver.save({ ...shown, ownSleep })}
					/>
				</>
			)}
		</>
	);
}
