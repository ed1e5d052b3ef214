#include "main/requests.h"
#include "base/limits.h"
#include "delivery/delivery.h"
#include "task/key_cache.h"

void requests_start(struct requests *requests, struct loop *loop, const struct config *config,
		    const char *public_url, struct region_map *shared)
{
	struct service *service = &requests->service;
	bool is_limited = config->rate_limit > 0;

	*requests = (struct requests){0};
	service->loop = loop;
	service->public_url = public_url;
	service->cors_origins = config->cors_origins.values;
	service->cors_origin_count = config->cors_origins.count;
	service->keys = key_cache_create(loop);
	service->rates = region_common(shared, &rate_region);
	service->key_rate = (struct rate_policy){
	    .name = "key",
	    .of_what = "with this key",
	    .per_second = config->rate_limit,
	    .burst = config->rate_limit * (LIMIT_RATE_BURST / LIMIT_RATE_PER_S),
	};
	service->push_rate = (struct rate_policy){
	    .name = "push",
	    .of_what = "to this device",
	    .per_second = is_limited ? LIMIT_PUSH_RATE_PER_S : 0,
	    .burst = LIMIT_PUSH_RATE_BURST,
	};
	service->delivery = delivery_create(service, region_common(shared, &cursor_region));
}

void requests_on_hint(void *context, struct str word)
{
	struct requests *requests = context;
	struct service *service = &requests->service;

	if (str_starts_with(word, STR("device:")))
		delivery_on_hint(service->delivery, str_from_offset(word, strlen("device:")));
	else if (str_starts_with(word, STR("push:")))
		delivery_on_push_hint(service->delivery, str_from_offset(word, strlen("push:")));
	else if (str_starts_with(word, STR("key:")))
		key_cache_on_hint(service->keys, str_from_offset(word, strlen("key:")));
}

void requests_on_hints_up(void *context, bool up)
{
	struct requests *requests = context;

	key_cache_on_hints_up(requests->service.keys, up);
	delivery_on_hints_up(requests->service.delivery, up);
}

void requests_drain(struct requests *requests)
{
	requests->service.is_draining = true;
	delivery_drain(requests->service.delivery);
}

void requests_finish(struct requests *requests)
{
	delivery_destroy(requests->service.delivery);
	key_cache_destroy(requests->service.keys);
}
