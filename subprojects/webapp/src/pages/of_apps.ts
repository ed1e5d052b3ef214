/** The pages of apps, as one script. */
import "../main"; // what it shares with the first script stays in that one

export { AppPage } from "./app";
export { InstallPage } from "./app_install";
export { AddPage, AppsPage } from "./apps";
export { InstallationPage } from "./installation";
