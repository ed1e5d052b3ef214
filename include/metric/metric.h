/* Counters, gauges and histograms of an instance, for monitoring.
 *
 *   metric_add(METRIC_X, LABEL, 1) -> the worker's slot in shared memory
 *                                     all slots -> metric/read.h: sums -> GET /metrics
 *
 * To add a metric: its name in metric/metrics.h, its definition in src/metric/definitions.c, and
 * the place that counts. docs/metrics.md is made from the definitions.
 *
 * Only the loop's thread of a process writes to its slot. Others read at any time: each number is
 * an atomic. A worker that replaces a dead one continues its counters, so they never fall while the
 * instance runs; its gauges begin at 0. A process that was not attached (displayctl, tests) counts
 * into memory that nobody reads.
 *
 * Counting takes less than 1 % of a request's instructions: bench/instructions.py
 * --without-metrics. */
#pragma once

#include "base/region.h"
#include "metric/metrics.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern const struct region metric_region;

enum { METRIC_SUPERVISOR = -1 };

/* Only for measuring the cost of counting (bench/instructions.py --without-metrics): nothing is
 * counted, and the calls leave no code. */
#ifdef METRIC_COUNTS_NOTHING
enum { METRIC_COUNTS = false };
#else
enum { METRIC_COUNTS = true };
#endif

/* Makes this process count in the slot of a worker (from 0), or in the supervisor's. Counts of
 * another program there, which had other metrics, are cleared. */
void metric_attach(struct region_map *shared, int process);
/* Call it in a forked process: it then counts in no slot, instead of its parent's. */
void metric_detach(void);
/* Call it once a second: reports that the process is alive and its gauges are current. 0: the
 * process ends. */
void metric_beat(uint64_t now_ms);

/* Sets names that are known only at the start. Call it in each process that reads, before
 * metric_attach(). The texts must stay valid. number: from METRIC_ROUTES_FIRST, below
 * METRIC_ROUTES_MAX. */
void metric_name_route(unsigned number, const char *method, const char *path);
/* number: below METRIC_STATEMENTS_MAX. */
void metric_name_statement(unsigned number, const char *name);

/* Private: cells in which this process counts. */
extern _Atomic uint64_t *metric_cells[METRIC_COUNT];

/* Adds to a counter, or to a gauge that goes up and down. label: a value of the metric's label,
 * from 0; metric_pair() if the metric has two labels. */
static inline void metric_add(enum metric metric, unsigned label, int64_t number)
{
	_Atomic uint64_t *cell = &metric_cells[metric][label];
	uint64_t before;

	if (!METRIC_COUNTS)
		return;
	before = atomic_load_explicit(cell, memory_order_relaxed);
	atomic_store_explicit(cell, before + (uint64_t)number, memory_order_relaxed);
}

/* Sets a gauge. */
static inline void metric_set(enum metric metric, unsigned label, int64_t number)
{
	if (METRIC_COUNTS)
		atomic_store_explicit(&metric_cells[metric][label], (uint64_t)number,
				      memory_order_relaxed);
}

/* Adds a value to a histogram, in its unit: microseconds for times. */
void metric_observe(enum metric metric, unsigned label, uint64_t value);

/* The label of METRIC_BY_PROCESS: of a worker (from 0), or METRIC_SUPERVISOR. */
static inline unsigned metric_process(int process)
{
	return (unsigned)(process - METRIC_SUPERVISOR);
}

/* Private: number of values of the second label; filled in by metric_attach(). */
extern unsigned metric_seconds[METRIC_COUNT];

/* The label of a metric that has two. */
static inline unsigned metric_pair(enum metric metric, unsigned first, unsigned second)
{
	return first * metric_seconds[metric] + second;
}

/* Private: filled in by metric_attach(). */
enum { METRIC_STATUS_MAX = 599 };
extern uint8_t metric_status_labels[METRIC_STATUS_MAX + 1];

/* The label of METRIC_BY_STATUS; all codes that displayd does not use share one value. */
static inline unsigned metric_status(int status)
{
	return status >= 0 && status <= METRIC_STATUS_MAX ? metric_status_labels[status] : 0;
}
