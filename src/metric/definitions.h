/* Definitions of all metrics, as data: metric/metrics.h has their names. */
#pragma once

#include "metric/metrics.h"

#include <stdbool.h>
#include <stdint.h>

enum metric_kind { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

enum metric_unit {
	METRIC_PLAIN,
	METRIC_MICROSECONDS, /* shown as seconds */
};

struct metric_buckets {
	unsigned count;		/* number of bounds, without the infinite one */
	const uint64_t *bounds; /* inclusive upper bounds in the metric's unit */
};

struct metric_definition {
	const char *name; /* name for Prometheus */
	const char *help;
	enum metric_kind kind;
	enum metric_unit unit;
	enum metric_by by[2];
	bool is_largest;		      /* gauge: the maximum of all processes counts */
	const struct metric_buckets *buckets; /* buckets of a histogram */
};

extern const struct metric_definition metric_definitions[METRIC_COUNT];

enum { METRIC_LABEL_NAMES = 2 };

struct metric_label {
	const char *names[METRIC_LABEL_NAMES]; /* names of the labels; the second one may be NULL */
	unsigned count;		   /* number of values; 0: they are named at the start */
	const char *const *values; /* values of the first name */
};

extern const struct metric_label metric_labels[METRIC_BY_COUNT];

/* Returns the room for values: their number, or the maximum that may be named. */
unsigned metric_label_slots(enum metric_by by);
/* Whether its values are named at the start: unused ones are left out then. */
bool metric_label_is_open(enum metric_by by);
/* Returns the number of values. */
unsigned metric_label_count(enum metric_by by);
/* Returns the text of a value; NULL if it was not named. */
const char *metric_label_value(enum metric_by by, unsigned value, unsigned name);

/* Fills in metric_status_labels, and the names of processes. Call it before a process counts or
 * reads. */
void metric_prepare_labels(void);
