#include "main/sampler.h"
#include "base/clock.h"
#include "delivery/delivery.h"
#include "http/server.h"
#include "loop/lanes.h"
#include "metric/metric.h"

enum {
	BEAT_MS = 1000,
	PANELS_EVERY_S = 5, /* all panels that poll are looked at */
};

void sampler_count_log(struct log_counts *counted)
{
	struct log_counts now = log_count();

	for (enum log_level level = LOG_DEBUG; level <= LOG_ERROR; level++)
		metric_add(METRIC_LOG_LINES, level,
			   (int64_t)(now.lines[level] - counted->lines[level]));
	metric_add(METRIC_LOG_LINES_LOST, 0, (int64_t)(now.lost - counted->lost));
	*counted = now;
}

static void tell_turns(struct sampler *sampler, struct loop *loop)
{
	uint64_t *now_ms = &sampler->longest_ms[sampler->second % SAMPLER_TURNS];
	uint64_t turn_ms = loop_take_longest_turn_ms(loop);
	uint64_t longest_ms = 0;

	*now_ms = turn_ms > *now_ms ? turn_ms : *now_ms;
	for (unsigned i = 0; i < SAMPLER_TURNS; i++)
		if (sampler->longest_ms[i] > longest_ms)
			longest_ms = sampler->longest_ms[i];
	metric_set(METRIC_LOOP_LONGEST, 0, (int64_t)longest_ms * 1000);
}

static void beat(struct deadline *deadline)
{
	struct sampler *sampler = container_of(deadline, struct sampler, next);
	const struct web_service *web = &sampler->requests->web;
	const struct service *service = &web->api.service;
	uint64_t now_ms = clock_monotonic_ms();
	uint64_t before = sampler->second;

	sampler->second = now_ms / BEAT_MS;
	for (uint64_t i = before + 1; i <= sampler->second && i <= before + SAMPLER_TURNS; i++)
		sampler->longest_ms[i % SAMPLER_TURNS] = 0;
	tell_turns(sampler, service->loop);
	metric_set(METRIC_HTTP_IN_FLIGHT, 0, service->task_count);
	http_server_tell(sampler->http);
	db_tell(service->db);
	lanes_tell(service->loop);
	engines_tell(sampler->requests->engines);
	if (before / PANELS_EVERY_S != sampler->second / PANELS_EVERY_S)
		delivery_tell(web->api.delivery);
	sampler_count_log(&sampler->logged);
	metric_beat(now_ms);
	deadline_set(service->loop, deadline, BEAT_MS - now_ms % BEAT_MS);
}

void sampler_start(struct sampler *sampler, struct requests *requests, struct http_server *http)
{
	*sampler = (struct sampler){.requests = requests, .http = http, .logged = log_count()};
	deadline_init(&sampler->next, beat);
	deadline_set(requests->web.api.service.loop, &sampler->next, 0);
}

void sampler_stop(struct sampler *sampler)
{
	deadline_clear(sampler->requests->web.api.service.loop, &sampler->next);
	metric_beat(0);
}
