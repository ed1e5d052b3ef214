import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { Account } from "./api/client";
import { start, startProblem } from "./api/session";
import { Questions } from "./components/dialog";
import { Toasts } from "./components/toast";
import { Boundary } from "./frame/boundary";
import { AwayLine, Frame } from "./frame/frame";
import { Gate } from "./frame/gate";
import { Heading } from "./frame/page";
import { go, path } from "./frame/place";
import { matchRoute, type Parameters } from "./frame/routes";
import { Shortcuts } from "./frame/shortcuts";
import { AccountPage } from "./pages/account";
import { AccessPage } from "./pages/account_access";
import { AccountRemovalPage } from "./pages/account_removal";
import { AdminPage } from "./pages/admin";
import { AuditPage } from "./pages/admin_audit";
import { FirmwarePage } from "./pages/admin_firmware";
import { InstancePage } from "./pages/admin_instance";
import { InvitationsPage } from "./pages/admin_invitations";
import { AppPage } from "./pages/app";
import { AddPage, AppsPage } from "./pages/apps";
import { InstallPage } from "./pages/app_install";
import { ComponentsPage } from "./pages/components";
import { DevicePage } from "./pages/device";
import { NewDevicePage } from "./pages/device_new";
import { DevicesPage } from "./pages/devices";
import { ImportPage } from "./pages/import_tronbyt";
import { InstallationPage } from "./pages/installation";
import { KeysPage } from "./pages/keys";
import { LinkPage } from "./pages/link";
import { Missing } from "./pages/missing";
import { PanelPage } from "./pages/panel";
import { ReviewPage } from "./pages/review";
import { ReviewsPage } from "./pages/reviews";
import { RegisterPage, SignInPage } from "./pages/sign_in";
import { StudioPage } from "./pages/studio";
import { StudioAppPage } from "./pages/studio_app";
import { WebhooksPage } from "./pages/webhooks";

type Page = (props: { account: Account; parameters: Parameters }) => JSX.Element | null;

/** "/" for a signed-in user. */
function Home(): JSX.Element | null {
	useLayoutEffect(() => go("devices", { replaces: true }), []);
	return null;
}

/** Pages that do not need a signed-in user. */
const open: Record<string, () => JSX.Element> = {
	panel: PanelPage,
	link: LinkPage,
	...(DEVELOPMENT ? { "web/components": ComponentsPage } : {}),
};

const pages: Record<string, Page> = {
	"": Home,
	devices: DevicesPage,
	"devices/new": NewDevicePage,
	"devices/import": ImportPage,
	"devices/{id}": DevicePage,
	"devices/{id}/add": AddPage,
	"devices/{id}/{tab}": DevicePage,
	"devices/{id}/apps/{installation}": InstallationPage,
	"development/keys": KeysPage,
	"development/webhooks": WebhooksPage,
	account: AccountPage,
	apps: AppsPage,
	"apps/{id}": AppPage,
	"apps/{id}/install/{device}": InstallPage,
	studio: StudioPage,
	"studio/{id}": StudioAppPage,
	"studio/{id}/{part}": StudioAppPage,
	"studio/{id}/{part}/{name}": StudioAppPage,
	"account/access": AccessPage,
	"account/removal": AccountRemovalPage,
};

/** Pages of administrators; for others they do not exist. */
const administration: Record<string, Page> = {
	admin: AdminPage,
	"admin/invitations": InvitationsPage,
	"admin/firmware": FirmwarePage,
	"admin/audit": AuditPage,
	"admin/instance": InstancePage,
};

/** Pages of reviewers. */
const reviewing: Record<string, Page> = {
	review: ReviewsPage,
	"review/{id}": ReviewPage,
};

/**
 * key: a page whose parts have URLs of their own keeps its state while its path changes, so its key
 * is the ID; for others the key is the path.
 */
function pageOf(account: Account): { Page: Page; parameters: Parameters; key: string } {
	const found =
		(account.isAdministrator ? matchRoute(administration, path.value) : undefined) ??
		(account.isReviewer ? matchRoute(reviewing, path.value) : undefined) ??
		matchRoute(pages, path.value);
	const { route: Page, parameters } = found ?? { route: Missing, parameters: {} };
	const { id, device, installation } = parameters;
	const isOfTwo = device !== undefined || installation !== undefined;
	return { Page, parameters, key: isOfTwo ? path.value : (id ?? path.value) };
}

/** The page until it is known who is signed in: blank, unless the request has failed. */
function Waiting(): JSX.Element {
	const problem = startProblem.value;
	if (!problem) return <main aria-busy="true" />;
	return (
		<Gate isBusy>
			<Heading title="Loading" />
			<p class="notice bad">{problem.message}</p>
		</Gate>
	);
}

function Content(): JSX.Element | null {
	const Open = open[path.value];
	if (Open) return <Open />;
	if (!start.value) return <Waiting />;
	const { account, registration } = start.value;
	if (account) {
		const { Page, parameters, key } = pageOf(account);
		return (
			<Frame account={account}>
				<Boundary key={key}>
					<Page account={account} parameters={parameters} />
				</Boundary>
			</Frame>
		);
	}
	return path.value === "register" && registration === "open" ? <RegisterPage /> : <SignInPage />;
}

export function App(): JSX.Element {
	return (
		<Boundary>
			{path.value !== "panel" && <AwayLine />}
			<Content />
			<Questions />
			<Shortcuts />
			<Toasts />
		</Boundary>
	);
}
