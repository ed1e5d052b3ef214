#include "metric/read.h"
#include "definitions.h"
#include "slot.h"

uint64_t metric_beat_ms(const struct metric_reader *reader, int process)
{
	const struct metric_slot *slot = metric_slot(reader->shared, process);

	return atomic_load_explicit(&slot->beat_ms, memory_order_relaxed);
}

bool metric_is_alive(const struct metric_reader *reader, int process)
{
	uint64_t beat_ms = metric_beat_ms(reader, process);

	return beat_ms > 0 && reader->now_ms < beat_ms + METRIC_SILENT_MS;
}

static bool has_counted(const struct metric_slot *slot, int process)
{
	return atomic_load(&slot->layout) == metric_layout(process != METRIC_SUPERVISOR);
}

int64_t metric_of_process(const struct metric_reader *reader, int process, enum metric metric,
			  unsigned label)
{
	const struct metric_slot *slot = metric_slot(reader->shared, process);

	if (!has_counted(slot, process))
		return 0;
	if (metric_definitions[metric].kind == METRIC_GAUGE && !metric_is_alive(reader, process))
		return 0;
	return (int64_t)atomic_load_explicit(&slot->cells[metric_offset(metric) + label],
					     memory_order_relaxed);
}

void metric_sums_init(struct metric_sums *sums, const struct metric_reader *reader)
{
	const struct metric_slot *slot = metric_slot(reader->shared, METRIC_SUPERVISOR);

	sums->supervisor = has_counted(slot, METRIC_SUPERVISOR) ? slot : NULL;
	sums->is_supervisor_alive = metric_is_alive(reader, METRIC_SUPERVISOR);
	sums->processes = 1 + reader->workers;
	sums->alive = sums->workers = 0;
	for (int i = 0; i < (int)reader->workers && i < METRIC_PROCESSES_MAX; i++) {
		slot = metric_slot(reader->shared, i);
		if (!has_counted(slot, i))
			continue;
		sums->all[sums->workers++] = slot;
		if (!metric_is_alive(reader, i))
			continue;
		sums->all[sums->workers - 1] = sums->all[sums->alive];
		sums->all[sums->alive++] = slot;
	}
}

static int64_t read_cell(const struct metric_slot *slot, unsigned cell)
{
	return (int64_t)atomic_load_explicit(&slot->cells[cell], memory_order_relaxed);
}

/* Whether the supervisor's slot has the metric. It reports on all processes, but knows nothing of
 * routes and statements. */
static bool supervisor_tells(const struct metric_sums *sums,
			     const struct metric_definition *definition)
{
	return sums->supervisor &&
	       (definition->by[0] == METRIC_BY_PROCESS ||
		!metric_label_is_open(definition->by[0])) &&
	       (definition->kind != METRIC_GAUGE || sums->is_supervisor_alive);
}

int64_t metric_total(const struct metric_sums *sums, enum metric metric, unsigned label)
{
	const struct metric_definition *definition = &metric_definitions[metric];
	unsigned cell = metric_offset(metric) + label;
	unsigned end = definition->kind == METRIC_GAUGE ? sums->alive : sums->workers;
	int64_t total = 0;

	if (supervisor_tells(sums, definition))
		total = read_cell(sums->supervisor, cell);
	if (definition->by[0] == METRIC_BY_PROCESS)
		return total;
	for (unsigned i = 0; i < end; i++) {
		int64_t one = read_cell(sums->all[i], cell);

		if (!definition->is_largest)
			total += one;
		else if (one > total)
			total = one;
	}
	return total;
}

int64_t metric_observations(const struct metric_sums *sums, enum metric metric, unsigned label)
{
	unsigned first = label * metric_width(metric);
	int64_t count = 0;

	for (unsigned i = 0; i <= metric_definitions[metric].buckets->count; i++)
		count += metric_total(sums, metric, first + i);
	return count;
}

int64_t metric_sum(const struct metric_sums *sums, enum metric metric, unsigned label)
{
	unsigned sum = metric_definitions[metric].buckets->count + 1;

	return metric_total(sums, metric, label * metric_width(metric) + sum);
}

int64_t metric_quantile(const struct metric_sums *sums, enum metric metric, unsigned label,
			unsigned permille)
{
	const struct metric_buckets *buckets = metric_definitions[metric].buckets;
	int64_t wanted = (metric_observations(sums, metric, label) * permille + 999) / 1000;
	unsigned first = label * metric_width(metric);
	int64_t below = 0, from = 0;

	for (unsigned i = 0; i < buckets->count; i++) {
		int64_t count = metric_total(sums, metric, first + i);
		int64_t to = (int64_t)buckets->bounds[i];

		if (count > 0 && below + count >= wanted)
			return from + (to - from) * (wanted - below) / count;
		below += count;
		from = to;
	}
	return from;
}

unsigned metric_values(enum metric metric)
{
	return metric_label_count(metric_definitions[metric].by[0]);
}

const char *metric_value_text(enum metric metric, unsigned value, unsigned name)
{
	return metric_label_value(metric_definitions[metric].by[0], value, name);
}
