import "./core";

import { render } from "preact";
import { loadStart, start, watchServer } from "./api/session";
import { App } from "./app";
import { all } from "./routes";
import { startFocus } from "./frame/focus";
import { startLinks } from "./frame/links";
import { path, startPlaces } from "./frame/place";
import { startShortcuts } from "./frame/shortcuts";

const root = document.getElementById("app");
if (root) {
	startPlaces();
	startLinks();
	startFocus();
	startShortcuts(() => Boolean(start.value?.account));
	if (path.value !== "panel") {
		watchServer();
		void loadStart();
	}
	render(<App all={all} />, root);
}
