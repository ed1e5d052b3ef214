/** The page that is a panel itself. */
import "../core";

export { PanelPage } from "./panel";
