#include "vitals.h"
#include "base/clock.h"
#include "base/memory.h"
#include "delivery/delivery.h"
#include "loop/lanes.h"
#include "record/record.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { BEAT_MS = 1000, SILENT_MS = 5000 };

/* Each number for itself: together they may be of two moments. */
struct slot {
	_Atomic uint64_t beat_ms; /* monotonic; 0: never */
	_Atomic int64_t started_at_us;
	_Atomic uint32_t requests;
	_Atomic uint32_t panels;
	_Atomic uint32_t connected_panels;
	_Atomic uint32_t database_statements;
	_Atomic uint32_t jobs[LANE_COUNT];
	_Atomic bool is_database_up;
};

const struct region vitals_region = {
    .name = "vitals",
    .version = 1,
    .slot_size = sizeof(struct slot),
};

static const struct record_field fields[] = {
    RECORD_INT(struct vital_signs, number, .name = "number"),
    RECORD_BOOL(struct vital_signs, is_alive, .name = "isAlive"),
    RECORD_TIMESTAMP(struct vital_signs, started_at_us, .name = "startedAt", .nullable = true),
    RECORD_INT(struct vital_signs, requests, .name = "requests"),
    RECORD_INT(struct vital_signs, panels, .name = "panels"),
    RECORD_INT(struct vital_signs, connected_panels, .name = "connectedPanels"),
    RECORD_BOOL(struct vital_signs, is_database_up, .name = "isDatabaseUp"),
    RECORD_INT(struct vital_signs, database_statements, .name = "databaseStatements"),
    RECORD_INT(struct vital_signs, short_jobs, .name = "shortJobs"),
    RECORD_INT(struct vital_signs, long_jobs, .name = "longJobs"),
    RECORD_INT(struct vital_signs, password_jobs, .name = "passwordJobs"),
};
const struct record vital_signs_record = RECORD(struct vital_signs, fields);

struct vitals {
	struct api_service *api;
	struct region_map *shared;
	unsigned workers;
	const char *version;
	struct slot *own;
	struct deadline next;
};

static void beat(struct deadline *deadline)
{
	struct vitals *vitals = container_of(deadline, struct vitals, next);
	const struct service *service = &vitals->api->service;
	struct delivery_counts counts = delivery_count(vitals->api->delivery);
	struct slot *own = vitals->own;

	atomic_store(&own->requests, service->task_count);
	atomic_store(&own->panels, counts.panels);
	atomic_store(&own->connected_panels, counts.connected);
	atomic_store(&own->is_database_up, db_is_up(service->db));
	atomic_store(&own->database_statements, db_outstanding(service->db));
	for (enum lane lane = 0; lane < LANE_COUNT; lane++)
		atomic_store(&own->jobs[lane],
			     service->loop->lanes ? lanes_load(service->loop, lane) : 0);
	atomic_store(&own->beat_ms, clock_monotonic_ms());
	deadline_set(service->loop, deadline, BEAT_MS);
}

struct vitals *vitals_create(struct api_service *api, const struct web_settings *settings)
{
	struct vitals *vitals = memory_zalloc(sizeof(*vitals));

	vitals->api = api;
	vitals->shared = settings->shared;
	vitals->workers = settings->workers;
	vitals->version = settings->version;
	vitals->own = region_slot(settings->shared, &vitals_region, settings->worker);
	atomic_store(&vitals->own->started_at_us, clock_wall_us());
	deadline_init(&vitals->next, beat);
	deadline_set(api->service.loop, &vitals->next, 0);
	return vitals;
}

void vitals_drain(struct vitals *vitals)
{
	deadline_clear(vitals->api->service.loop, &vitals->next);
}

void vitals_destroy(struct vitals *vitals)
{
	free(vitals);
}

unsigned vitals_count(const struct vitals *vitals)
{
	return vitals->workers;
}

const char *vitals_version(const struct vitals *vitals)
{
	return vitals->version;
}

struct vital_signs vitals_read(const struct vitals *vitals, unsigned index)
{
	struct slot *slot = region_slot(vitals->shared, &vitals_region, index);
	uint64_t beat_ms = atomic_load(&slot->beat_ms);
	struct vital_signs signs = {
	    .number = index + 1,
	    .is_alive = beat_ms > 0 && clock_monotonic_ms() - beat_ms < SILENT_MS,
	    .started_at_us = atomic_load(&slot->started_at_us),
	};

	if (!signs.is_alive)
		return signs;
	signs.requests = atomic_load(&slot->requests);
	signs.panels = atomic_load(&slot->panels);
	signs.connected_panels = atomic_load(&slot->connected_panels);
	signs.is_database_up = atomic_load(&slot->is_database_up);
	signs.database_statements = atomic_load(&slot->database_statements);
	signs.short_jobs = atomic_load(&slot->jobs[LANE_SHORT]);
	signs.long_jobs = atomic_load(&slot->jobs[LANE_LONG]);
	signs.password_jobs = atomic_load(&slot->jobs[LANE_PASSWORD]);
	return signs;
}
