import type { components, paths } from "web-api";
import { signal } from "@preact/signals";
import { sentence } from "../components/sentence";
import { base } from "../frame/place";

export type Schemas = components["schemas"];
export type Account = Schemas["Account"];

type Methods = "get" | "post" | "put" | "patch" | "delete";
type PathsWith<M extends Methods> = {
	[P in keyof paths]: paths[P][M] extends { responses: unknown } ? P : never;
}[keyof paths];
type Operation<P extends keyof paths, M extends Methods> = paths[P][M];
type Json<T> = T extends { content: { "application/json": infer Body } } ? Body : never;
type Success<R> = R extends { 200: infer A }
	? Json<A>
	: R extends { 201: infer B }
		? Json<B>
		: never;
type Answer<P extends keyof paths, M extends Methods> =
	Operation<P, M> extends { responses: infer R } ? Success<R> : never;
type Body<P extends keyof paths, M extends Methods> =
	Operation<P, M> extends { requestBody: { content: { "application/json": infer B } } }
		? B
		: undefined;

/** Error answer of the server (RFC 9457). */
export class Problem extends Error {
	override readonly name = "Problem";

	constructor(
		readonly status: number,
		detail: string,
		/** Faults in the body, by the name of the field; they begin with a verb. */
		readonly faults: ReadonlyMap<string, string> = new Map(),
		/** Kind of the problem, for code that treats one specially. */
		readonly code?: string,
	) {
		super(detail);
	}
}

/** Whether the server is unreachable; the frame shows that and retries until it is reachable. */
export const isAway = signal(false);
/**
 * Whether a user is signed in although the server has just answered 401: the session may have got
 * another cookie meanwhile, which a request on its way did not have.
 */
export const isSignedInAnew: { call: () => Promise<boolean> } = {
	call: () => Promise.resolve(false),
};
/** Called when the server answers that the user is not signed in any more. */
export const onSignedOut: { call: () => void } = { call: () => undefined };

const NO_SERVER = "Cannot reach the server. Try again in a moment.";
const TIME_OUT_MS = 30_000;

async function problemOf(response: Response): Promise<Problem> {
	const fallback = `The server answered with ${response.status} ${response.statusText}.`;
	try {
		const problem = (await response.json()) as Schemas["Problem"];
		const faults = new Map<string, string>();
		for (const { pointer, detail } of problem.errors ?? []) faults.set(pointer.slice(1), detail);
		return new Problem(response.status, sentence(problem.detail ?? fallback), faults, problem.code);
	} catch {
		return new Problem(response.status, fallback);
	}
}

interface Query {
	limit?: number;
	/** Text to search a list for; "" is the same as none. */
	q?: string;
	cursor?: string;
	/** Whether what a key has set up stays. */
	keepSetUp?: boolean;
	/** Also apps that their collection marks as broken. */
	broken?: "true";
	/** Apps of a category, or of a view. */
	category?: string;
	view?: string;
	/** The device for which a form is filled in. */
	deviceId?: string;
	/** IDs of the devices to read. */
	devices?: readonly string[];
	/** Start of a place's name. */
	search?: string;
	/** A trial import, which stores nothing and returns what would be imported. */
	dryRun?: boolean;
	keepAddresses?: boolean;
	openAddresses?: boolean;
	/** A host that is being typed, and whether an app would ask it. */
	host?: string;
	byApp?: boolean;
}

function queryText(query: Query): string {
	const parameters = new URLSearchParams();
	for (const [name, value] of Object.entries(query) as [string, Query[keyof Query]][])
		if (value !== undefined && (name !== "q" || value !== "")) parameters.set(name, String(value));
	// The server does not decode "+" as a space (RFC 3986).
	const text = parameters.toString().replaceAll("+", "%20");
	return text === "" ? "" : `?${text}`;
}

/** The cursor of a list's next part (RFC 8288); undefined behind the last one. */
function nextCursor(response: Response): string | undefined {
	const target = /<([^>]*)>;\s*rel="?next/.exec(response.headers.get("Link") ?? "")?.[1];
	if (target === undefined) return undefined;
	return new URL(target, base).searchParams.get("cursor") ?? undefined;
}

async function askOnce(
	method: Methods,
	path: string,
	body: unknown,
	keepalive: boolean,
): Promise<Response> {
	const headers = body === undefined ? {} : { "Content-Type": "application/json" };
	let response: Response;
	try {
		response = await fetch(new URL(path.slice(1), base), {
			method: method.toUpperCase(),
			headers,
			body: body === undefined ? null : JSON.stringify(body),
			signal: AbortSignal.timeout(TIME_OUT_MS),
			keepalive,
		});
	} catch {
		isAway.value = true;
		throw new Problem(0, NO_SERVER);
	}
	if (response.status !== 503) isAway.value = false;
	return response;
}

const CODES_OF_WORK = [
	"app_unavailable",
	"identity_provider_unavailable",
	"imports_too_many",
	"texts_unavailable",
];

/** Whether a 503 is about one kind of work, such as drawing, and not about the whole server. */
function isOfWork(path: string, { code = "" }: Problem): boolean {
	return code === "server_busy" ? path.endsWith("/preview") : CODES_OF_WORK.includes(code);
}

async function ask(
	method: Methods,
	path: string,
	body?: unknown,
	/** Whether the request is sent even if the page is left at the same moment. */
	keepalive = false,
): Promise<Response> {
	let response = await askOnce(method, path, body, keepalive);
	const isRefused = () => response.status === 401 && path !== "/web/session";
	if (isRefused() && (await isSignedInAnew.call()))
		response = await askOnce(method, path, body, keepalive);
	if (response.ok) return response;
	if (isRefused()) onSignedOut.call();
	const problem = await problemOf(response);
	if (problem.status === 503 && !isOfWork(path, problem)) isAway.value = true;
	throw problem;
}

const revisions = new WeakMap<WeakKey, number>();

/**
 * Returns the revision of a server's answer; undefined: the answer has none. A later state has a
 * higher revision. Answers may arrive in another order than the server gave them.
 */
export function revisionOf(answer: WeakKey): number | undefined {
	return revisions.get(answer);
}

/** A device's entity tag begins with the revision of its settings. */
function keepRevision(response: Response, answer: unknown): void {
	const revision = /^(?:W\/)?"(\d+)-/.exec(response.headers.get("ETag") ?? "")?.[1];
	if (revision !== undefined && answer instanceof Object) revisions.set(answer, Number(revision));
}

async function send(
	method: Methods,
	path: string,
	body?: unknown,
	keepalive = false,
): Promise<unknown> {
	const response = await ask(method, path, body, keepalive);
	const answer = (await response.json()) as unknown;
	keepRevision(response, answer);
	return answer;
}

/** "/web/keys/{keyId}" with its parameters filled in. */
function fill(template: string, parameters: Record<string, string>): string {
	return template.replace(/\{(\w+)\}/g, (_, name: string) =>
		encodeURIComponent(parameters[name] ?? ""),
	);
}

export function get<P extends PathsWith<"get">>(
	path: P,
	query: Query = {},
	parameters: Record<string, string> = {},
): Promise<Answer<P, "get">> {
	return send("get", fill(path, parameters) + queryText(query)) as Promise<Answer<P, "get">>;
}

/** Reads what is not JSON. */
export async function getBytes(
	path: PathsWith<"get">,
	parameters: Record<string, string>,
): Promise<Uint8Array> {
	const response = await ask("get", fill(path, parameters));
	return new Uint8Array(await response.arrayBuffer());
}

/** A part of a list, and where the next one begins. */
export async function getPart<P extends PathsWith<"get">>(
	path: P,
	query: Query,
): Promise<{ rows: Answer<P, "get">; cursor: string | undefined }> {
	const response = await ask("get", path + queryText(query));
	return { rows: (await response.json()) as Answer<P, "get">, cursor: nextCursor(response) };
}

export function post<P extends PathsWith<"post">>(
	path: P,
	body: Body<P, "post">,
	parameters: Record<string, string> = {},
	query: Query = {},
): Promise<Answer<P, "post">> {
	return send("post", fill(path, parameters) + queryText(query), body) as Promise<
		Answer<P, "post">
	>;
}

/** Posts, and returns a header field of the answer; undefined: the answer has none. */
export async function postTold<P extends PathsWith<"post">>(
	path: P,
	body: Body<P, "post">,
	field: string,
	parameters: Record<string, string> = {},
): Promise<string | undefined> {
	const response = await ask("post", fill(path, parameters), body);
	return response.headers.get(field) ?? undefined;
}

export function put<P extends PathsWith<"put">>(
	path: P,
	body: Body<P, "put">,
	parameters: Record<string, string> = {},
	query: Query = {},
): Promise<Answer<P, "put">> {
	return send("put", fill(path, parameters) + queryText(query), body) as Promise<Answer<P, "put">>;
}

export function patch<P extends PathsWith<"patch">>(
	path: P,
	body: Body<P, "patch">,
	parameters: Record<string, string> = {},
): Promise<Answer<P, "patch">> {
	return send("patch", fill(path, parameters), body) as Promise<Answer<P, "patch">>;
}

export function remove<P extends PathsWith<"delete">>(
	path: P,
	parameters: Record<string, string> = {},
	options: { keepalive?: boolean; query?: Query } = {},
): Promise<Answer<P, "delete">> {
	const target = fill(path, parameters) + queryText(options.query ?? {});
	return send("delete", target, undefined, options.keepalive) as Promise<Answer<P, "delete">>;
}
