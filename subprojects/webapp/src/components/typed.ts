import { useLayoutEffect, useState } from "preact/hooks";

/**
 * What somebody has typed or chosen beside what is known; undefined: nothing. It is forgotten when the page
 * shows another known value, and not after that: an effect that runs later, as useEffect() has it, would take
 * away what was typed since.
 */
export function useTyped<T = string>(
	known: string | number | undefined,
): [T | undefined, (typed: T | undefined) => void] {
	const [typed, setTyped] = useState<T>();
	useLayoutEffect(() => setTyped(undefined), [known]);
	return [typed, setTyped];
}
