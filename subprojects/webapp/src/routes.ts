import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { AllPages, Page, PageProps } from "./app";
import { lazy } from "./frame/lazy";
import { go } from "./frame/place";
import { DevicesPage } from "./pages/devices";

type Pages = typeof import("./pages/others");
type DevicePages = typeof import("./pages/of_device");
type AppPages = typeof import("./pages/of_apps");

function other(name: Exclude<keyof Pages, "LinkPage" | "ComponentsPage">): Page {
	return lazy<PageProps>(async () => (await import("./pages/others"))[name]);
}

function ofDevice(name: keyof DevicePages): Page {
	return lazy<PageProps>(async () => (await import("./pages/of_device"))[name]);
}

function ofApps(name: keyof AppPages): Page {
	return lazy<PageProps>(async () => (await import("./pages/of_apps"))[name]);
}

/* Pages of several paths are the same component, which keeps its state. */
const DevicePage = ofDevice("DevicePage");
const StudioAppPage = other("StudioAppPage");

/** "/" for a signed-in user. */
function Home(): JSX.Element | null {
	useLayoutEffect(() => go("devices", { replaces: true }), []);
	return null;
}

const open: AllPages["open"] = {
	panel: lazy(async () => (await import("./pages/of_panel")).PanelPage),
	link: lazy(async () => (await import("./pages/others")).LinkPage),
	...(DEVELOPMENT
		? { "web/components": lazy(async () => (await import("./pages/others")).ComponentsPage) }
		: {}),
};

const pages: AllPages["pages"] = {
	"": Home,
	devices: DevicesPage,
	"devices/new": ofDevice("NewDevicePage"),
	"devices/import": other("ImportPage"),
	"devices/{id}": DevicePage,
	"devices/{id}/add": ofApps("AddPage"),
	"devices/{id}/{tab}": DevicePage,
	"devices/{id}/apps/{installation}": ofApps("InstallationPage"),
	"development/keys": other("KeysPage"),
	"development/webhooks": other("WebhooksPage"),
	account: other("AccountPage"),
	apps: ofApps("AppsPage"),
	"apps/{id}": ofApps("AppPage"),
	"apps/{id}/install/{device}": ofApps("InstallPage"),
	studio: other("StudioPage"),
	"studio/{id}": StudioAppPage,
	"studio/{id}/{part}": StudioAppPage,
	"studio/{id}/{part}/{name}": StudioAppPage,
	"account/access": other("AccessPage"),
	"account/removal": other("AccountRemovalPage"),
};

const administration: AllPages["administration"] = {
	admin: other("AdminPage"),
	"admin/invitations": other("InvitationsPage"),
	"admin/firmware": other("FirmwarePage"),
	"admin/audit": other("AuditPage"),
	"admin/instance": other("InstancePage"),
};

const reviewing: AllPages["reviewing"] = {
	review: other("ReviewsPage"),
	"review/{id}": other("ReviewPage"),
};

export const all: AllPages = { open, pages, administration, reviewing };
