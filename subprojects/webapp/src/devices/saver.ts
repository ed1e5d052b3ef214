import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Problem } from "../api/client";
import { Latest } from "./latest";

const SAID_MS = 3_000;

export interface Saver<T> {
	save: (value: T) => void;
	/** "Saved", for a while. */
	said: string | undefined;
	fault: string | undefined;
	/** What is stored stays: nothing is wrong with it. */
	keep: () => void;
	/** What is wrong with what was not even sent. */
	refuse: (fault: string | undefined) => void;
	/** What was chosen here and the server has not answered to yet. */
	chosen: T | undefined;
}

/**
 * Saves one thing whenever it changes, and says beside it that it did, or what was wrong. name: of the
 * body's member, whose fault is said.
 */
export function useSaver<T>(name: string, send: (value: T) => Promise<void>): Saver<T> {
	const [said, setSaid] = useState<string>();
	const [fault, setFault] = useState<string>();
	const [refused, refuse] = useState<string>(); // which what is saved meanwhile does not mend
	const [chosen, setChosen] = useState<{ value: T }>();
	const timer = useRef(0);
	const target = useRef(send);
	target.current = send;
	const [latest] = useState(
		() =>
			new Latest(async (last: { value: T }) => {
				try {
					await target.current(last.value);
					setFault(undefined);
					setSaid("Saved");
					clearTimeout(timer.current);
					timer.current = window.setTimeout(() => setSaid(undefined), SAID_MS);
				} catch (error) {
					if (!(error instanceof Problem)) throw error;
					setFault(error.faults.get(name) ?? error.message);
					setSaid(undefined);
				}
				setChosen((now) => (now === last ? undefined : now));
			}),
	);
	useEffect(() => () => clearTimeout(timer.current), []);
	const save = (value: T) => {
		const last = { value };
		setChosen(last);
		latest.offer(last);
	};
	const keep = () => {
		setFault(undefined);
		refuse(undefined);
	};
	return { save, keep, said, fault: refused ?? fault, refuse, chosen: chosen?.value };
}

/**
 * What is typed of a setting, undefined: nothing, and what of it was sent. What the server has taken is shown
 * as it has it, unless somebody has typed on meanwhile.
 */
export function useUnsaved(
	said: string | undefined,
	stored: string,
): [string | undefined, (text: string | undefined) => void, { current: string | undefined }] {
	const [text, setText] = useState<string>();
	const sent = useRef<string | undefined>(undefined);
	useLayoutEffect(() => {
		if (said) setText((now) => (now === sent.current ? undefined : now));
	}, [said, stored]);
	return [text, setText, sent];
}
