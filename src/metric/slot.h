/* Layout of a process's numbers.
 *
 *   slot: beat | metric: value of the labels: cells, value of the labels: cells, ... | metric ...
 *
 * A counter and a gauge have one cell for each value of their labels, a histogram has one for each
 * bucket, one for the rest, and the sum. Buckets are not cumulative here. */
#pragma once

#include "metric/metric.h"

#include <stdbool.h>

enum { METRIC_CELLS_MAX = 32 * 1024 };

struct metric_slot {
	_Atomic uint64_t layout;  /* see metric_layout(); 0: unused */
	_Atomic uint64_t beat_ms; /* time of the last beat, monotonic; 0: never */
	_Atomic uint64_t cells[METRIC_CELLS_MAX];
};

struct metric_slot *metric_slot(struct region_map *shared, int process);

/* Returns a hash of all definitions and names: a slot with another hash, of a program before an
 * upgrade, has other numbers in its cells. The supervisor does not know the names, and counts
 * nothing by them.
 */
uint64_t metric_layout(bool has_names);

/* Returns the cells of one value of the labels. */
unsigned metric_width(enum metric metric);
/* Returns the cells of a metric, for all values of its labels. */
unsigned metric_size(enum metric metric);
/* Returns the metric's first cell. */
unsigned metric_offset(enum metric metric);
