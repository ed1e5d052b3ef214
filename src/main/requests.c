#include "main/requests.h"
#include "api/still_cache.h"
#include "base/limits.h"
#include "base/log.h"
#include "collections/collections.h"
#include "delivery/delivery.h"
#include "domain/mqtt.h"
#include "events/events.h"
#include "firmware/firmware.h"
#include "hooks/hooks.h"
#include "main/heartbeat.h"
#include "render/download.h"
#include "task/key_cache.h"
#include "task/key_uses.h"
#include "task/read_cache.h"
#include "web/web.h"

/* Searched in this order. */
#define PUBLIC_TABLES                                                                              \
	&api_health_routes, &api_link_routes, &api_routes, &api_document_routes, &web_routes,      \
	    &web_page_routes
static const struct route_table *const public_tables[] = {PUBLIC_TABLES, NULL};
static const struct route_table *const public_tables_with_metrics[] = {PUBLIC_TABLES,
								       &api_metrics_routes, NULL};
static const struct route_table *const admin_tables[] = {&api_health_routes, &api_metrics_routes,
							 &api_status_routes, NULL};
/* Only marked routes exist there (endpoint.is_for_operator). */
static const struct route_table *const operator_tables[] = {
    &api_health_routes, &api_metrics_routes, &api_status_routes, &api_routes, &web_routes, NULL};
/* Only marked routes exist there (endpoint.is_for_bridge). */
static const struct route_table *const bridge_tables[] = {&api_routes, &web_routes, NULL};
/* Each table once: the metrics number the routes in this order. */
static const struct route_table *const all_tables[] = {PUBLIC_TABLES, &api_metrics_routes,
						       &api_status_routes, NULL};

static struct delivery *start_delivery(struct loop *loop, struct db *db, struct region_map *shared,
				       unsigned worker, uint32_t stay_s)
{
	struct delivery *delivery = delivery_create(loop, db, shared, worker);

	delivery_set_limits(delivery, &(struct delivery_limits){.panel_stay_ms = stay_s * 1000});
	return delivery;
}

static void set_limits(struct service *service, const struct config *config)
{
	bool is_limited = config->rate_limit > 0;

	service->failed_attempt_rate = (struct rate_policy){
	    .metric = METRIC_LIMIT_FAILED_ATTEMPTS,
	    .name = "address",
	    .of_what = "from this address",
	    .per_second = is_limited ? LIMIT_FAILED_ATTEMPTS_PER_S : 0,
	    .burst = LIMIT_FAILED_ATTEMPTS_BURST,
	};
	service->key_rate = (struct rate_policy){
	    .metric = METRIC_LIMIT_KEY,
	    .name = "key",
	    .of_what = "with this key",
	    .per_second = config->rate_limit,
	    .burst = config->rate_limit * (LIMIT_RATE_BURST / LIMIT_RATE_PER_S),
	};
	service->push_rate = (struct rate_policy){
	    .metric = METRIC_LIMIT_PUSH,
	    .name = "push",
	    .of_what = "to this device",
	    .per_second = is_limited ? LIMIT_PUSH_RATE_PER_S : 0,
	    .burst = LIMIT_PUSH_RATE_BURST,
	};
}

static struct events *start_events(const struct api_service *api, struct region_map *shared,
				   unsigned worker, unsigned workers)
{
	return events_create(&(struct events_settings){
	    .loop = api->service.loop,
	    .db = api->service.db,
	    .delivery = api->delivery,
	    .shared = shared,
	    .worker = worker,
	    .workers = workers,
	});
}

static struct hooks *start_hooks(const struct api_service *api, bool is_first)
{
	return hooks_create(&(struct hooks_settings){
	    .loop = api->service.loop,
	    .db = api->service.db,
	    .outbound = engines_outbound(api->engines),
	    .key = api->settings_key,
	    .is_first = is_first,
	});
}

static struct firmware_jobs *start_firmware(const struct api_service *api)
{
	return firmware_jobs_create(&(struct firmware_settings){
	    .loop = api->service.loop,
	    .db = api->service.db,
	    .delivery = api->delivery,
	    .downloads = engines_downloads(api->engines),
	});
}

/* Starts the caches of database rows, which are notified of changes. */
static void start_caches(struct service *service, struct region_map *shared)
{
	struct db *db = service->db;

	service->keys = key_cache_create(service->loop);
	db_subscribe(db, key_cache_subscription(service->keys));
	service->key_uses = key_uses_create(service->loop, db);
	service->reads = read_cache_create(service->loop, db, region_common(shared, &read_region),
					   LIMIT_READS_BYTES);
	db_subscribe(db, read_cache_subscription(service->reads));
	db_on_change(db, &(struct change_listener){.on_change = read_cache_on_change,
						   .on_doubt = read_cache_on_doubt,
						   .on_all = read_cache_on_all,
						   .context = service->reads});
}

/* The configuration has only valid networks, and not too many. */
static void list_networks(struct requests *requests, const struct option_list *texts)
{
	for (unsigned i = 0; i < texts->count; i++)
		if (!network_list_add(&requests->listed, texts->values[i]))
			log_error("main", "invalid network in egress-allow",
				  LOG_TEXT("network", texts->values[i]));
	requests->web.api.listed = &requests->listed;
}

static struct web_issuer issuer_of(const struct config *config, const char *secret)
{
	return (struct web_issuer){
	    .url = config->oidc,
	    .client_id = config->oidc_client,
	    .client_secret = secret,
	    .name = config->oidc_name,
	};
}

void requests_start(struct requests *requests, struct loop *loop, struct db *db,
		    const struct config *config, const char *public_url, const char *panel_url,
		    const struct engines_settings *engines, struct region_map *shared,
		    unsigned worker, const struct settings_key *settings_key,
		    const uint8_t *metrics_token_hash, const char *oidc_secret)
{
	struct service *service = &requests->web.api.service;

	*requests = (struct requests){0};
	service->loop = loop;
	service->db = db;
	service->public_url = public_url;
	service->is_instance_ready = heartbeat_instance_is_ready(shared);
	service->cors_origins = config->cors_origins.values;
	service->cors_origin_count = config->cors_origins.count;
	start_caches(service, shared);
	service->rates = region_common(shared, &rate_region);
	service->failed_attempts = region_common(shared, &failed_attempt_region);
	service->visitors = region_common(shared, &visitor_region);
	set_limits(service, config);
	requests->engines = requests->web.api.engines = engines_create(loop, engines);
	requests->web.api.render_health = engines->health;
	requests->web.api.workers = config->workers;
	requests->web.api.metrics =
	    (struct metric_reader){.shared = shared, .workers = config_worker_slots(config)};
	requests->web.api.metrics_token_hash = metrics_token_hash;
	list_networks(requests, &config->egress_allow);
	requests->web.api.panel_url = panel_url;
	requests->web.api.settings_key = settings_key;
	requests->web.api.stills = still_cache_create();
	requests->web.api.delivery = start_delivery(loop, db, shared, worker, config->panel_stay_s);
	delivery_set_addresses(requests->web.api.delivery, settings_key, panel_url);
	requests->web.api.events =
	    start_events(&requests->web.api, shared, worker, config_worker_slots(config));
	requests->web.api.hooks = start_hooks(&requests->web.api, worker % config->workers == 0);
	requests->firmware = start_firmware(&requests->web.api);
	requests->renders = renders_create(&(struct renders_settings){
	    .loop = loop,
	    .db = db,
	    .delivery = requests->web.api.delivery,
	    .events = requests->web.api.events,
	    .engines = requests->engines,
	    .key = settings_key,
	});
	web_start(&requests->web, &(struct web_settings){
				      .shared = shared,
				      .worker = worker,
				      .workers = config->workers,
				      .worker_slots = config_worker_slots(config),
				      .registration = config->registration,
				      .frame_origins = config->frame_origins.values,
				      .frame_origin_count = config->frame_origins.count,
				      .allows_plain_http = config->plain_http_sign_in,
				      .backs_up_key = !config->secret_key_file,
				      .rate_limit = config->rate_limit,
				      .version = DISPLAYD_VERSION,
				      .oidc = issuer_of(config, oidc_secret),
				  });
}

static const struct route_table *const *tables_of(const struct requests *requests,
						  enum http_role role)
{
	switch (role) {
	case HTTP_ROLE_ADMIN:
		return admin_tables;
	case HTTP_ROLE_OPERATOR:
		return operator_tables;
	case HTTP_ROLE_BRIDGE:
		return bridge_tables;
	default:
		return requests->web.api.metrics_token_hash ? public_tables_with_metrics
							    : public_tables;
	}
}

struct http_listener_settings requests_listener(struct requests *requests, enum http_role role)
{
	struct dispatch *dispatch = &requests->listeners[role];

	dispatch_init(dispatch, &requests->web.api.service, tables_of(requests, role), all_tables,
		      role);
	if (role == HTTP_ROLE_PUBLIC)
		dispatch->missing = &web_missing_page;
	return (struct http_listener_settings){
	    .role = role,
	    .on_request = task_dispatch,
	    .context = dispatch,
	};
}

static struct str str_or_none(const char *text)
{
	return text ? str_from(text) : (struct str){0};
}

void requests_start_bridge(struct requests *requests, struct http_server *http, const char *why_not,
			   const struct config *config, const char *own_password)
{
	struct service *service = &requests->web.api.service;

	service->http = http;
	requests->web.api.why_no_mqtt = why_not;
	requests->bridge = bridge_create(&(struct bridge_settings){
	    .loop = service->loop,
	    .db = service->db,
	    .engines = requests->engines,
	    .key = requests->web.api.settings_key,
	    .http = http,
	    .listener = requests_listener(requests, HTTP_ROLE_BRIDGE),
	    .connections_max = mqtt_share_of_worker(config->workers),
	    .has_program = !why_not,
	    .own = {.account = str_or_none(config->mqtt_account),
		    .url = str_or_none(config->mqtt_url),
		    .username = str_or_none(config->mqtt_username),
		    .password = str_or_none(own_password)},
	});
}

void requests_start_collections(struct requests *requests, struct http_server *http)
{
	struct service *service = &requests->web.api.service;

	requests->collections = collections_create(&(struct collections_settings){
	    .loop = service->loop,
	    .db = service->db,
	    .engines = requests->engines,
	    .http = http,
	    .listener = requests_listener(requests, HTTP_ROLE_OPERATOR),
	});
}

void requests_retire(struct requests *requests)
{
	if (requests->bridge)
		bridge_drain(requests->bridge);
}

void requests_drain(struct requests *requests)
{
	requests->web.api.service.is_draining = true;
	requests_retire(requests);
	renders_drain(requests->renders);
	hooks_drain(requests->web.api.hooks);
	firmware_jobs_drain(requests->firmware);
	if (requests->collections)
		collections_drain(requests->collections);
	events_drain(requests->web.api.events);
	delivery_drain(requests->web.api.delivery);
	web_drain(&requests->web);
	key_uses_drain(requests->web.api.service.key_uses);
	read_cache_drain(requests->web.api.service.reads);
}

void requests_close(struct requests *requests)
{
	engines_drain(requests->engines);
}

void requests_finish(struct requests *requests)
{
	if (requests->bridge)
		bridge_destroy(requests->bridge);
	web_finish(&requests->web);
	renders_destroy(requests->renders);
	hooks_destroy(requests->web.api.hooks);
	firmware_jobs_destroy(requests->firmware);
	if (requests->collections)
		collections_destroy(requests->collections);
	events_destroy(requests->web.api.events);
	delivery_destroy(requests->web.api.delivery);
	key_cache_destroy(requests->web.api.service.keys);
	key_uses_destroy(requests->web.api.service.key_uses);
	read_cache_destroy(requests->web.api.service.reads);
	engines_destroy(requests->engines);
	still_cache_destroy(requests->web.api.stills);
}
