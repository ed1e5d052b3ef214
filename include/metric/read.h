/* The metrics of an instance, read: the sums of what its processes have counted. Any process that
 * has the shared memory can read, at any time. */
#pragma once

#include "base/buffer.h"
#include "metric/metric.h"

#include <stdbool.h>

struct metric_reader {
	struct region_map *shared;
	unsigned workers;
	uint64_t now_ms; /* monotonic; gauges of processes that are silent do not count */
};

struct metric_slot;

/* The processes that have counted, found once for all that is read of them together. */
struct metric_sums {
	const struct metric_slot *supervisor; /* NULL: it has not counted */
	bool is_supervisor_alive;
	unsigned processes; /* places that there are, the supervisor's included */
	unsigned alive;	    /* of the workers; they are the first ones */
	unsigned workers;   /* that have counted */
	const struct metric_slot *all[METRIC_PROCESSES_MAX];
};

enum { METRIC_SILENT_MS = 5000 };

/* Whether the process has said so within METRIC_SILENT_MS. */
bool metric_is_alive(const struct metric_reader *reader, int process);

/* Time of the process's last beat, monotonic; 0: never, or it has taken leave. */
uint64_t metric_beat_ms(const struct metric_reader *reader, int process);

/* A counter or a gauge of one process. */
int64_t metric_of_process(const struct metric_reader *reader, int process, enum metric metric,
			  unsigned label);

/* sums: valid as long as the reader's memory. */
void metric_sums_init(struct metric_sums *sums, const struct metric_reader *reader);

/* A counter or a gauge of all processes together: the sum, or the largest one where the metric's
 * definition says so. */
int64_t metric_total(const struct metric_sums *sums, enum metric metric, unsigned label);

/* Number of values in a histogram, their sum, and about the value below which permille of a
 * thousand lie. In the metric's unit. */
int64_t metric_observations(const struct metric_sums *sums, enum metric metric, unsigned label);
int64_t metric_sum(const struct metric_sums *sums, enum metric metric, unsigned label);
int64_t metric_quantile(const struct metric_sums *sums, enum metric metric, unsigned label,
			unsigned permille);

/* Number of values of the metric's first label, and their texts. name: 0, or 1 for the method of
 * METRIC_BY_ROUTE. */
unsigned metric_values(enum metric metric);
const char *metric_value_text(enum metric metric, unsigned value, unsigned name);

/* All of them, in Prometheus' text format 0.0.4. Series of routes and statements that are 0 are
 * left out. */
void metric_write_text(const struct metric_reader *reader, struct buffer *text);
