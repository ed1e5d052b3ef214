import type { FunctionComponent, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../components/button";

/** A page that is no longer there: the server was updated since this one was loaded. */
function Gone(): JSX.Element {
	return (
		<div class="notice stack" role="alert">
			<h1>This page could not be loaded</h1>
			<p>The server cannot be reached, or was updated meanwhile. Reload the page.</p>
			<div class="row">
				<Button onClick={() => window.location.reload()}>Reload</Button>
			</div>
		</div>
	);
}

/** A page whose script is loaded when it is first shown, so that others need not wait for it. */
export function lazy<P extends object>(
	load: () => Promise<FunctionComponent<P>>,
): FunctionComponent<P> {
	let loaded: FunctionComponent<P> | undefined;
	return function Lazy(props: P): JSX.Element {
		const [Page, setPage] = useState<FunctionComponent<P> | undefined>(() => loaded);
		const [hasFailed, setFailed] = useState(false);
		useEffect(() => {
			if (loaded) return;
			load().then(
				(page) => {
					loaded = page;
					setPage(() => page);
				},
				() => setFailed(true),
			);
		}, []);
		if (Page) return <Page {...props} />;
		return hasFailed ? <Gone /> : <div aria-busy="true" />;
	};
}
