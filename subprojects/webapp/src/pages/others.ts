/** All pages but the first ones (app.tsx): one script, which is loaded with the first of them. */
import "../main"; // what it shares with the first script stays in that one

export { AccountPage } from "./account";
export { AccessPage } from "./account_access";
export { AccountRemovalPage } from "./account_removal";
export { AdminPage } from "./admin";
export { AuditPage } from "./admin_audit";
export { FirmwarePage } from "./admin_firmware";
export { InstancePage } from "./admin_instance";
export { InvitationsPage } from "./admin_invitations";
export { AppPage } from "./app";
export { InstallPage } from "./app_install";
export { AddPage, AppsPage } from "./apps";
export { DevicePage } from "./device";
export { Together } from "../devices/together";
export { DevicesList } from "./devices_list";
export { NewDevicePage } from "./device_new";
export { ImportPage } from "./import_tronbyt";
export { InstallationPage } from "./installation";
export { KeysPage } from "./keys";
export { ReviewPage } from "./review";
export { ReviewsPage } from "./reviews";
export { StudioPage } from "./studio";
export { StudioAppPage } from "./studio_app";
export { WebhooksPage } from "./webhooks";
