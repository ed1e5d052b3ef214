#include "base/limits.h"
#include "streams.h"
#include "web/administration/worker_status.h"
#include "web/apps/app_encryption.h"
#include "web/apps/app_pictures.h"
#include "web/apps/app_stills.h"
#include "web/apps/own_pictures.h"
#include "web/exchange/import_upkeep.h"
#include "web/identity/issuer.h"
#include "web/people/attempts.h"
#include "web/people/key_ends.h"
#include "web/people/removals.h"
#include "web/web.h"

void web_start(struct web_service *web, const struct web_settings *settings)
{
	bool is_limited = settings->rate_limit > 0;

	web->backs_up_key = settings->backs_up_key;
	site_init(&web->site, web->api.service.public_url, settings->allows_plain_http);
	web->registration = settings->registration;
	web->frame_origins = settings->frame_origins;
	web->frame_origin_count = settings->frame_origin_count;
	web->sessions = region_common(settings->shared, &session_region);
	web->statuses = worker_statuses_create(&web->api.metrics, settings);
	web->removals = removals_create(web->api.service.loop, web->api.service.db);
	web->key_ends = key_ends_create(web->api.service.loop, web->api.service.db);
	web->import_upkeep = import_upkeep_create(web->api.service.loop, web->api.service.db);
	web->streams = streams_create(web->api.service.loop, web->api.service.db);
	web->stills = app_stills_create(web->api.service.loop, web->api.service.db);
	web->pictures = app_pictures_create(web->api.service.loop, web->api.service.db,
					    web->api.engines, web->stills);
	web->own_pictures =
	    own_pictures_create(web->api.service.loop, web->api.service.db, web->stills);
	web->encryption = app_encryption_create(&(struct app_encryption_settings){
	    .loop = web->api.service.loop,
	    .db = web->api.service.db,
	    .engines = web->api.engines,
	    .delivery = web->api.delivery,
	    .key = web->api.settings_key,
	});
	if (settings->oidc.url)
		web->issuer = issuer_create(engines_outbound(web->api.engines), &settings->oidc);
	web->limits_attempts = is_limited;
	web->attempt_hints =
	    web_attempt_hints(web->api.service.db, web->api.service.visitors,
			      instance_name(region_common(settings->shared, &instance_region)));
	web->session_rate = (struct rate_policy){
	    .metric = METRIC_LIMIT_SESSION,
	    .name = "session",
	    .of_what = "in this session",
	    .per_second = is_limited ? LIMIT_SESSION_RATE_PER_S : 0,
	    .burst = LIMIT_SESSION_RATE_BURST,
	};
	web->visitor_rate = (struct rate_policy){
	    .metric = METRIC_LIMIT_VISITOR,
	    .name = "visitor",
	    .of_what = "from this address",
	    .per_second = is_limited ? LIMIT_VISITOR_RATE_PER_S : 0,
	    .burst = LIMIT_VISITOR_RATE_BURST,
	};
}

void web_drain(struct web_service *web)
{
	removals_drain(web->removals);
	key_ends_drain(web->key_ends);
	import_upkeep_drain(web->import_upkeep);
	streams_drain(web->streams);
	app_pictures_drain(web->pictures);
	own_pictures_drain(web->own_pictures);
	app_stills_drain(web->stills);
	app_encryption_drain(web->encryption);
}

void web_finish(struct web_service *web)
{
	worker_statuses_destroy(web->statuses);
	attempt_hints_destroy(web->attempt_hints);
	removals_destroy(web->removals);
	key_ends_destroy(web->key_ends);
	import_upkeep_destroy(web->import_upkeep);
	streams_destroy(web->streams);
	app_pictures_destroy(web->pictures);
	own_pictures_destroy(web->own_pictures);
	app_stills_destroy(web->stills);
	app_encryption_destroy(web->encryption);
	issuer_destroy(web->issuer);
}
