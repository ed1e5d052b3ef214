/**
 * What the frame and the first page need. The scripts of all pages import it: so the bundler makes
 * one script of it, and not one for each set of pages that have a module in common.
 */
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

import "./api/session";
import "./app";
import "./frame/focus";
import "./frame/lazy";
import "./frame/links";
import "./frame/shortcuts";
import "./pages/devices";
