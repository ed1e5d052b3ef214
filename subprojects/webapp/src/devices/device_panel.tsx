import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { isOld, panelNews } from "../api/live";
import { calmNowMs, nowMs } from "../components/clock";
import { Panel } from "../components/panel";
import { sizeOf } from "../panel/size";
import type { PanelNews } from "../stream/news";
import { pictureUrl, type Device } from "./store";
import { faceOf, lineOf, nameOf, type Called } from "./words";

/** The next picture is fetched shortly before it is due. */
const AHEAD_MS = 3_000;

function useNextPicture(device: Device, news: PanelNews | undefined): void {
	const picture = news?.next?.picture;
	const until = news?.until;
	useEffect(() => {
		if (!picture || !until) return undefined;
		const timer = setTimeout(
			() => (new Image().src = pictureUrl(device.id, picture)),
			Math.max(0, Date.parse(until) - Date.now() - AHEAD_MS),
		);
		return () => clearTimeout(timer);
	}, [device.id, picture, until]);
}

interface DevicePanelProps {
	device: Device;
	/** Names of its entries, if they are known. */
	entries?: readonly Called[] | undefined;
	/** none: the panel alone; calm: the current and the next picture; clock: also for how long. */
	line?: "none" | "calm" | "clock";
	/** Shown above the line. */
	title?: string;
}

/** The live panel of a device, while useWatch() watches it. */
export function DevicePanel(props: DevicePanelProps): JSX.Element {
	const { device, entries, line = "calm", title } = props;
	const news = panelNews(device.id).value;
	const time = line === "clock" ? nowMs.value : calmNowMs.value;
	const face = faceOf(device, news, time);
	const { picture } = face;
	const calm = news && line === "calm" ? { ...news, until: null } : news;
	useNextPicture(device, news);
	const words = lineOf(device, calm, time, entries);
	const said = isOld.value && news ? `Before: ${words}` : words;
	return (
		<Panel
			size={sizeOf(device.size)}
			picture={picture === undefined ? undefined : pictureUrl(device.id, picture)}
			brightness={face.brightness}
			state={face.state}
			isOld={isOld.value && news !== undefined}
			label={
				news && picture !== undefined && face.says === undefined
					? `${device.name}: ${nameOf(news, entries)}`
					: `${device.name}: ${face.says ?? words}`
			}
			says={line === "none" ? undefined : face.says}
			line={
				line === "none" ? undefined : (
					<>
						{title !== undefined && <span class="device-name">{title}</span>}
						{said}
					</>
				)
			}
		/>
	);
}
