import { useEffect, useState } from "preact/hooks";
import { get, Problem } from "../api/client";
import { hostOf, type Asker } from "./hosts";

const REST_MS = 300;

/** Returns what is missing for an address to be reached, as soon as it is typed; undefined: nothing is known. */
export function useReach(text: string, asker: Asker | undefined): string | undefined {
	const host = asker && hostOf(text, asker);
	const [answer, setAnswer] = useState<{ host: string; problem: string | null }>();
	useEffect(() => {
		if (host === undefined) return undefined;
		let isOver = false;
		const timer = setTimeout(() => {
			get("/web/account/reach", { host, byApp: asker === "app" }).then(
				({ problem }) => {
					if (!isOver) setAnswer({ host, problem });
				},
				(error: unknown) => {
					if (!(error instanceof Problem)) throw error; // the server judges again when it is sent
				},
			);
		}, REST_MS);
		return () => {
			isOver = true;
			clearTimeout(timer);
		};
	}, [host, asker]);
	return answer?.host === host ? (answer?.problem ?? undefined) : undefined;
}
