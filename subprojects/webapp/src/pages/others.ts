/** The pages that are not opened every day, as one script. */
import "../main"; // what it shares with the first script stays in that one

export { AccountPage } from "./account";
export { AccessPage } from "./account_access";
export { AccountRemovalPage } from "./account_removal";
export { AdminPage } from "./admin";
export { AdminCollectionsPage } from "./admin_collections";
export { AdminAppsPage } from "./admin_apps";
export { AuditPage } from "./admin_audit";
export { BackupsPage } from "./admin_backups";
export { FirmwarePage } from "./admin_firmware";
export { InstancePage } from "./admin_instance";
export { InvitationsPage } from "./admin_invitations";
export { CollectionsPage } from "./collections";
export { UpdatesPage } from "./devices_firmware";
export { ImportPage } from "./import_tronbyt";
export { KeysPage } from "./keys";
export { ReviewPage } from "./review";
export { ReviewsPage } from "./reviews";
export { StudioPage } from "./studio";
export { StudioAppPage } from "./studio_app";
export { WebhooksPage } from "./webhooks";
