/* Site: facts derived from the URL by which browsers reach this server.
 *
 *   https://...                     sessions; cookie __Host-displayd_session, Secure
 *   http://... of this machine      sessions; cookie displayd_session
 *   http://... of another one       no sessions, unless allowed by a setting
 *
 * Pure. */
#pragma once

#include "http/request.h"

enum { SITE_ORIGIN_BYTES = 300, SITE_ORIGINS_MAX = 4 };

struct site {
	const char *public_url; /* without a slash at its end; must outlive the site */
	/* "https://panels.example.org", and for a loopback address its other names, too. */
	char origins[SITE_ORIGINS_MAX][SITE_ORIGIN_BYTES];
	unsigned origin_count;
	/* Host that passkeys belong to; empty: no passkeys. Never an IP address, and without https
	 * only localhost (Web Authentication section 5.1.2). */
	char passkey_host[SITE_ORIGIN_BYTES];
	unsigned passkey_origin; /* index of the origin for passkeys, if there is one */
	bool is_https;
	bool can_sign_in;
};

/* public_url: a well-formed URL of http or https. */
void site_init(struct site *site, const char *public_url, bool allows_plain_http);

/* Returns NULL if the request comes from our own pages, or could have been typed by its user; else
 * a static text why it is refused. Sec-Fetch-Site decides; if a browser sends none, Origin must be
 * the site's and Host one of its names, and a request that changes something needs either (Fetch
 * Metadata; RFC 6454). */
const char *site_refuses(const struct site *site, const struct http_request *request);

/* Whether the URL (http or https) can be reached only from the server itself. */
bool site_is_loopback_url(const char *url);

/* Returns "__Host-displayd_session" or "displayd_session". */
const char *site_cookie_name(const struct site *site);
/* Returns "__Host-displayd_issuer" or "displayd_issuer": the cookie of a sign-in by an issuer. */
const char *site_issuer_cookie_name(const struct site *site);
/* Returns "__Host-displayd_browser" or "displayd_browser": the cookie of known browsers. */
const char *site_browser_cookie_name(const struct site *site);
