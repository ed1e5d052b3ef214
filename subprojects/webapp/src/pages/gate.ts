/** Pages for those who are not signed in. */
import "../main"; // what it shares with the first script stays in that one

export { LinkPage } from "./link";
export { PanelPage } from "./panel";
export { RegisterPage, SignInPage } from "./sign_in";
export { ProviderPage } from "./sign_in_provider";
