/* Endpoints of the pages (docs/api/pages): for people who sign in, with a session instead of an API
 * key. One file each in src/web, one line each in the route table.
 *
 * The public URL, and never the listener, decides whether sessions are possible, the cookie's name
 * and attributes, and which requests count as from our own pages (web/site.h). */
#pragma once

#include "api/api.h"
#include "base/memory_budget.h"
#include "base/region.h"
#include "domain/secret_settings.h"
#include "web/registration.h"
#include "web/site.h"

/* State of these endpoints, in addition to the shared one. main owns it; it lives as long as the
 * worker. */
struct web_service {
	struct api_service api;
	struct site site;
	const char *const
	    *frame_origins; /* origins whose pages may frame /panel: "https://home.example.org" */
	unsigned frame_origin_count;
	enum web_registration registration;
	struct rate_policy session_rate;     /* for a session */
	struct rate_policy visitor_rate;     /* for an address without a session */
	bool backs_up_key;		     /* the key for secret settings is part of a backup */
	bool limits_attempts;		     /* limits attempts to sign in or reauthenticate */
	struct attempt_hints *attempt_hints; /* see src/web/people/attempt_hints.h */
	struct known_sessions
	    *sessions;		   /* shared by the workers, see src/web/people/known_sessions.h */
	struct removals *removals; /* removals of accounts, see src/web/people/removals.h */
	struct key_ends *key_ends; /* ends of what keys set up, see src/web/people/key_ends.h */
	struct import_upkeep *import_upkeep; /* see src/web/exchange/import_upkeep.h */
	struct worker_statuses
	    *statuses;		 /* of the workers, see src/web/administration/worker_status.h */
	struct streams *streams; /* to pages, see src/web/streams.h */
	struct app_pictures *pictures;	   /* pictures of the catalogue, see
					      src/web/apps/app_pictures.h */
	struct own_pictures *own_pictures; /* pictures of authors' own apps, see
					      src/web/apps/own_pictures.h */
	struct app_stills *stills;	   /* of both, see src/web/apps/app_stills.h */
	struct issuer *issuer; /* NULL: no sign-in by one; see src/web/identity/issuer.h */
	struct app_encryption *encryption; /* encryption of settings, see
					      src/web/apps/app_encryption.h */
};

/* Issuer of OpenID Connect by which people can sign in. Texts must outlive the service. */
struct web_issuer {
	const char *url; /* NULL: none */
	const char *client_id;
	const char *client_secret; /* empty: none */
	const char *name;	   /* shown to people */
};

struct web_settings {
	struct region_map *shared; /* contains session_region */
	unsigned worker;	   /* from 0 */
	unsigned workers;
	unsigned worker_slots; /* number of worker slots: worker is 0 .. worker_slots - 1 */
	enum web_registration registration;
	const char *const *frame_origins; /* must outlive the service */
	unsigned frame_origin_count;
	bool allows_plain_http;
	bool backs_up_key; /* the key for secret settings is part of a backup: it is no file of the
			      operator */
	unsigned rate_limit; /* requests a second per key; 0 turns all rate limits off */
	const char *version; /* version of displayd; static */
	struct web_issuer oidc;
};

/* api and engines must be set already. */
void web_start(struct web_service *web, const struct web_settings *settings);

/* Begins no more removals of accounts; another worker continues them. */
void web_drain(struct web_service *web);
/* Call it after the database's connections are closed. */
void web_finish(struct web_service *web);

/* Shared memory: sessions that the workers of an instance have found. */
extern const struct region session_region;

/* The endpoints of the pages, generated from docs/api. */
extern const struct route_table web_routes;
/* The pages and their files, embedded in the program; none in a build without them
 * (-Dweb=disabled). They use no database and no session. */
extern const struct route_table web_page_routes;
/* Page for browsers that request an unknown path. */
extern const struct route web_missing_page;
