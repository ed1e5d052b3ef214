import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isAway, Problem } from "../api/client";
import { Latest } from "./latest";

const SAID_MS = 3_000;

export interface Saver<T> {
	save: (value: T) => void;
	/** "Saved", for a while. */
	said: string | undefined;
	fault: string | undefined;
	/** Goes back to the stored value, and clears the faults. */
	keep: () => void;
	/** Sets the fault of a value that is not sent; undefined: clears it. */
	refuse: (fault: string | undefined) => void;
	/** Chosen value that the server has not answered yet. */
	chosen: T | undefined;
}

/**
 * Saves one value whenever it changes, and shows beside it "Saved" or the fault. name: member of
 * the body whose fault is shown.
 */
export function useSaver<T>(name: string, send: (value: T) => Promise<void>): Saver<T> {
	const [said, setSaid] = useState<string>();
	const [fault, setFault] = useState<string>();
	const [refused, refuse] = useState<string>(); // stays until keep(), or the next refuse()
	const [chosen, setChosen] = useState<{ value: T }>();
	const timer = useRef(0);
	const target = useRef(send);
	target.current = send;
	const newest = useRef<{ value: T } | undefined>(undefined);
	/** Also once the page is left. */
	const sendLater = (last: { value: T }) => {
		const stop = isAway.subscribe((away) => {
			if (away) return;
			queueMicrotask(() => stop());
			if (newest.current === last) latest.offer(last);
		});
	};
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
					setSaid(undefined);
					if (isAway.peek()) {
						setFault(
							"Not saved yet: the server is away. It is saved as soon as the server is back.",
						);
						sendLater(last);
						return;
					}
					setFault(error.faults.get(name) ?? error.message);
				}
				setChosen((now) => (now === last ? undefined : now));
			}),
	);
	useEffect(() => () => clearTimeout(timer.current), []);
	const save = (value: T) => {
		const last = { value };
		newest.current = last;
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
 * Holds the typed text of a setting (undefined: none), its setter, and the text that was sent.
 * After a save the stored text is shown, unless the user has typed more meanwhile.
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
