import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Field } from "./field";

/** Pause in typing before a request. */
const REST_MS = 250;

interface SearchProps {
	label: string;
	help: string;
	/** Text that is searched for already. */
	wanted: string;
	onWanted: (text: string) => void;
}

/** A field to search a list; the request is sent after a pause in typing. */
export function Search({ label, help, wanted, onWanted }: SearchProps): JSX.Element {
	const [text, setText] = useState(wanted);
	useEffect(() => {
		if (text.trim() === wanted) return undefined;
		const timer = setTimeout(() => onWanted(text.trim()), REST_MS);
		return () => clearTimeout(timer);
	}, [text]);
	return (
		<div class="form-width">
			<Field
				label={label}
				name="search"
				value={text}
				onInput={setText}
				help={help}
				maxLength={100}
				isVerbatim
			/>
		</div>
	);
}
