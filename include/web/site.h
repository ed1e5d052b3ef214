/* The site: what follows from the URL by which browsers reach this server.
 *
 *   https://...                     sessions; cookie __Host-displayd_session, Secure
 *   http://... of this machine      sessions; cookie displayd_session
 *   http://... of another one       no sessions, unless that is switched on
 *
 * Pure. */
#pragma once

#include "http/request.h"

enum { SITE_ORIGIN_BYTES = 300, SITE_ORIGINS_MAX = 4 };

struct site {
	const char *public_url; /* without a slash at its end; it stays valid */
	/* "https://panels.example.org", and for a loopback address its other names, too. */
	char origins[SITE_ORIGINS_MAX][SITE_ORIGIN_BYTES];
	unsigned origin_count;
	/* Passkeys belong to it; empty: there are none here. Not an IP address, and localhost if
	 * it is not https (Web Authentication section 5.1.2). */
	char passkey_host[SITE_ORIGIN_BYTES];
	unsigned passkey_origin; /* of the origins, if there is one */
	bool is_https;
	bool can_sign_in;
};

/* public_url: http or https, well formed. */
void site_init(struct site *site, const char *public_url, bool allows_plain_http);

/* NULL if the request comes from our own pages, or could as well have been typed by its user;
 * else why it is refused (static). Sec-Fetch-Site decides; if a browser sends none, Origin must
 * be the site's and Host one of its names, and a request that changes something needs either
 * (Fetch Metadata; RFC 6454). */
const char *site_refuses(const struct site *site, const struct http_request *request);

/* Whether only programs on the server itself reach this URL, which is http or https. */
bool site_is_loopback_url(const char *url);

/* "__Host-displayd_session" or "displayd_session". */
const char *site_cookie_name(const struct site *site);
/* "__Host-displayd_browser" or "displayd_browser": marks a browser that somebody has signed in
 * with. */
const char *site_browser_cookie_name(const struct site *site);
