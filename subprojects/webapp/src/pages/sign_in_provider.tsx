import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { post, Problem } from "../api/client";
import { loadStart, setAccount, start } from "../api/session";
import { Button } from "../components/button";
import { toast } from "../components/toast";
import { Gate } from "../frame/gate";
import { Heading } from "../frame/page";
import { go } from "../frame/place";

/** Sign-in by the identity provider, if the server has one. */
export function ProviderSignIn({ staysSignedIn }: { staysSignedIn: boolean }): JSX.Element | null {
	const provider = start.value?.identityProvider ?? null;
	const [problem, setProblem] = useState<Problem>();
	const [isBusy, setBusy] = useState(false);
	if (provider === null) return null;
	const signIn = async () => {
		setBusy(true);
		try {
			const { url } = await post("/web/oidc/start", { staysSignedIn });
			location.assign(url);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			setProblem(error);
			setBusy(false);
		}
	};
	return (
		<div class="stack">
			<p class="either">or</p>
			{problem && (
				<p class="notice bad" role="alert">
					{problem.message}
				</p>
			)}
			<div class="row">
				<Button onClick={() => void signIn()} isBusy={isBusy}>
					Sign in with {provider}
				</Button>
			</div>
		</div>
	);
}

/** Answer of the provider, which the browser brings in the page's URL. */
interface Answer {
	code: string;
	state: string;
	/** Why there is no code. */
	error: string | undefined;
}

/** Takes the answer from the URL, which shows and keeps it no longer. */
function takeAnswer(): Answer {
	const { searchParams } = new URL(location.href);
	const text = (name: string) => searchParams.get(name) ?? "";
	history.replaceState(null, "", location.pathname);
	const error = text("error_description") || text("error");
	return { code: text("code"), state: text("state"), error: error === "" ? undefined : error };
}

async function finish({ code, state, error }: Answer): Promise<string> {
	if (error !== undefined || code === "" || state === "")
		return "You were not signed in: the identity provider did not confirm it.";
	await loadStart();
	const before = start.value?.account?.id;
	try {
		const account = await post("/web/oidc/session", { code, state });
		setAccount(account);
		if (before === account.id) toast("Connected");
		go(before === account.id ? "account/sign-in" : "", { replaces: true });
		return "";
	} catch (problem) {
		if (!(problem instanceof Problem)) throw problem;
		return problem.message;
	}
}

/** /sign-in: where the identity provider leads back to. */
export function ProviderPage(): JSX.Element {
	const [answer] = useState(takeAnswer);
	const [fault, setFault] = useState("");
	useEffect(() => {
		void finish(answer).then(setFault);
	}, []);
	return (
		<Gate isBusy={fault === ""}>
			<Heading title="Sign in" />
			{fault !== "" && (
				<>
					<p class="notice bad" role="alert">
						{fault}
					</p>
					<p>
						<a href="." data-page>
							Back to the start
						</a>
					</p>
				</>
			)}
		</Gate>
	);
}
