import type { JSX } from "preact";
import { Boundary } from "./frame/boundary";
import { path } from "./frame/place";
import { Missing } from "./pages/missing";
import { PanelPage } from "./pages/panel";

const pages: Record<string, () => JSX.Element> = {
	panel: PanelPage,
};

export function App(): JSX.Element {
	const Page = pages[path.value] ?? Missing;
	return (
		<Boundary>
			<Page />
		</Boundary>
	);
}
