import { computed, effect, signal } from "@preact/signals";
import {
	get,
	isAway,
	isSignedInAnew,
	onSignedOut,
	Problem,
	type Account,
	type Schemas,
} from "./client";
import { onStartChanged, startStream } from "./live";

/** Facts that a page needs first; undefined until the server has sent them. */
export const start = signal<Schemas["Start"] | undefined>();
/** Why the request for it has failed. */
export const startProblem = signal<Problem | undefined>();
/** Why the sign-in page is shown, if that is not obvious. */
export const signedOutReason = signal<string | undefined>();

const RETRY_MS = 2_000;
const ENDED = "Your session has ended. Sign in again.";
const accountId = computed(() => start.value?.account?.id);

/** Requests of this tab that give its session another cookie. */
let renewing: Promise<unknown> = Promise.resolve();
/** Time that such a request of another tab usually takes at most. */
const RENEWED_MS = 1_500;

/** Runs a request that gives this session another cookie: until its answer is there, no 401 ends the session. */
export function renewSession<T>(request: Promise<T>): Promise<T> {
	renewing = request.catch(() => undefined);
	return request;
}

/** Requests who is signed in; again if the account has just been signed out: see isSignedInAnew. */
async function askStart(): Promise<Schemas["Start"]> {
	const before = await get("/web/start");
	if (before.account || !start.value?.account) return before;
	await Promise.all([renewing, new Promise((resolve) => setTimeout(resolve, RENEWED_MS))]);
	return get("/web/start");
}

export async function loadStart(): Promise<void> {
	try {
		const next = await askStart();
		if (start.value?.account && !next.account) signedOutReason.value = ENDED;
		if (JSON.stringify(next) !== JSON.stringify(start.value)) start.value = next;
		startProblem.value = undefined;
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		startProblem.value = error;
		isAway.value = true; // any error: without an answer there is no page
	}
}

/** The first steps of an account, as far as it tells. */
function stepsOf({ hasDevice, isAdministrator }: Account): Schemas["Start"]["firstSteps"] {
	return hasDevice ? null : { hasPanel: false, hasEntry: false, hasApps: !isAdministrator };
}

export function setAccount(account: Account | null): void {
	const before = start.value;
	if (before) {
		const isOther = before.account?.id !== account?.id;
		start.value = {
			...before,
			account,
			isNew: before.isNew && account === null,
			...(isOther && { firstSteps: account && stepsOf(account) }),
		};
		if (isOther && account) void loadStart();
	}
	if (account) signedOutReason.value = undefined;
}

/** Polls an unreachable server until it answers, and opens the stream for a signed-in user. */
export function watchServer(): void {
	let timer: number | undefined;
	isAway.subscribe((away) => {
		clearInterval(timer);
		if (away) timer = window.setInterval(() => void loadStart(), RETRY_MS);
	});
	// The browser knows at once that it has no network; a request would wait for its time limit.
	addEventListener("offline", () => {
		isAway.value = true;
	});
	onStartChanged.call = () => void loadStart();
	effect(() => (accountId.value === undefined ? undefined : startStream()));
	isSignedInAnew.call = async () => {
		const id = accountId.peek();
		if (id === undefined) return false;
		await renewing;
		try {
			return (await askStart()).account?.id === id;
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			return false;
		}
	};
	onSignedOut.call = () => {
		if (!start.value?.account) return;
		signedOutReason.value = ENDED;
		setAccount(null);
	};
}
