#include "base/limits.h"
#include "removals.h"
#include "streams.h"
#include "web/web.h"

void web_start(struct web_service *web, struct region_map *shared,
	       enum web_registration registration, bool allows_plain_http, unsigned rate_limit)
{
	bool is_limited = rate_limit > 0;

	site_init(&web->site, web->api.service.public_url, allows_plain_http);
	web->registration = registration;
	web->sessions = region_common(shared, &session_region);
	web->removals = removals_create(web->api.service.loop, web->api.service.db);
	web->streams = streams_create(web->api.service.loop, web->api.service.db);
	web->limits_attempts = is_limited;
	web->session_rate = (struct rate_policy){
	    .name = "session",
	    .of_what = "in this session",
	    .per_second = is_limited ? LIMIT_SESSION_RATE_PER_S : 0,
	    .burst = LIMIT_SESSION_RATE_BURST,
	};
	web->visitor_rate = (struct rate_policy){
	    .name = "visitor",
	    .of_what = "from this address",
	    .per_second = is_limited ? LIMIT_VISITOR_RATE_PER_S : 0,
	    .burst = LIMIT_VISITOR_RATE_BURST,
	};
}

void web_drain(struct web_service *web)
{
	removals_drain(web->removals);
	streams_drain(web->streams);
}

void web_finish(struct web_service *web)
{
	removals_destroy(web->removals);
	streams_destroy(web->streams);
}
