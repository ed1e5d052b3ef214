import { post, Problem, type Account, type Schemas } from "./client";
import { start } from "./session";

export type Assertion = Schemas["Assertion"];
export type Passkey = Schemas["Passkey"];
export type Proof = Schemas["Proof"];

/** ES256, EdDSA and RS256: the algorithms that the server supports. */
const ALGORITHMS = [-7, -8, -257];

/** Whether this browser can use passkeys on this site, with the host name under which it was opened. */
export function arePasskeysOffered(): boolean {
	return (
		isSecureContext &&
		typeof PublicKeyCredential === "function" &&
		start.value?.passkeyHost === location.hostname
	);
}

/** Encodes base64url without padding, as the server expects. */
export function textOf(bytes: ArrayBuffer): string {
	const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
	return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
	const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
	return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
}

/** Returns the 16 bytes of an ID, by which an authenticator identifies the account. */
function idBytes(id: string): Uint8Array<ArrayBuffer> {
	const digits = id.replaceAll("-", "").match(/../g) ?? [];
	return Uint8Array.from(digits, (pair) => parseInt(pair, 16));
}

/** Translates an error of the browser's passkey API into plain words. */
function problemOf(error: unknown): Problem {
	const name = error instanceof DOMException ? error.name : "";
	if (name === "InvalidStateError")
		return new Problem(0, "This computer or phone already has a passkey for this account.");
	if (name === "NotAllowedError" || name === "AbortError")
		return new Problem(0, "No passkey was used. Try again.");
	return new Problem(0, "This browser could not use a passkey.");
}

async function challenge(): Promise<{ challenge: Uint8Array<ArrayBuffer>; host: string }> {
	const made = await post("/web/challenge", undefined);
	return { challenge: bytesOf(made.challenge), host: made.relyingParty };
}

function credentialOf(found: Credential | null): PublicKeyCredential {
	if (found instanceof PublicKeyCredential) return found;
	throw new Problem(0, "This browser could not use a passkey.");
}

/** Has the browser make a passkey, which the user confirms. */
export async function makePasskey(
	account: Account,
	known: readonly Passkey[],
): Promise<{ clientDataJson: string; authenticatorData: string }> {
	const { challenge: bytes, host } = await challenge();
	let made: Credential | null;
	try {
		made = await navigator.credentials.create({
			publicKey: {
				challenge: bytes,
				rp: { id: host, name: "displayd" },
				user: { id: idBytes(account.id), name: account.email, displayName: account.name },
				pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
				excludeCredentials: known.map(({ credentialId }) => ({
					type: "public-key",
					id: bytesOf(credentialId),
				})),
				authenticatorSelection: {
					residentKey: "required",
					requireResidentKey: true,
					userVerification: "required",
				},
				attestation: "none",
			},
		});
	} catch (error) {
		throw problemOf(error);
	}
	const response = credentialOf(made).response as AuthenticatorAttestationResponse;
	return {
		clientDataJson: textOf(response.clientDataJSON),
		authenticatorData: textOf(response.getAuthenticatorData()),
	};
}

interface AskOptions {
	/** Passkeys that may sign; none: any passkey of this site, which then names its account. */
	known?: readonly Passkey[];
	/** The browser offers passkeys in its autofill. */
	isOffer?: boolean;
	signal?: AbortSignal;
}

/** Has a passkey sign a challenge, which the user confirms. */
export async function askPasskey(options: AskOptions = {}): Promise<Assertion> {
	const { challenge: bytes, host } = await challenge();
	let found: Credential | null;
	try {
		found = await navigator.credentials.get({
			...(options.isOffer ? { mediation: "conditional" } : {}),
			...(options.signal ? { signal: options.signal } : {}),
			publicKey: {
				challenge: bytes,
				rpId: host,
				userVerification: "required",
				allowCredentials: (options.known ?? []).map(({ credentialId }) => ({
					type: "public-key",
					id: bytesOf(credentialId),
				})),
			},
		});
	} catch (error) {
		throw problemOf(error);
	}
	const credential = credentialOf(found);
	const response = credential.response as AuthenticatorAssertionResponse;
	return {
		credentialId: textOf(credential.rawId),
		clientDataJson: textOf(response.clientDataJSON),
		authenticatorData: textOf(response.authenticatorData),
		signature: textOf(response.signature),
		...(response.userHandle?.byteLength ? { userHandle: textOf(response.userHandle) } : {}),
	};
}
