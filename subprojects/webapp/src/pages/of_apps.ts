/** The pages of apps, as one script. */
import "../core";

export { AppPage } from "./app";
export { InstallPage } from "./app_install";
export { AddPage, AppsPage } from "./apps";
export { InstallationPage } from "./installation";
