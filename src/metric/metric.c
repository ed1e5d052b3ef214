#include "metric/metric.h"
#include "base/require.h"
#include "definitions.h"
#include "slot.h"

const struct region metric_region = {
    .name = "metrics",
    .version = 1,
    .size = sizeof(struct metric_slot), /* slot of the supervisor */
    .slot_size = sizeof(struct metric_slot),
};

/* Cells of a process that was not attached: all metrics overlap. */
static _Atomic uint64_t nowhere[METRIC_CELLS_MAX];
_Atomic uint64_t *metric_cells[METRIC_COUNT] = {[0 ... METRIC_COUNT - 1] = nowhere};
static struct metric_slot *own; /* NULL: not attached */
unsigned metric_seconds[METRIC_COUNT];

unsigned metric_width(enum metric metric)
{
	const struct metric_definition *definition = &metric_definitions[metric];

	return definition->kind == METRIC_HISTOGRAM ? definition->buckets->count + 2 : 1;
}

unsigned metric_size(enum metric metric)
{
	const enum metric_by *by = metric_definitions[metric].by;

	return metric_label_slots(by[0]) * metric_label_slots(by[1]) * metric_width(metric);
}

unsigned metric_offset(enum metric metric)
{
	static unsigned offsets[METRIC_COUNT + 1]; /* the last one is set when all are */

	if (offsets[METRIC_COUNT] == 0) {
		for (enum metric i = 0; i < METRIC_COUNT; i++)
			offsets[i + 1] = offsets[i] + metric_size(i);
		require(offsets[METRIC_COUNT] <= METRIC_CELLS_MAX);
	}
	return offsets[metric];
}

/* Set by metric_attach(); before, each call computes it. */
static uint64_t layouts[2];

/* FNV-1a. */
static uint64_t add_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static uint64_t make_layout(bool has_names)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
		hash = add_text(hash, metric_definitions[metric].name);
		hash += metric_offset(metric);
	}
	for (enum metric_by by = 1; by < METRIC_BY_COUNT; by++) {
		if (metric_label_is_open(by) && (!has_names || by == METRIC_BY_PROCESS))
			continue;
		for (unsigned i = 0; i < metric_label_count(by); i++) {
			hash = add_text(hash, metric_label_value(by, i, 0));
			if (by == METRIC_BY_ROUTE)
				hash = add_text(hash, metric_label_value(by, i, 1));
		}
	}
	return hash;
}

uint64_t metric_layout(bool has_names)
{
	return layouts[has_names] ? layouts[has_names] : make_layout(has_names);
}

struct metric_slot *metric_slot(struct region_map *shared, int process)
{
	if (process == METRIC_SUPERVISOR)
		return region_common(shared, &metric_region);
	return region_slot(shared, &metric_region, (unsigned)process);
}

/* Clears counts of another program, or of the previous process of the slot. Untouched memory takes
 * no room, so only used slots are cleared. */
static void forget(enum metric metric)
{
	for (unsigned i = 0; i < metric_size(metric); i++)
		metric_set(metric, i, 0);
}

void metric_attach(struct region_map *shared, int process)
{
	uint64_t before, layout;

	layouts[false] = make_layout(false);
	layouts[true] = make_layout(true);
	layout = metric_layout(process != METRIC_SUPERVISOR);
	own = metric_slot(shared, process);
	before = atomic_load(&own->layout);
	metric_prepare_labels();
	for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
		bool is_gauge = metric_definitions[metric].kind == METRIC_GAUGE;

		metric_cells[metric] = &own->cells[metric_offset(metric)];
		metric_seconds[metric] = metric_label_slots(metric_definitions[metric].by[1]);
		if (before && (before != layout || is_gauge))
			forget(metric);
	}
	atomic_store(&own->layout, layout);
}

void metric_detach(void)
{
	own = NULL;
	for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
		metric_cells[metric] = nowhere;
}

void metric_beat(uint64_t now_ms)
{
	if (own)
		atomic_store_explicit(&own->beat_ms, now_ms, memory_order_relaxed);
}

void metric_observe(enum metric metric, unsigned label, uint64_t value)
{
	const struct metric_buckets *buckets = metric_definitions[metric].buckets;
	unsigned first = label * (buckets->count + 2);
	unsigned bucket = 0;

	if (!METRIC_COUNTS)
		return;
	while (bucket < buckets->count && value > buckets->bounds[bucket])
		bucket++;
	metric_add(metric, first + bucket, 1);
	metric_add(metric, first + buckets->count + 1, (int64_t)value);
}
