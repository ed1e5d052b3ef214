/**
 * The service worker: a page for offline, and pictures that other apps share. It keeps nothing else
 * and answers no request but those of whole pages.
 */
import { keepShared } from "./kept";

/* The DOM's types do not have these two. */
interface PageRequest extends Event {
	readonly request: Request;
	respondWith: (response: Promise<Response>) => void;
}
interface Lifetime extends Event {
	waitUntil: (work: Promise<unknown>) => void;
}
declare const skipWaiting: () => Promise<void>;
declare const clients: { claim: () => Promise<void> };

const OFFLINE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Offline - displayd</title>
<h1>Cannot reach the server</h1>
<p>Check the network of this device. Your panels go on showing what they have.</p>
<p><a href="">Try again</a></p>
</html>`;

const share = new URL("share", location.href);

function offline(): Response {
	return new Response(OFFLINE, {
		status: 503,
		headers: {
			"Content-Type": "text/html; charset=utf-8",
			"Content-Security-Policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
		},
	});
}

/** Keeps the first shared picture and leads to the page that asks where to show it. */
async function take(request: Request): Promise<Response> {
	const shared = (await request.formData()).get("picture");
	if (shared instanceof File && shared.size > 0) await keepShared(shared, share.href);
	return Response.redirect(share.href, 303);
}

addEventListener("install", (event) => (event as Lifetime).waitUntil(skipWaiting()));
addEventListener("activate", (event) => (event as Lifetime).waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
	const asked = event as PageRequest;
	const { mode, method, url } = asked.request;
	if (mode !== "navigate") return;
	if (method === "POST" && new URL(url).pathname === share.pathname)
		asked.respondWith(take(asked.request));
	else if (method === "GET") asked.respondWith(fetch(asked.request).catch(offline));
});
