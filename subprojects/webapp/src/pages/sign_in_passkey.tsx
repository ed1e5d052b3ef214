import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { post, Problem } from "../api/client";
import { arePasskeysOffered, askPasskey, type Assertion } from "../api/passkey";
import { setAccount } from "../api/session";
import { Button } from "../components/button";
import { go } from "../frame/place";

/** An offer is made anew before its challenge grows old. */
const OFFER_MS = 4 * 60_000;

async function signInWith(assertion: Assertion): Promise<void> {
	setAccount(await post("/web/session/passkey", assertion));
	if (location.pathname.endsWith("/register")) go("", { replaces: true });
}

/** The browser offers passkeys in the field of the e-mail address, where it can. */
function usePasskeyOffer(onProblem: (problem: Problem) => void): () => void {
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
				return; // nobody has taken it
			}
			try {
				await signInWith(assertion);
			} catch (error) {
				if (!(error instanceof Problem)) throw error;
				onProblem(error);
			}
		};
		const begin = async () => {
			if (!arePasskeysOffered()) return;
			// Younger than passkeys are.
			if (!("isConditionalMediationAvailable" in PublicKeyCredential)) return;
			if (await PublicKeyCredential.isConditionalMediationAvailable()) void offer();
		};
		void begin();
		return () => stop.current?.();
	}, []);
	return () => stop.current?.();
}

/** The other way in, where this browser and this server have it. */
export function PasskeySignIn(): JSX.Element | null {
	const [problem, setProblem] = useState<Problem>();
	const [isBusy, setBusy] = useState(false);
	const stopOffer = usePasskeyOffer(setProblem);
	if (!arePasskeysOffered()) return null;
	const signIn = async () => {
		setBusy(true);
		stopOffer();
		try {
			await signInWith(await askPasskey());
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
