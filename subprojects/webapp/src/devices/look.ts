import { useEffect } from "preact/hooks";

/** Picture that the panel on the page shows meanwhile. */
export interface Look {
	url: string;
	words: string;
}

export type OnLook = (next: (now: Look | undefined) => Look | undefined) => void;

/** Lets the panel of the page show the picture as long as the component has it. */
export function useLook(url: string | undefined, words: string, onLook: OnLook): void {
	useEffect(() => {
		if (url === undefined) return undefined;
		const mine = { url, words };
		onLook(() => mine);
		// The next picture may be set before this one is removed.
		return () => onLook((now) => (now === mine ? undefined : now));
	}, [url, words]);
}
