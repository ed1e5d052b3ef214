#include "main/sampler.h"
#include "base/clock.h"
#include "delivery/delivery.h"
#include "http/server.h"
#include "loop/lanes.h"
#include "metric/metric.h"

enum {
	BEAT_MS = 1000,
	PANELS_EVERY_S = 5, /* since counting looks at all panels that poll */
	SIZE_EVERY_MS = 60 * 1000,
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

static void on_size(struct db_query *query, const struct db_result *result)
{
	struct sampler *sampler = container_of(query, struct sampler, size);

	if (result->outcome == DB_OK && result->row_count == 1) {
		struct database_size_row row;

		db_read_row(result, 0, query->record, &sampler->arena, &row);
		metric_set(METRIC_DATABASE_BYTES, 0, row.bytes);
		metric_set(METRIC_DATABASE_BACKED_UP, 0, row.backed_up_at);
	}
	arena_finish(&sampler->arena);
	sampler->is_asking = false;
}

static void ask_size(struct sampler *sampler, struct db *db, uint64_t now_ms)
{
	if (!sampler->asks_size || sampler->is_asking || now_ms < sampler->size_at_ms ||
	    !db_is_up(db))
		return;
	sampler->size_at_ms = now_ms + SIZE_EVERY_MS;
	sampler->is_asking = true;
	db_query_init(&sampler->size, &sampler->arena);
	statement_database_size(&sampler->size, NULL);
	sampler->size.done = on_size;
	db_submit(db, &sampler->size);
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
	ask_size(sampler, service->db, now_ms);
	lanes_tell(service->loop);
	renders_tell(sampler->requests->renders, web->api.render_health);
	engines_tell(sampler->requests->engines);
	if (before / PANELS_EVERY_S != sampler->second / PANELS_EVERY_S)
		delivery_tell(web->api.delivery);
	sampler_count_log(&sampler->logged);
	metric_beat(now_ms);
	deadline_set(service->loop, deadline, BEAT_MS - now_ms % BEAT_MS);
}

void sampler_start(struct sampler *sampler, struct requests *requests, struct http_server *http,
		   bool asks_size)
{
	*sampler = (struct sampler){
	    .requests = requests, .http = http, .logged = log_count(), .asks_size = asks_size};
	deadline_init(&sampler->next, beat);
	deadline_set(requests->web.api.service.loop, &sampler->next, 0);
}

void sampler_stop(struct sampler *sampler)
{
	deadline_clear(sampler->requests->web.api.service.loop, &sampler->next);
	metric_beat(0);
}
