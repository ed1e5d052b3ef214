import type { JSX } from "preact";
import { signal } from "@preact/signals";
import { relativeTime } from "./time";

/** Changes when what is shown may be old. */
const turn = signal(0);
setInterval(() => (turn.value += 1), 30_000);

const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "medium" });

/** A time as people say it; the exact one on pointing. */
export function When({ at }: { at: string }): JSX.Element {
	const date = new Date(at);
	return (
		<time dateTime={at} title={exact.format(date)}>
			{relativeTime(date.getTime(), turn.value >= 0 ? Date.now() : 0)}
		</time>
	);
}
