import "./style/tokens.css";
import "./style/base.css";
import "./style/components.css";
import "./style/panel.css";
import "./style/pages.css";

import { render } from "preact";
import { App } from "./app";
import { startPlaces } from "./frame/place";

const root = document.getElementById("app");
if (root) {
	startPlaces();
	render(<App />, root);
}
