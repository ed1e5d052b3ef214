import { useLayoutEffect, useState } from "preact/hooks";

/**
 * Holds a typed or chosen value beside the known one; undefined: nothing was typed. The typed value
 * is dropped when the page shows another known value, and not after that: an effect that runs
 * later, as with useEffect(), would drop what was typed since.
 */
export function useTyped<T = string>(
	known: string | number | undefined,
): [T | undefined, (typed: T | undefined) => void] {
	const [typed, setTyped] = useState<T>();
	useLayoutEffect(() => setTyped(undefined), [known]);
	return [typed, setTyped];
}
