import type { JSX } from "preact";
import { calmNowMs } from "./clock";
import { relativeTime } from "./time";

const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "medium" });

/** A relative time; the exact one as a tooltip. */
export function When({ at }: { at: string }): JSX.Element {
	const date = new Date(at);
	return (
		<time dateTime={at} title={exact.format(date)}>
			{relativeTime(date.getTime(), Math.max(calmNowMs.value, Date.now()))}
		</time>
	);
}
