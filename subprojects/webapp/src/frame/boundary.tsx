import { Component, type ComponentChildren } from "preact";
import { Button } from "../components/button";

/** Shows an exception of a page in place of the page: the rest of the frame stays. */
export class Boundary extends Component<{ children: ComponentChildren }, { error?: Error }> {
	static override getDerivedStateFromError(error: Error): { error: Error } {
		return { error };
	}

	override render(): ComponentChildren {
		const { error } = this.state;
		if (!error) return this.props.children;
		return (
			<div class="notice stack" role="alert">
				<h1>Something went wrong</h1>
				<p>
					This is an error in the page. Reload it; if the error comes back, tell the operator of
					this server.
				</p>
				<pre class="code">{error.message}</pre>
				<div class="row">
					<Button onClick={() => window.location.reload()}>Reload</Button>
				</div>
			</div>
		);
	}
}
