/* The endpoints of the pages (docs/web-openapi.json): people who sign in, with a session in place
 * of an API key. One file each in src/web, one line each in the route table.
 *
 * What the public URL decides, and never the listener: whether sessions are possible at all, the
 * cookie's name and attributes, and which requests count as those of our own pages (web/site.h). */
#pragma once

#include "api/api.h"
#include "base/memory_budget.h"
#include "base/region.h"
#include "domain/secret_settings.h"
#include "web/registration.h"
#include "web/site.h"

/* State of these endpoints beside the shared one. main owns it; it lives as long as the worker. */
struct web_service {
	struct api_service api;
	struct site site;
	const char *const
	    *frame_origins; /* whose pages may frame /panel: "https://home.example.org" */
	unsigned frame_origin_count;
	enum web_registration registration;
	struct rate_policy session_rate; /* of a session */
	struct rate_policy visitor_rate; /* of an address that asks without one */
	bool limits_attempts;		 /* to prove who one is */
	struct known_sessions
	    *sessions;		   /* shared by the workers, see src/web/people/known_sessions.h */
	struct removals *removals; /* of accounts, see src/web/people/removals.h */
	struct import_upkeep *import_upkeep; /* see src/web/exchange/import_upkeep.h */
	struct worker_statuses
	    *statuses;		 /* of the workers, see src/web/administration/worker statuses.h */
	struct streams *streams; /* to pages, see src/web/streams.h */
	struct app_pictures *pictures;	   /* of the catalogue, see src/web/apps/app_pictures.h */
	struct own_pictures *own_pictures; /* likewise, see src/web/apps/own_pictures.h */
	struct app_encryption *encryption; /* of settings, see src/web/apps/app_encryption.h */
};

struct web_settings {
	struct region_map *shared; /* with session_region */
	unsigned worker;	   /* from 0 */
	unsigned workers;
	unsigned worker_slots; /* how many there may be for a while: 0 .. worker_slots - 1 */
	enum web_registration registration;
	const char *const *frame_origins; /* they stay valid */
	unsigned frame_origin_count;
	bool allows_plain_http;
	unsigned rate_limit; /* requests a second per key; 0 turns all rate limits off */
	const char *version; /* of displayd; static */
};

/* api and engines are set already. */
void web_start(struct web_service *web, const struct web_settings *settings);

/* No more removals of accounts are begun; another worker goes on with them. */
void web_drain(struct web_service *web);
/* After the database's connections are closed. */
void web_finish(struct web_service *web);

/* Shared memory: sessions that the workers of an instance have found. */
extern const struct region session_region;

/* The endpoints of the pages, made of docs/api. */
extern const struct route_table web_routes;
/* The pages and their files, as they are in the program; none in a build without them
 * (-Dweb=disabled). They use no database and no session. */
extern const struct route_table web_page_routes;
/* Page for browsers that ask for an unknown address. */
extern const struct route web_missing_page;
