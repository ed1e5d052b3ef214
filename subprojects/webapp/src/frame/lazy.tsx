import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../components/button";

type Component<Props> = (props: Props) => JSX.Element | null;

/** A component whose script is loaded when it is shown first. */
export function lazily<Props extends object>(
	load: () => Promise<Component<Props>>,
): Component<Props> {
	let Found: Component<Props> | undefined;
	return function Lazy(props: Props) {
		const [hasFailed, setFailed] = useState(false);
		const [isHere, setHere] = useState(Found !== undefined);
		useEffect(() => {
			if (Found) return;
			load().then(
				(found) => {
					Found = found;
					setHere(true);
				},
				() => setFailed(true),
			);
		}, []);
		if (Found && isHere) return <Found {...props} />;
		if (!hasFailed) return <div aria-busy="true" />;
		return (
			<div class="notice stack" role="alert">
				<p>This part of the page could not be loaded. Reload the page.</p>
				<div class="row">
					<Button onClick={() => location.reload()}>Reload</Button>
				</div>
			</div>
		);
	};
}
