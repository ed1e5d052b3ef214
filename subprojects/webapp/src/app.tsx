import type { ComponentChild, FunctionComponent, JSX } from "preact";
import type { Account } from "./api/client";
import { start, startProblem } from "./api/session";
import { Questions } from "./components/dialog";
import { Toasts } from "./components/toast";
import { Boundary } from "./frame/boundary";
import { AwayLine, Frame } from "./frame/frame";
import { Gate } from "./frame/gate";
import { Heading } from "./frame/page";
import { path } from "./frame/place";
import { matchRoute, type Parameters } from "./frame/routes";
import { Shortcuts } from "./frame/shortcuts";
import { Missing } from "./pages/missing";
import { RegisterPage, SignInPage } from "./pages/sign_in";

export interface PageProps {
	account: Account;
	parameters: Parameters;
}

export type Page = (props: PageProps) => ComponentChild;

/** The pages by their paths. */
export interface AllPages {
	/** Those that need no signed-in user. */
	open: Record<string, FunctionComponent>;
	pages: Record<string, Page>;
	/** Of administrators; for others they do not exist. */
	administration: Record<string, Page>;
	/** Of reviewers. */
	reviewing: Record<string, Page>;
}

/**
 * key: a page whose parts have URLs of their own keeps its state while its path changes, so its key
 * is the ID; for others the key is the path.
 */
function pageOf(
	all: AllPages,
	account: Account,
): { Page: Page; parameters: Parameters; key: string } {
	const found =
		(account.isAdministrator ? matchRoute(all.administration, path.value) : undefined) ??
		(account.isReviewer ? matchRoute(all.reviewing, path.value) : undefined) ??
		matchRoute(all.pages, path.value);
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

function Content({ all }: { all: AllPages }): JSX.Element | null {
	const Open = all.open[path.value];
	if (Open) return <Open />;
	if (!start.value) return <Waiting />;
	const { account, registration } = start.value;
	if (account) {
		const { Page, parameters, key } = pageOf(all, account);
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

export function App({ all }: { all: AllPages }): JSX.Element {
	return (
		<Boundary>
			{path.value !== "panel" && <AwayLine />}
			<Content all={all} />
			<Questions />
			<Shortcuts />
			<Toasts />
		</Boundary>
	);
}
