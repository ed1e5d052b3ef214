import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { Account } from "./api/client";
import { start, startProblem } from "./api/session";
import { Questions } from "./components/dialog";
import { Toasts } from "./components/toast";
import { Boundary } from "./frame/boundary";
import { AwayLine, Frame } from "./frame/frame";
import { Gate } from "./frame/gate";
import { lazily } from "./frame/lazy";
import { Heading } from "./frame/page";
import { go, path } from "./frame/place";
import { matchRoute, type Parameters as PathParameters } from "./frame/routes";
import { Shortcuts } from "./frame/shortcuts";
import { DevicesPage } from "./pages/devices";
import { Missing } from "./pages/missing";
import { startServiceWorker } from "./share/install";

type Page = (props: { account: Account; parameters: PathParameters }) => JSX.Element | null;

const FlashPage: Page = lazily(async () => (await import("./pages/flash")).FlashPage);

type Props = Parameters<Page>[0];
type Others = typeof import("./pages/others");
type OfDevice = typeof import("./pages/of_device");
type OfApps = typeof import("./pages/of_apps");

/* Pages of the scripts that the first look at Devices does not need. */

function other(name: Extract<keyof Others, `${string}Page`>): Page {
	return lazily<Props>(async () => (await import("./pages/others"))[name]);
}

function ofDevice(name: Extract<keyof OfDevice, `${string}Page`>): Page {
	return lazily<Props>(async () => (await import("./pages/of_device"))[name]);
}

function ofApps(name: Extract<keyof OfApps, `${string}Page`>): Page {
	return lazily<Props>(async () => (await import("./pages/of_apps"))[name]);
}

const LATER_MS = 5_000;
let isLater = false;

/** Loads the pages of every day once the first one has what it needs: the next click does not wait for them. */
function loadMoreLater(): void {
	if (isLater) return;
	isLater = true;
	const load = () => Promise.all([import("./pages/of_device"), import("./pages/of_apps")]);
	const start = () => Promise.all([load(), startServiceWorker()]);
	setTimeout(() => void start().catch(() => undefined), LATER_MS);
}

// Pages with several paths keep their state while the path changes.
const AccountPage = other("AccountPage");
const DevicePage = ofDevice("DevicePage");
const StudioAppPage = other("StudioAppPage");

/** "/" for a signed-in user. */
function Home({ account }: Props): JSX.Element | null {
	const isNew = Boolean(start.value?.firstSteps) && !account.hasDevice;
	useLayoutEffect(() => go(isNew ? "welcome" : "devices", { replaces: true }), []);
	return null;
}

const gate = () => import("./pages/gate");
const SignInPage = lazily(async () => (await gate()).SignInPage);
const RegisterPage = lazily(async () => (await gate()).RegisterPage);

/** Pages that do not need a signed-in user. */
const open: Record<string, (props: object) => JSX.Element | null> = {
	panel: lazily(async () => (await gate()).PanelPage),
	connect: lazily(async () => (await import("./pages/connect")).ConnectPage),
	link: lazily(async () => (await gate()).LinkPage),
	"sign-in": lazily(async () => (await gate()).ProviderPage),
	...(DEVELOPMENT
		? { "web/components": lazily(async () => (await import("./pages/components")).ComponentsPage) }
		: {}),
};

const pages: Record<string, Page> = {
	"": Home,
	devices: DevicesPage,
	"devices/new": ofDevice("NewDevicePage"),
	"devices/import": other("ImportPage"),
	"devices/firmware": other("UpdatesPage"),
	"devices/{id}": DevicePage,
	"devices/{id}/add": ofApps("AddPage"),
	"devices/{id}/flash": FlashPage,
	"devices/{id}/{tab}": DevicePage,
	"devices/{id}/apps/{installation}": ofApps("InstallationPage"),
	share: ofDevice("SharePage"),
	welcome: ofDevice("WelcomePage"),
	"development/keys": other("KeysPage"),
	"development/webhooks": other("WebhooksPage"),
	account: AccountPage,
	apps: ofApps("AppsPage"),
	"apps/{id}": ofApps("AppPage"),
	"apps/{id}/install/{device}": ofApps("InstallPage"),
	collections: other("CollectionsPage"),
	studio: other("StudioPage"),
	"studio/{id}": StudioAppPage,
	"studio/{id}/{part}": StudioAppPage,
	"studio/{id}/{part}/{name}": StudioAppPage,
	"account/access": other("AccessPage"),
	"account/removal": other("AccountRemovalPage"),
	"account/{part}": AccountPage,
};

/** Pages of administrators; for others they do not exist. */
const administration: Record<string, Page> = {
	admin: other("AdminPage"),
	"admin/invitations": other("InvitationsPage"),
	"admin/collections": other("AdminCollectionsPage"),
	"admin/apps": other("AdminAppsPage"),
	"admin/backups": other("BackupsPage"),
	"admin/firmware": other("FirmwarePage"),
	"admin/audit": other("AuditPage"),
	"admin/instance": other("InstancePage"),
};

/** Pages of reviewers. */
const reviewing: Record<string, Page> = {
	review: other("ReviewsPage"),
	"review/{id}": other("ReviewPage"),
};

/**
 * key: a page whose parts have URLs of their own keeps its state while its path changes, so its key
 * is the ID, or the path of its first part; for others the key is the path.
 */
function pageOf(account: Account): { Page: Page; parameters: PathParameters; key: string } {
	const found =
		(account.isAdministrator ? matchRoute(administration, path.value) : undefined) ??
		(account.isReviewer ? matchRoute(reviewing, path.value) : undefined) ??
		matchRoute(pages, path.value);
	const { route: Page, parameters } = found ?? { route: Missing, parameters: {} };
	const { id, device, installation, part } = parameters;
	const isOfTwo = device !== undefined || installation !== undefined;
	const whole = part === undefined ? path.value : path.value.replace(/\/[^/]*$/, "");
	return { Page, parameters, key: isOfTwo ? path.value : (id ?? whole) };
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
		loadMoreLater();
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
