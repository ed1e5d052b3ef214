import "./style/tokens.css";
import "./style/base.css";
import "./style/components.css";
import "./style/panel.css";
import "./style/frame.css";
import "./style/pages.css";
import "./style/apps.css";
import "./style/account.css";
import "./style/devices.css";
import "./style/rotation.css";
import "./style/render.css";

import "./pages/shared";

import { render } from "preact";
import { loadStart, start, watchServer } from "./api/session";
import { App } from "./app";
import { startFocus } from "./frame/focus";
import { startLinks } from "./frame/links";
import { path, startPlaces } from "./frame/place";
import { startShortcuts } from "./frame/shortcuts";
import { watchInstallOffer } from "./share/install";

const root = document.getElementById("app");
if (root) {
	startPlaces();
	startLinks();
	startFocus();
	watchInstallOffer();
	startShortcuts(() => Boolean(start.value?.account));
	if (path.value !== "panel") {
		watchServer();
		void loadStart();
	}
	render(<App />, root);
}
