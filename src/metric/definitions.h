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
	unsigned count;		/* without the one that has all the rest */
	const uint64_t *bounds; /* in the metric's unit; a value that is equal is inside */
};

struct metric_definition {
	const char *name; /* as Prometheus knows it */
	const char *help;
	enum metric_kind kind;
	enum metric_unit unit;
	enum metric_by by[2];
	bool is_largest;		      /* a gauge: of all processes the largest one counts */
	const struct metric_buckets *buckets; /* of a histogram */
};

extern const struct metric_definition metric_definitions[METRIC_COUNT];

enum { METRIC_LABEL_NAMES = 2 };

struct metric_label {
	const char *names[METRIC_LABEL_NAMES]; /* of the labels; the second one may be NULL */
	unsigned count;			       /* of its values; 0: they are named at the start */
	const char *const *values;	       /* of the first name */
};

extern const struct metric_label metric_labels[METRIC_BY_COUNT];

/* Places for values: their number, or the most that may be named. */
unsigned metric_label_places(enum metric_by by);
/* Whether its values are named at the start: most are never used, and those are left out. */
bool metric_label_is_open(enum metric_by by);
/* Values that there are. */
unsigned metric_label_count(enum metric_by by);
/* NULL where the value was not named. */
const char *metric_label_value(enum metric_by by, unsigned value, unsigned name);

/* Before a process counts or reads: fills in metric_status_labels, and the names of processes. */
void metric_prepare_labels(void);
