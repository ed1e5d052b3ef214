import type { JSX } from "preact";
import type { EntryName } from "./names";
import { isolated } from "../components/isolated";

interface FailingProps {
	entries: readonly EntryName[] | undefined;
	isShort?: boolean;
}

/** Shows which apps of a device fail; nothing if none does. */
export function Failing({ entries, isShort }: FailingProps): JSX.Element | null {
	const names = (entries ?? []).filter(({ isFailing }) => isFailing).map(({ name }) => name);
	const [first] = names;
	if (first === undefined) return null;
	const words = names.length === 1 ? `${isolated(first)} fails` : `${names.length} apps fail`;
	return (
		<span class="failing" title={names.join(", ")}>
			{isShort ? (names.length === 1 ? "An app fails" : words) : words}
		</span>
	);
}
