/* Reads the metrics of an instance: sums over its processes. Any process that has the shared memory
 * can read, at any time. */
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

/* Processes that have counted, found once for several reads. */
struct metric_sums {
	const struct metric_slot *supervisor; /* NULL: it has not counted */
	bool is_supervisor_alive;
	unsigned processes; /* number of slots, the supervisor's included */
	unsigned alive;	    /* slots of live workers, which are the first ones */
	unsigned workers;   /* number of workers that have counted */
	const struct metric_slot *all[METRIC_PROCESSES_MAX];
};

enum { METRIC_SILENT_MS = 5000 };

/* Whether the process called metric_beat() within METRIC_SILENT_MS. */
bool metric_is_alive(const struct metric_reader *reader, int process);

/* Time of the process's last beat, monotonic; 0: never, or it has ended. */
uint64_t metric_beat_ms(const struct metric_reader *reader, int process);

/* Returns a counter or a gauge of one process. */
int64_t metric_of_process(const struct metric_reader *reader, int process, enum metric metric,
			  unsigned label);

/* Finds the processes that have counted. sums: valid as long as the reader's memory. */
void metric_sums_init(struct metric_sums *sums, const struct metric_reader *reader);

/* Returns a counter or a gauge of all processes together: the sum, or the maximum if the metric's
 * definition says so. */
int64_t metric_total(const struct metric_sums *sums, enum metric metric, unsigned label);

/* Return the number of values in a histogram, their sum, and roughly the value below which permille
 * of a thousand values lie. In the metric's unit. */
int64_t metric_observations(const struct metric_sums *sums, enum metric metric, unsigned label);
int64_t metric_sum(const struct metric_sums *sums, enum metric metric, unsigned label);
int64_t metric_quantile(const struct metric_sums *sums, enum metric metric, unsigned label,
			unsigned permille);

/* Number of values of the metric's first label, and their texts. name: 0, or 1 for the method of
 * METRIC_BY_ROUTE. */
unsigned metric_values(enum metric metric);
const char *metric_value_text(enum metric metric, unsigned value, unsigned name);

/* Appends all metrics, in Prometheus' text format 0.0.4. Series of routes and statements that are 0
 * are left out. */
void metric_write_text(const struct metric_reader *reader, struct buffer *text);
