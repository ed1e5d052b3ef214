import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { post, Problem } from "../api/client";
import { arePasskeysOffered, askPasskey, type Assertion } from "../api/passkey";
import { setAccount } from "../api/session";
import { Button } from "../components/button";
import { go } from "../frame/place";

/** An offer is renewed before its challenge expires. */
const OFFER_MS = 4 * 60_000;

async function signInWith(assertion: Assertion, staysSignedIn: boolean): Promise<void> {
	setAccount(await post("/web/session/passkey", { ...assertion, staysSignedIn }));
	if (location.pathname.endsWith("/register")) go("", { replaces: true });
}

/** Lets the browser offer passkeys in the field of the e-mail address, if it can. */
function usePasskeyOffer(
	staysSignedIn: boolean,
	onProblem: (problem: Problem) => void,
): () => void {
	const stays = useRef(staysSignedIn);
	stays.current = staysSignedIn;
	const stop = useRef<(() => void) | undefined>(undefined);
	useEffect(() => {
		let timer = 0;
		const offer = async () => {
			const controller = new AbortController();
			stop.current = () => {
				clearTimeout(timer);
				controller.abort();
			};
			timer = window.setTimeout(() => {
				controller.abort();
				void offer();
			}, OFFER_MS);
			let assertion: Assertion;
			try {
				assertion = await askPasskey({ isOffer: true, signal: controller.signal });
			} catch {
				return; // it was not used
			}
			try {
				await signInWith(assertion, stays.current);
			} catch (error) {
				if (!(error instanceof Problem)) throw error;
				onProblem(error);
			}
		};
		const begin = async () => {
			if (!arePasskeysOffered()) return;
			// Newer than passkeys.
			if (!("isConditionalMediationAvailable" in PublicKeyCredential)) return;
			if (await PublicKeyCredential.isConditionalMediationAvailable()) void offer();
		};
		void begin();
		return () => stop.current?.();
	}, []);
	return () => stop.current?.();
}

/** Sign-in with a passkey, if browser and server support it. */
export function PasskeySignIn({ staysSignedIn }: { staysSignedIn: boolean }): JSX.Element | null {
	const [problem, setProblem] = useState<Problem>();
	const [isBusy, setBusy] = useState(false);
	const stopOffer = usePasskeyOffer(staysSignedIn, setProblem);
	if (!arePasskeysOffered()) return null;
	const signIn = async () => {
		setBusy(true);
		stopOffer();
		try {
			await signInWith(await askPasskey(), staysSignedIn);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			setProblem(error);
		} finally {
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
					Sign in with a passkey
				</Button>
			</div>
		</div>
	);
}
